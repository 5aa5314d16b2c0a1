"""Gates in each run mode: three events heed them, at the others they are reported and no more."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.addons.session.house import House
from tests.addons.session.walks import MODES, Told, copied, driven, installed
from tests.fakes.anthropic_steps import calls, say
from tests.requirements import requirement

BY = "user:gatekeeper"
FULL = {"input": 190_000}
STEPS = (
    calls(
        ("bash", {"command": "touch forbidden"}), ("bash", {"command": "echo allowed"}), usage=FULL
    ),
    calls(("bash", {"command": "echo again"}), usage=FULL),
    say("A summary."),
    say("The end."),
)
UNHEEDED = {
    "session:start": ("session-start", 1),
    "turn:start": ("turn-start", 1),
    "context:build": ("pre-request", 3),
    "chat:params": ("request-parameters", 3),
    "chat:message": ("post-assistant", 3),
    "shell:env": ("shell-environment", 2),
    "tool:after": ("post-tool", 2),
    "compact:build": ("summary", 1),
    "turn:end": ("turn-end", 1),
    "session:end": ("session-end", 1),
}
"""The point of each in the log, and how often it is reported."""

Gated = tuple[House, Told, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> House:
    root = tmp_path_factory.mktemp("gates")
    return installed(root / "home", Path(__file__).with_name("gatekeeper.py"))


@pytest.fixture(scope="module")
def gated(home: House) -> Callable[[str], Gated]:
    """One session of each mode, done once."""
    done: dict[str, Gated] = {}

    def of(mode: str) -> Gated:
        if mode not in done:
            house = copied(home, home.root.parent / mode)
            done[mode] = (house, *driven(house, mode, "go on", STEPS))
        return done[mode]

    return of


def _log(house: House) -> list[dict[str, Any]]:
    """Of a delegate where there is one, else of the session."""
    delegates = [entry["session"] for entry in house.entries("delegate")]
    [log] = [each for each in house.logs() if each.stem in delegates] or house.logs()
    return house.entries(log=log)


def _said(body: dict[str, Any]) -> str:
    return json.dumps(body["messages"])


@pytest.mark.parametrize("mode", MODES)
@requirement("addons.gate.other-events-reported-only")
def test_where_no_gate_is_heeded_it_is_reported_and_everything_goes_on(
    gated: Callable[[str], Gated], mode: str
) -> None:
    house, told, bodies = gated(mode)
    assert told.text.splitlines()[-1 if mode == "plain" else 0] == "The end."
    assert told.exit == 0
    assert len(bodies) == len(STEPS) + (2 if mode == "delegate" else 0)
    said = {
        (point, f"a gate at {event} said stop, which nothing heeds there: no {event} here"): times
        for event, (point, times) in UNHEEDED.items()
    }
    reported = [
        (entry["point"], entry["reason"])
        for entry in _log(house)
        if entry["type"] == "hook" and entry["decision"] == "diagnostic"
    ]
    assert Counter(reported) == said
    assert house.replays()


@pytest.mark.parametrize("mode", MODES)
@requirement("addons.gate.tool-before-blocks")
def test_a_gate_before_a_call_keeps_the_tool_from_running_and_the_model_reads_why(
    gated: Callable[[str], Gated], mode: str
) -> None:
    house, _, bodies = gated(mode)
    assert not (house.work / "forbidden").exists()
    blocked = [body for body in bodies if "Blocked by gatekeeper: no tool:before" in _said(body)]
    assert blocked
    outcomes = [entry["outcome"] for entry in _log(house) if entry["type"] == "result"]
    assert outcomes == ["denied", "ok", "ok"]


@pytest.mark.parametrize("mode", MODES)
@requirement("addons.gate.compact-before-blocks")
def test_a_gate_before_condensing_keeps_the_transcript_as_it_is(
    gated: Callable[[str], Gated], mode: str
) -> None:
    house, _, bodies = gated(mode)
    decided = [
        (e["decision"], e["reason"]) for e in _log(house) if e.get("point") == "before-rewrite"
    ]
    assert decided == [("deny", "no compact:before here")]
    own = bodies[1:-1] if mode == "delegate" else bodies
    assert ["Condense this" in _said(body) for body in own] == [False, False, True, False]
    assert "echo allowed" in _said(own[1])


@pytest.mark.parametrize("mode", MODES)
@requirement("addons.gate.input-submit-blocks")
def test_a_gate_before_an_input_keeps_it_from_the_model_and_the_reason_is_told(
    home: House, tmp_path: Path, mode: str
) -> None:
    house = copied(home, tmp_path / "stopped")
    told, bodies = driven(house, mode, "a stopword", [])
    why = f"the input was stopped by {BY}: no input:submit here"
    if mode == "delegate":
        assert told.text.startswith(f"The delegate failed: {why}.")
        assert len(bodies) == 2, "those of the session that sent it"
    else:
        assert (told.exit, bodies, house.logs()) == (1, [], []), "no session begins with it"
        assert why in told.aside
