"""docs/trust.md, played from top to bottom in one workspace."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from induscode.policy.belongings import CONTEXT_NAMES, Kind
from tests.docs_blocks import blocks_of

PAGE = Path(__file__).parents[2] / "docs" / "trust.md"
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
            (work / block.file).parent.mkdir(exist_ok=True)
            (work / block.file).write_text(block.text)
        elif block.info == "sh":
            done = subprocess.run(
                ["bash", "-ec", block.text],
                cwd=work, env=env, capture_output=True, text=True, timeout=BOUND, check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"line {block.line}: {done.stderr}"
            said = re.sub(r"since \S+", "since TIME", done.stdout)
            assert said.replace(str(work), "WORKSPACE") == block.output, f"line {block.line}"
            ran += 1
    assert ran >= 5


def test_the_page_names_every_kind_and_every_context_document() -> None:
    text = PAGE.read_text()
    for name in CONTEXT_NAMES:
        assert f"`{name}`" in text
    for kind in Kind:
        assert kind.value.lower() in text.lower()
