"""docs/skills.md, played from top to bottom in one workspace."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from induscode.briefing import SKILL_DESCRIPTION_LIMIT, SKILL_NAME_LIMIT, SkillOutcomeKind
from induscode.briefing.skill_file import SKILL_FILE_BYTES
from induscode.briefing.skill_listing import LISTING_CHARACTERS
from induscode.briefing.skill_rules import KNOWN_FRONTMATTER_KEYS, SKILL_COMPATIBILITY_LIMIT
from induscode.briefing.skill_walk import WALK_DEPTH
from tests.docs_blocks import blocks_of

PAGE = Path(__file__).parents[2] / "docs" / "skills.md"
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
            assert done.stdout == block.output, f"line {block.line}"
            ran += 1
    assert ran == 4


def test_the_page_names_every_key_every_outcome_and_every_limit() -> None:
    text = PAGE.read_text()
    for name in (*KNOWN_FRONTMATTER_KEYS, *SkillOutcomeKind):
        assert f"`{name}`" in text
    limits = (
        f"at most {SKILL_NAME_LIMIT} characters",
        f"at most {SKILL_DESCRIPTION_LIMIT} characters",
        f"at most {SKILL_COMPATIBILITY_LIMIT} characters",
        f"larger than {SKILL_FILE_BYTES // 1024} KB",
        f"holds {LISTING_CHARACTERS:,} characters",
        f"up to {WALK_DEPTH} deep",
    )
    for limit in limits:
        assert limit in text
