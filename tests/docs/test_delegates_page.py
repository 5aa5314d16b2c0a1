"""The page about delegates: its profile is one, its table is complete, its numbers are in force."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from induscode.capability_deck.agents.files import read_profile
from induscode.capability_deck.agents.profile import SubagentProfile
from induscode.crew.delegates.limits import ANSWER_CHARACTERS, AT_ONCE, MAX_DEPTH, SECONDS
from induscode.policy.modes import Mode
from tests.cli.home import Home, answer
from tests.docs_blocks import blocks_of

PAGE = Path(__file__).parents[2] / "docs" / "delegates.md"
TEXT = " ".join(PAGE.read_text().split())


def test_the_profile_on_the_page_is_read_as_it_stands() -> None:
    (block,) = [block for block in blocks_of(PAGE) if block.file]
    profile = read_profile(block.text.encode(), "reviewer.toml", "reviewer")
    assert (profile.name, profile.mode) == ("reviewer", Mode.PLAN)
    assert profile.tool_collection == ("read", "grep", "find", "bash")


def test_the_table_names_every_field() -> None:
    rows = re.findall(r"^\| (`[^|]*) \|", PAGE.read_text(), re.MULTILINE)
    named = set(re.findall(r"`(\w+)`", " ".join(rows)))
    assert named == set(SubagentProfile.__struct_fields__) - {"source", "without"}


def test_every_number_of_the_page_is_the_limit() -> None:
    for said in (
        f"at most {MAX_DEPTH} levels below",
        f"{SECONDS / 60:.0f} minutes",
        f"side by side, {AT_ONCE} at a time",
        f"up to {ANSWER_CHARACTERS:,} characters",
    ):
        assert said in TEXT


def test_every_command_of_the_page_runs(tmp_path: Path) -> None:
    home = Home(tmp_path)
    script = home.script(answer("", ("task", {"objective": "x"})) + answer("This is the answer."))
    reaction = '[[answer]]\non = "x"\ntext = "the answer"\n'
    (tmp_path / "script.toml").write_text((tmp_path / "script.toml").read_text() + reaction)
    assert home.run("-p", "go", "-m", script).code == 0
    lines = [
        shlex.split(line, comments=True)
        for block in blocks_of(PAGE)
        if block.info == "sh"
        for line in block.text.splitlines()
    ]
    assert len(lines) == 3
    for indus, *words in lines:
        assert indus == "indus"
        assert home.run(*words).code == 0
