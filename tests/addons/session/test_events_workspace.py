"""A program of a trusted workspace in each run mode, and sessions that go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.addons.session.house import House
from tests.addons.session.walks import MODES, copied, driven, heard, installed
from tests.fakes.anthropic_steps import call, say
from tests.requirements import requirement

HERE = Path(__file__).parent
BY = "project:wrapper"


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A workspace whose addon was looked at, trusted and granted what it contributes."""
    house = House(tmp_path_factory.mktemp("workspace"))
    house.addon("wrapper.py", (HERE / "wrapper.py").read_text(), file="")
    house.trust()
    plan = house.run("addon", "plan", ".indus/addons/wrapper.py", "--json")
    assert plan.code == 0, plan.err
    asked = [one["capability"] for one in json.loads(plan.out)["requests"]]
    given = house.run("grants", "give", BY, *asked)
    assert given.code == 0, given.err
    return house


@pytest.mark.parametrize("mode", MODES)
def test_its_hooks_interceptors_and_tools_take_effect(trusted: House, mode: str) -> None:
    before = set(trusted.logs())
    told, bodies = driven(trusted, mode, "a draft-word", [call("measure"), say("Done.")])
    assert told.exit == 0, told.aside
    own = bodies[1:-1] if mode == "delegate" else bodies
    first, second = (json.dumps(body["messages"]) for body in own)
    assert "a final-word" in first
    assert "draft-word" not in first
    assert "it fits" in second
    assert "[around measure: the same arguments]" in second
    assert any(tool["name"] == "measure" for tool in own[0]["tools"])
    new = [trusted.entries(log=log) for log in trusted.logs() if log not in before]
    results = [e for entries in new for e in entries if e.get("tool") == "measure"]
    assert [(entry["type"], entry["by"]) for entry in results] == [("intent", BY), ("result", BY)]
    assert trusted.replays()


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "delegate"])
@requirement("addons.command.user-only")
def test_its_command_is_there_for_the_person(trusted: House, mode: str) -> None:
    told, bodies = driven(trusted, mode, "/measure cloth", [])
    assert (told.exit, told.text, bodies) == (0, "cloth fits", []), told.aside


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> House:
    return installed(tmp_path_factory.mktemp("going-on") / "home", HERE / "witness.py")


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "delegate"])
@requirement("addons.events.session", "addons.events.turn")
def test_a_session_begins_and_ends_with_its_process_and_a_turn_with_each_input(
    home: House, tmp_path: Path, mode: str
) -> None:
    house = copied(home, tmp_path / "house")
    told, _ = driven(house, mode, "one\ntwo", [say("One."), say("Two.")])
    assert told.exit == 0, told.aside
    [log] = house.logs()
    lives = [(e, p) for e, p in heard(house) if e.startswith(("session:", "turn:"))]
    assert {payload["session"] for _, payload in lives} == {log.stem}
    turns = [
        ("turn:start", "one"),
        ("turn:end", "One."),
        ("turn:start", "two"),
        ("turn:end", "Two."),
    ]
    between = [("session:end", ""), ("session:start", "")] if mode in ("print", "json") else []
    assert [(event, payload["text"]) for event, payload in lives] == [
        *(("session:start", ""), *turns[:2], *between, *turns[2:], ("session:end", "")),
    ]


@requirement("addons.events.compact-before", "addons.events.compact-build")
def test_condensing_that_a_person_asks_for_is_heard_of_and_vetoed_alike(
    home: House, tmp_path: Path
) -> None:
    house = copied(home, tmp_path / "house")
    steps = [say("One."), say("Condensed: a raw-word."), say("Two.")]
    told, bodies = driven(house, "plain", "one\n/compact\n/compact\ntwo", steps)
    assert told.exit == 0, told.aside
    asked = {"type": "compact", "reason": "asked for", "summary": ""}
    assert [payload for event, payload in heard(house) if event == "compact:before"] == [asked] * 2
    assert "deny: not yet" in told.aside
    assert "Condensed: a fine-word." in json.dumps(bodies[2]["messages"])
    assert house.replays()
