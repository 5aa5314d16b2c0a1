"""What a program would want to read, it can have as JSON."""

from __future__ import annotations

import json

import pytest

from induscode.boot.main import COMMANDS
from tests.cli.home import Home, answer
from tests.requirements import requirement

FOR_PROGRAMS = {
    "sessions": (),
    "replay": ("last",),
    "why": ("last",),
    "context": ("last",),
    "rewind": ("last", "--dry-run"),
    "skills": (),
    "models": (),
    "config": ("get",),
    "trust": (),
    "grants": (),
    "feature": (),
    "mcp": (),
    "addon": (),
    "doctor": (),
}
# `fork` prints one id and nothing else; the others are for a person at a terminal.
FOR_PEOPLE = {"fork", "login", "logout", "local", "demo"}


def test_every_command_is_for_programs_or_for_people() -> None:
    assert FOR_PROGRAMS.keys() | FOR_PEOPLE == set(COMMANDS)
    assert not FOR_PROGRAMS.keys() & FOR_PEOPLE


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("told"))
    assert home.run("-p", "hi", "-m", home.script(answer("Hello."))).code == 0
    addon = home.root / "empty" / "manifest.toml"
    addon.parent.mkdir()
    addon.write_text('id = "empty"\n')
    assert home.run("addon", "install", str(addon.parent), "--yes").code == 0
    return home


@requirement("cli.command.json")
@pytest.mark.parametrize("command", FOR_PROGRAMS)
def test_with_json_a_command_prints_one_valid_value_and_nothing_else(
    told: Home, command: str
) -> None:
    ran = told.run(command, *FOR_PROGRAMS[command], "--json")
    assert ran.code == 0, ran.err
    assert ran.err == ""
    assert json.loads(ran.out), "there is something to say here"
