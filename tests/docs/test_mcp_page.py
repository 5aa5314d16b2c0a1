"""docs/mcp.md, played from top to bottom in one workspace."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from induscode.boot.config import checked
from induscode.boot.mcp.deferral import DEFER_TOKENS
from induscode.boot.mcp.names import MCP_TOOLS
from induscode.capability_deck.mcp_config.discovery import mcp_places
from induscode.capability_deck.mcp_config.rows import _KNOWN, _OF_OAUTH
from induscode.interop.limits import FleetLimits
from tests.docs_blocks import blocks_of

PAGE = Path(__file__).parents[2] / "docs" / "mcp.md"
BOUND = 60.0


def test_every_command_of_the_page_prints_what_the_page_says(tmp_path: Path) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    env = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "HOME": str(home),
        "INDUS_HOME": str(home),
        "LANG": "C.UTF-8",
    }
    work.mkdir()
    home.mkdir()
    ran = 0
    for block in blocks_of(PAGE):
        if block.file is not None:
            (work / block.file).write_text(block.text)
        elif block.info == "sh":
            done = subprocess.run(
                ["bash", "-ec", block.text],
                cwd=work, env=env, capture_output=True, text=True, timeout=BOUND, check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"line {block.line}: {done.stderr}"
            said = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", done.stdout)
            said = re.sub(r"(?m)^(SEQ  AT) +", r"\1    ", said)
            assert said.replace(str(work), "WORKSPACE") == block.output, f"line {block.line}"
            ran += 1
    assert ran >= 5


def test_the_page_names_every_file_and_every_key_of_a_row() -> None:
    text = PAGE.read_text()
    home = Path("/home/me")
    for place in mcp_places(Path("/work"), {"HOME": str(home)}):
        shown = str(place.path).replace(str(home), "~").removeprefix("/work/")
        assert f"`{shown}`" in text
    for key in (*_KNOWN, *_OF_OAUTH):
        assert f"`{key}`" in text


def test_the_page_says_the_bounds_that_count() -> None:
    text = PAGE.read_text()
    limits = FleetLimits()
    assert f"{DEFER_TOKENS:,} tokens" in text
    assert f"to start ({limits.startup_seconds:g})" in text
    assert f"a call ({limits.call_seconds:g})" in text
    for name in MCP_TOOLS:
        assert f"`{name}`" in text


def test_every_piece_of_configuration_on_the_page_is_accepted() -> None:
    for block in blocks_of(PAGE):
        if block.info == "toml":
            assert checked(block.text, f"line {block.line}")
