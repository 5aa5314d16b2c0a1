"""Bad addons that keep a session waiting: programs that do not answer, components that do not end.
They are met side by side, in a session and a home each, since most of what they do is nothing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from msgspec import Struct

from tests.addons.session.house import House, spoken
from tests.addons.session.misdeeds import (
    WRITE,
    component,
    denied,
    gate_at,
    installed,
    left,
    program,
    turning,
    went_on,
)
from tests.addons.wasm.parts import Misdeed
from tests.cli.home import Ran
from tests.requirements import requirement

UNANSWERED = "did not answer within 30 s"
PROGRAMS = ("hangs", "stops", "loops", "forks", "unread", "late")
TURNING = "silent"
ENDLESS = "endless"
SPINNING = "spinning"


class Met(Struct, frozen=True):
    house: House
    ran: Ran


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Met]]]:
    def one(name: str) -> Met:
        house = House(tmp_path_factory.mktemp(name))
        calls = (WRITE,)
        if name == ENDLESS:
            installed(house, component(house, events=gate_at(Misdeed.LOOP)))
        elif name == SPINNING:
            schema = {"type": "object"}
            tool = {"name": "spin", "description": "Spins.", "parameters": schema}
            installed(house, component(house, tools=[tool]))
            calls = (("spin", {}),)
        else:
            place = turning(house, name) if name == TURNING else program(house, name)
            installed(house, place)
        return Met(house, went_on(house, *calls))

    with ThreadPoolExecutor(len(PROGRAMS) + 3) as pool:
        yield {name: pool.submit(one, name) for name in (*PROGRAMS, TURNING, ENDLESS, SPINNING)}


@pytest.mark.usefixtures("met")
def test_a_program_that_never_introduces_itself_is_not_installed(house: House) -> None:
    ran = house.run("addon", "install", str(program(house, "silent")), "--yes")
    assert ran.code == 1
    assert "index.py: it did not answer initialize within 10 s" in ran.err
    assert not (house.indus / "addons.json").exists()
    assert left(house) == []


@pytest.mark.usefixtures("met")
@pytest.mark.parametrize("name", ["deaf", "screams"])
def test_one_that_does_its_work_but_does_not_want_to_end_is_ended(house: House, name: str) -> None:
    installed(house, program(house, name))
    ran = went_on(house)
    assert (ran.code, ran.out, ran.complaints) == (0, "Done.\n", []), ran.err
    assert (house.work / "made.txt").exists()


@requirement("addons.sandbox.timeout-enforced")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_does_not_answer_in_time_denies(
    met: dict[str, Future[Met]], name: str
) -> None:
    house, ran = _of(met, name)
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    [reason] = denied(house)
    assert UNANSWERED in reason
    assert f"user:bad: hook tool:before gate: it {UNANSWERED}" in ran.err
    assert not (house.work / "made.txt").exists()


def test_a_program_that_is_silent_in_the_session_is_given_up(met: dict[str, Future[Met]]) -> None:
    house, ran = _of(met, TURNING)
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    [reason] = denied(house)
    assert "did not answer initialize within 10 s" in reason
    assert "user:bad: it did not answer initialize within 10 s" in ran.err


def test_a_component_that_loops_as_a_gate_denies(met: dict[str, Future[Met]]) -> None:
    house, ran = _of(met, ENDLESS)
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    [reason] = denied(house)
    assert "out of time" in reason or "out of fuel" in reason
    assert "user:bad: " in ran.err
    assert not (house.work / "made.txt").exists()


def test_a_tool_of_a_component_that_loops_has_failed(met: dict[str, Future[Met]]) -> None:
    house, ran = _of(met, SPINNING)
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    [result] = house.of("result")
    assert result["outcome"] == "error"
    assert "out of time" in spoken(result) or "out of fuel" in spoken(result)


def _of(met: dict[str, Future[Met]], name: str) -> tuple[House, Ran]:
    done = met[name].result(timeout=150)
    return done.house, done.ran
