"""Components that go wrong in a session: each is stopped and named, and what it guards is shut."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.addons.session.house import House, spoken
from tests.addons.session.misdeeds import (
    WRITE,
    component,
    denied,
    gate_at,
    installed,
    went_on,
)
from tests.addons.wasm.parts import GUARD, Misdeed
from tests.addons.wasm.parts import component as written
from tests.requirements import requirement

AS_A_GATE = {
    Misdeed.CHANGE: "a gate may not answer `transformed`",
    Misdeed.GROW: "out of memory",
    Misdeed.GROW_AT_ONCE: "out of memory",
    Misdeed.TRAP: "unreachable",
}


@pytest.mark.parametrize("misdeed", AS_A_GATE, ids=lambda one: one.name.lower())
def test_a_component_that_goes_wrong_as_a_gate_denies_and_the_session_completes(
    house: House, misdeed: Misdeed
) -> None:
    installed(house, component(house, events=gate_at(misdeed)))
    ran = went_on(house)
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    [reason] = denied(house)
    assert AS_A_GATE[misdeed] in reason
    assert "user:bad: " in ran.err
    assert AS_A_GATE[misdeed] in ran.err
    assert not (house.work / "made.txt").exists()
    [hook] = house.of("hook")
    assert (hook["by"], hook["decision"]) == ("user:bad", "failed")


def test_arguments_that_are_none_block_the_call(house: House) -> None:
    installed(house, component(house, interceptors=[{"enter": True}]))
    ran = went_on(house)
    assert ran.code == 0, ran.err
    [reason] = denied(house)
    assert "expected a JSON object" in reason
    assert not (house.work / "made.txt").exists()


def test_a_result_that_is_none_withholds_the_one_there_was(house: House) -> None:
    installed(house, component(house, interceptors=[{"exit": True}]))
    ran = went_on(house)
    assert ran.code == 0, ran.err
    [result] = house.of("result")
    assert spoken(result).startswith("The result is withheld: ")
    assert result["by"] == "user:bad"


def test_the_fourth_trap_disables_it_for_the_session_and_says_so(house: House) -> None:
    installed(house, component(house, events=gate_at(Misdeed.TRAP)))
    ran = went_on(house, *[WRITE] * 6)
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    reasons = denied(house)
    assert ["is disabled" in reason for reason in reasons] == [False] * 4 + [True] * 2
    assert any("user:bad: it is disabled" in line for line in ran.complaints)


def test_what_a_component_was_not_granted_it_cannot_call(house: House) -> None:
    place = house.root / "bad.wasm"
    place.write_bytes(GUARD.read_bytes().replace(b'"send-message"', b'"emit-alert"  '))
    installed(house, place)
    ran = house.run("-p", "/greet Ada", "-m", house.script(""))
    assert ran.code == 1
    why = "/greet: it called send-message, which it was not granted"
    assert f"indus: /greet of user:guard failed: {why}; grant it send-message" in ran.err
    assert house.logs() == []


@requirement("addons.tier2.no-ambient-wasi")
def test_a_component_that_wants_more_than_its_world_is_not_installed(house: House) -> None:
    text = '(import "wasi:cli/environment@0.2.0" (instance))'
    place = written(house.root / "bad.wasm", text)
    _refused(house, place, "wasi:cli/environment@0.2.0")


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"", "component"), (b"\0asm\1\0\0\0", "component"), (b"MZ" * 500, "component")],
    ids=["empty", "a module", "another format"],
)
def test_a_file_that_is_no_component_is_not_installed(house: House, data: bytes, said: str) -> None:
    place = house.root / "bad.wasm"
    place.write_bytes(data)
    _refused(house, place, said)


def _refused(house: House, place: Path, said: str) -> None:
    ran = house.run("addon", "install", str(place), "--yes")
    assert ran.code == 1
    [complaint] = ran.complaints
    assert f"{place}: " in complaint
    assert said in complaint
    assert not (house.indus / "addons.json").exists()
