"""docs/addons.md, played from top to bottom in one workspace."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from induscode.addons.discovery import ENTRY_EXTENSIONS, MANIFEST_FILENAME
from induscode.boot.addons.listing import AddonState
from induscode.policy.contents import MAX_FILES, MAX_PACKAGE_BYTES
from tests.docs_blocks import blocks_of

PAGE = Path(__file__).parents[2] / "docs" / "addons.md"
BOUND = 30.0


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
            (work / block.file).parent.mkdir(parents=True, exist_ok=True)
            (work / block.file).write_text(block.text)
        elif block.info == "sh":
            done = subprocess.run(
                ["bash", "-ec", block.text],
                cwd=work, env=env, capture_output=True, text=True, timeout=BOUND, check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"line {block.line}: {done.stderr}"
            said = re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", done.stdout)
            assert said == block.output, f"line {block.line}"
            ran += 1
    assert ran == 6


def test_the_page_names_every_state_and_every_limit() -> None:
    text = PAGE.read_text()
    for state in AddonState:
        assert f"| `{state}` |" in text
    for suffix in ENTRY_EXTENSIONS:
        assert suffix in text or suffix in {".tsx", ".mts", ".cts"}
    assert MANIFEST_FILENAME in text
    assert f"{MAX_FILES:,} files and {MAX_PACKAGE_BYTES // 1024 // 1024} MB" in text
