"""What an addon asks of the host, in each run mode: done, in the log, and seen in the requests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.addons.session.house import House, spoken
from tests.addons.session.walks import MODES, copied, driven, installed
from tests.fakes.anthropic_steps import call, say
from tests.requirements import requirement

BY = "user:actor"
ACTOR = Path(__file__).with_name("actor.py")
ALL = "granted send_message set_model set_thinking exec"
HANDLES = ["exec", "send_message", "set_model", "set_thinking"]
SENT = {"type": "text", "text": "sent by the actor"}
MORE = {"type": "text", "text": "one more word"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> House:
    return installed(tmp_path_factory.mktemp("handles") / "home", ACTOR)


@pytest.fixture
def house(home: House, tmp_path: Path) -> House:
    return copied(home, tmp_path / "house")


def _asked(body: dict[str, Any]) -> tuple[str, bool]:
    """With which model, and whether it thinks."""
    return body["model"], body.get("thinking", {}).get("type") == "enabled"


def _last(body: dict[str, Any]) -> list[dict[str, Any]]:
    """What the request says last, without the marks of its cache."""
    said = body["messages"][-1]["content"]
    return [{k: v for k, v in block.items() if k != "cache_control"} for block in said]


def _answered(entry: dict[str, Any]) -> None:
    done = json.loads(spoken(entry))
    assert done.pop("exec") == {"stdout": "said", "stderr": "wrong", "code": 3}
    assert done == {"granted": HANDLES, **dict.fromkeys(HANDLES[1:])}


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "delegate"])
@requirement(
    "addons.handles.send-message",
    "addons.handles.set-model",
    "addons.handles.set-thinking",
    "addons.handles.exec",
)
def test_a_message_is_read_in_the_turn_and_a_choice_counts_from_the_next_input(
    house: House, mode: str
) -> None:
    steps = [call("act", what=ALL), say("Any word?"), say("Done."), say("And on.")]
    told, bodies = driven(house, mode, "go on\nand on", steps)
    assert told.exit == 0, told.aside
    assert told.text.splitlines()[-1] == "And on."
    [result] = house.of("result")
    _answered(result)
    _, second, third, last = bodies
    assert _last(second)[-1] == SENT
    assert _last(third) == [MORE], "the turn does not end before it is read"
    assert [_asked(body) for body in bodies[:3]] == [("claude-sonnet-4-5", False)] * 3
    assert _asked(last) == ("claude-haiku-4-5", True)
    sent = [entry["text"] for entry in house.of("notice", by=BY)]
    assert sent == [SENT["text"], MORE["text"]]
    chosen = [(entry["point"], entry["reason"]) for entry in house.of("hook", by=BY)]
    assert ("set-model", "anthropic/claude-haiku-4-5") in chosen
    assert ("set-thinking", "low") in chosen
    assert house.replays()


@requirement("addons.handles.send-message")
def test_what_a_delegate_lets_an_addon_do_is_done_in_the_session_above_it(house: House) -> None:
    told, bodies = driven(house, "delegate", "go on", [call("act", what=ALL), say("Done.")])
    assert told.exit == 0, told.aside
    [delegate] = house.entries("delegate")
    [log] = [each for each in house.logs() if each.stem == delegate["session"]]
    [result] = house.entries("result", log)
    _answered(result)
    _, _, own, above = bodies
    assert SENT not in _last(own)
    assert _last(above)[-1] == SENT
    assert [_asked(body) for body in bodies] == [("claude-sonnet-4-5", False)] * 4
    assert {entry["point"] for entry in house.of("hook", by=BY)} >= {"set-model", "set-thinking"}
    assert house.entries("notice", log) == []
    assert house.replays()


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "delegate"])
@requirement("addons.command.user-only", "addons.handles.exec")
def test_a_command_that_a_person_types_has_the_same_handles(house: House, mode: str) -> None:
    told, bodies = driven(house, mode, "/act granted exec", [])
    assert (told.exit, bodies) == (0, []), told.aside
    done = json.loads(told.text.splitlines()[-1])
    assert done["granted"] == HANDLES
    assert done["exec"]["code"] == 3


def test_nobody_types_in_a_delegate(house: House) -> None:
    """What a session is sent for is no command."""
    told, bodies = driven(house, "delegate", "/act granted", [say("I read it.")])
    assert told.text.startswith("I read it.")
    assert _last(bodies[1]) == [{"type": "text", "text": "/act granted"}]


@pytest.mark.parametrize("mode", MODES)
@requirement("addons.handles.optional")
def test_what_was_not_granted_is_not_there(tmp_path: Path, mode: str) -> None:
    house = House(tmp_path)
    words = ("--grant", "contribute-tool(act)", "--grant", "send-message")
    assert house.run("addon", "install", str(ACTOR), *words).code == 0
    driven(house, mode, "go on", [call("act", what=ALL), say("Done.")])
    [result] = [e for log in house.logs() for e in house.entries("result", log) if e["by"] == BY]
    done = json.loads(spoken(result))
    assert (done["granted"], done["send_message"]) == (["send_message"], None)
    assert {done[name]["refused"] for name in HANDLES if name != "send_message"} == {"not-granted"}
