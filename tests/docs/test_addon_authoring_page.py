"""docs/addon-authoring.md, played from top to bottom in one workspace."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from induscode.feature.capability import parse_capability
from tests.cli.home import Home
from tests.docs_blocks import blocks_of
from tests.requirements import requirement

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "addon-authoring.md"
EXAMPLES = ROOT / "examples" / "addons"
BOUND = 60.0


@requirement("addons.tier1.subprocess")
def test_every_addon_of_the_page_passes_and_every_command_prints_what_it_says(
    tmp_path: Path,
) -> None:
    for program in ("node", "perl"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} on this machine")
    home = Home(tmp_path)
    shutil.copy(EXAMPLES / "safety" / "safety.wasm", home.work)
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = 0
    for block in blocks_of(PAGE):
        if block.file is not None:
            file = home.work / block.file
            file.parent.mkdir(exist_ok=True)
            file.write_text(block.text)
            file.chmod(0o755 if file.suffix in (".sh", ".pl") else 0o644)
        elif block.info == "sh":
            done = subprocess.run(
                ["bash", "-ec", block.text],
                cwd=home.work,
                env=home.environ() | {"PATH": beside},
                capture_output=True,
                text=True,
                timeout=BOUND,
                check=False,
            )
            assert done.returncode == 0, f"line {block.line}: {done.stdout}{done.stderr}"
            assert done.stdout == block.output, f"line {block.line}: {done.stderr}"
            ran += 1
    assert ran == 6


def test_what_the_page_shows_of_an_example_is_in_it() -> None:
    shown = [block for block in blocks_of(PAGE) if "example=" in block.info]
    assert len(shown) == 3
    for block in shown:
        source = EXAMPLES / block.info.partition("example=")[2]
        assert block.text in source.read_text(), f"line {block.line}"


def test_the_capabilities_of_the_page_are_capabilities() -> None:
    table = PAGE.read_text().partition("| capability | for |")[2].partition("\n\n")[0]
    names = re.findall(r"`([a-z-]+(?:\([^)]*\))?)`", "\n".join(_firsts(table)))
    assert len(names) >= 10
    for name in names:
        parse_capability(name)


def _firsts(table: str) -> list[str]:
    return [line.split("|")[1] for line in table.splitlines() if line.count("|") > 1]
