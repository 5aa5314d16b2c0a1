"""Programs that break the protocol, each installed and then met in a real session: it completes,
the gate denies, the person is told which addon did what, and nothing is left."""

from __future__ import annotations

import pytest

from tests.addons.session.house import House
from tests.addons.session.misdeeds import (
    denied,
    installed,
    left,
    program,
    turning,
    went_on,
)
from tests.requirements import requirement

AT_THE_LOOK = {
    "wrong_version": "version 2",
    "dies_at_once": "nothing to do here",
    "dies_at_handshake": "exit code 3",
    "unknown_event": "register.events",
    "refuses": "not today",
    "junk_first": "Welcome!",
}
IN_A_CALL = {
    "junk_later": "debug: looking",
    "deep_json": "no message",
    "half_text": "utf-8",
    "endless_line": "over 16777216 bytes",
    "flood": "over 2000 things in a second",
    "asks_without_reading": "messages wait",
    "closes_input": "closed its standard input",
    "closes_output": "closed its standard output",
    "answers_another": "never asked",
    "answers_in_words": "'2'",
    "dies_in_call": "the disk is gone",
    "long_story": "the disk is full",
    "kills_itself": "signal 9",
    "leaves_daemons": "exit code 0",
    "greedy": "Cannot allocate memory",
    "says_nothing": "it failed",
    "says_no_bool": "stop",
    "fails": "no idea",
}
LATER = {**AT_THE_LOOK, "changes": "registers something else than what was approved"}


@pytest.mark.parametrize("name", AT_THE_LOOK)
def test_one_that_cannot_even_introduce_itself_is_refused_at_the_look(
    house: House, name: str
) -> None:
    folder = program(house, name)
    ran = house.run("addon", "install", str(folder), "--yes")
    assert ran.code == 1
    [complaint] = ran.complaints
    assert complaint.startswith(f"indus: {folder / 'index.py'}: ")
    assert AT_THE_LOOK[name] in complaint
    assert "Traceback" not in ran.err
    assert not (house.indus / "addons.json").exists()
    assert left(house) == []


@requirement("addons.tier1.handler-fault")
@pytest.mark.parametrize("name", IN_A_CALL)
def test_one_that_goes_wrong_in_a_call_denies_it_and_the_session_completes(
    house: House, name: str
) -> None:
    installed(house, program(house, name))
    ran = went_on(house)
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    [reason] = denied(house)
    assert IN_A_CALL[name] in reason
    assert IN_A_CALL[name] in ran.err
    assert all("user:bad" in line for line in ran.complaints)
    assert not (house.work / "made.txt").exists()
    [hook] = house.of("hook")
    assert (hook["by"], hook["decision"]) == ("user:bad", "failed")


@pytest.mark.parametrize("name", LATER)
def test_one_that_was_well_behaved_at_the_look_is_caught_in_the_session(
    house: House, name: str
) -> None:
    installed(house, turning(house, name))
    ran = went_on(house)
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    [reason] = denied(house)
    assert LATER[name] in reason
    assert "user:bad" in ran.err
    assert not (house.work / "made.txt").exists()
