"""The page about going back: its commands run as written, its limits are the real ones."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from induscode.checkpoint import limits
from tests.cli.home import Home, answer
from tests.docs_blocks import blocks_of

PAGE = Path(__file__).parents[2] / "docs" / "rewind.md"


def test_every_command_of_the_page_runs_in_order_and_does_what_it_says(tmp_path: Path) -> None:
    home = Home(tmp_path)
    edit = ("write", {"path": "tides.py", "content": "def ebb(): ...\n"})
    script = home.script(answer("Doing it.", edit) + answer("Done.") + answer("Done."))
    home.config(f'model = "{script}"\n')
    (block,) = [block for block in blocks_of(PAGE) if block.info == "sh"]
    lines = [line for line in block.text.splitlines() if line.startswith("indus ")]
    assert len(lines) >= 7
    for line in lines:
        command = line.replace("indus ", f"{sys.executable} -m induscode ", 1)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=home.work, env=home.environ(), capture_output=True, text=True, timeout=60,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        if line.startswith("indus rewind last   "):
            assert not (home.work / "tides.py").exists()


def test_the_limits_on_the_page_are_the_ones_in_force() -> None:
    rows = dict(re.findall(r"^\| ([a-z].*?) \| (.*) \|$", PAGE.read_text(), re.MULTILINE))
    assert rows["one file"] == f"{limits.FILE_BYTES >> 20} MB"
    assert rows["all files that are held"] == f"{limits.HELD_BYTES >> 20} MB"
    assert rows["what one session keeps for good"] == f"{limits.SESSION_BYTES >> 20} MB"
    assert rows["the workspace"] == f"{limits.WORKSPACE_FILES:,} files"
    folder = rows["a folder of which git tracks nothing"]
    assert folder.startswith(f"{limits.FOLDER_FILES:,} files")
    assert {name for name in limits.LEFT_OUT if f"`{name}`" in folder} == limits.LEFT_OUT
