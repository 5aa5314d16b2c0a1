"""A program that dies at one stage of its work: whoever needed it is told, nobody else is held up;
and one that dies again and again is left alone."""

from __future__ import annotations

import pytest

from tests.addons.session.house import House, spoken
from tests.addons.session.misdeeds import (
    WRITE,
    denied,
    installed,
    left,
    program,
    turning,
    went_on,
)

_ENDED = "it ended with exit code 9"


def _dying(house: House, stage: str) -> None:
    installed(house, program(house, "stage", stage=stage))


@pytest.mark.parametrize("stage", ["session:start", "session:end", "chat:params"])
def test_who_only_listens_or_changes_is_passed_over(house: House, stage: str) -> None:
    _dying(house, stage)
    ran = went_on(house)
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    assert (house.work / "made.txt").read_text() == "x"
    assert f"user:bad: {_ENDED}" in ran.err


def test_a_call_whose_way_in_was_not_seen_to_is_blocked(house: House) -> None:
    _dying(house, "enter")
    ran = went_on(house)
    assert ran.code == 0, ran.err
    [reason] = denied(house)
    assert _ENDED in reason
    assert not (house.work / "made.txt").exists()


def test_a_result_that_was_not_seen_to_is_withheld(house: House) -> None:
    _dying(house, "exit")
    (house.work / "made.txt").write_text("the old content")
    ran = went_on(house)
    assert ran.code == 0, ran.err
    [result] = house.of("result")
    assert spoken(result).startswith("The result is withheld: ")
    assert (result["outcome"], result["by"]) == ("error", "user:bad")
    assert _ENDED in ran.err


def test_a_tool_that_dies_is_a_call_that_failed(house: House) -> None:
    _dying(house, "tool")
    ran = went_on(house, ("mend", {}))
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    [result] = house.of("result")
    assert result["outcome"] == "error"
    assert _ENDED in spoken(result)
    assert f"user:bad: {_ENDED}" in ran.err


def test_a_command_that_dies_is_told_to_whoever_typed_it(house: House) -> None:
    _dying(house, "command")
    ran = house.run("-p", "/mend now", "-m", house.script(""))
    assert ran.code == 1
    assert ran.out == ""
    assert "user:bad" in ran.err
    assert _ENDED in ran.err
    assert left(house) == []


def test_a_task_that_dies_is_told_and_nobody_waits_for_it(house: House) -> None:
    _dying(house, "task/start")
    ran = went_on(house)
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    assert f"user:bad: task watch: it failed: {_ENDED}" in ran.err


def test_who_dies_when_asked_to_end_has_ended(house: House) -> None:
    _dying(house, "shutdown")
    ran = went_on(house)
    assert (ran.code, ran.out, ran.complaints) == (0, "Done.\n", []), ran.err


def test_the_fourth_crash_disables_it_for_the_session_and_says_so(house: House) -> None:
    installed(house, program(house, "dies_in_call"))
    ran = went_on(house, *[WRITE] * 6)
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    reasons = denied(house)
    assert len(reasons) == 6
    assert ["is disabled" in reason for reason in reasons] == [False] * 4 + [True] * 2
    told = [line for line in ran.complaints if "it is disabled: it ended 4 times" in line]
    assert told
    assert "user:bad" in told[0]
    assert ran.err.count("user:bad: it ended with exit code 7") == 4
    ran = went_on(house)
    assert "is disabled" not in ran.err, "a new session begins anew"


def test_another_addon_beside_it_is_heard_as_ever(house: House) -> None:
    _dying(house, "session:start")
    house.addon(
        "calm",
        'id = "calm"\n[[gate]]\nevent = "tool:before"\nmatch-tool = "bash"\nreason = "not here"\n',
    )
    house.trust()
    ran = went_on(house, WRITE, ("bash", {"command": "rm made.txt"}))
    assert (ran.code, "user:bad" in ran.err) == (0, True), ran.err
    [result] = house.of("result", outcome="denied")
    assert (result["by"], "not here" in spoken(result)) == ("project:calm", True)
    assert (house.work / "made.txt").exists()


def test_what_an_addon_that_turned_registers_anew_never_counts(house: House) -> None:
    installed(house, turning(house, "changes"))
    ran = went_on(house, *[WRITE] * 2)
    assert ran.code == 0, ran.err
    assert len(denied(house)) == 2
    assert ran.err.count("user:bad: it registers something else than what was approved") == 1
