"""A feature's hooks in real sessions: bands, closed decisions, failure policies, the record."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from induscode.feature.diagnostic import FeatureDiagnostic
from induscode.feature.hook import FailurePolicy, HookBand
from induscode.feature.hook_views import (
    AmendRequest,
    Continue,
    DenyWithSyntheticError,
    EmitDiagnosticRecord,
    PublicPreRequestEvent,
    PublicPreToolCallEvent,
    PublicTurnStartEvent,
    ReplaceResult,
    RewriteArguments,
)
from induscode.feature.points import HookPoint
from induscode.kernel.events import Fault
from induscode.sdk import OwnFeature
from tests.channels.place import Place
from tests.features.sessions import (
    CALL,
    SAY,
    Hook,
    Weather,
    entries,
    hooked,
    opened,
    ran,
    weather,
    why,
)
from tests.requirements import requirement

CONDENSED = """
[[answer]]
usage = { input = 900000, output = 10 }
[[answer.call]]
name = "bash"
arguments = { command = "true" }
[[answer]]
on = "Condense this conversation."
text = "They talked."
[[answer]]
on = "They talked."
text = "Done."
"""


@requirement("feature.hook.deny-synthetic-error", "feature.hook.closed-decisions")
async def test_a_hook_that_denies_keeps_the_tool_from_running(place: Place) -> None:
    tool, hook = Weather(), Hook(DenyWithSyntheticError("not on Sundays"))
    await ran(place, CALL, weather(tool), hooked(hook))

    assert tool.ran == []
    (ended,) = entries(place, "result")
    assert (ended["outcome"], ended["by"]) == ("denied", "user:guard")
    assert ended["content"][0]["text"] == "Blocked by guard: not on Sundays"
    (note,) = entries(place, "hook")
    assert (note["point"], note["decision"], note["by"]) == ("pre-tool", "deny", "user:guard")


class Sluggish:
    async def on_pre_tool_call(self, event: object) -> Any:
        await asyncio.Event().wait()


class Bursting:
    def on_pre_tool_call(self, event: object) -> Any:
        raise RuntimeError("burst")


@requirement("feature.hook.no-raw-items")
@pytest.mark.parametrize(
    "hook",
    [Sluggish(), Bursting(), Hook([{"role": "user", "content": "hello"}]), Hook("yes"), Hook(None)],
    ids=["sluggish", "bursting", "messages", "text", "nothing"],
)
@pytest.mark.parametrize("policy", list(FailurePolicy))
async def test_a_hook_that_makes_no_decision_denies_or_is_passed_over_as_declared(
    place: Place, hook: Any, policy: FailurePolicy
) -> None:
    tool = Weather()
    guard = hooked(hook, failure=policy, seconds=0.2)
    _, events = await ran(place, CALL, weather(tool), guard)

    denied = policy is FailurePolicy.DENY
    assert bool(tool.ran) != denied
    assert [note["decision"] for note in entries(place, "hook")] == (["failed"] if denied else [])
    assert any(isinstance(e, Fault) and "hook guard" in e.message for e in events)


@requirement("feature.hook.permission-first")
async def test_no_hook_hears_of_a_call_that_the_host_denies(place: Place) -> None:
    tool, hook = Weather(), Hook(Continue())
    await ran(place, CALL, weather(tool), hooked(hook), deny=["weather"])

    assert (tool.ran, hook.seen) == ([], [])


@requirement("feature.hook.snapshots")
async def test_changing_what_a_hook_received_changes_nothing(place: Place) -> None:
    def meddle(event: PublicPreToolCallEvent) -> Continue:
        event.arguments["town"] = "Paris"
        with pytest.raises(AttributeError):
            event.tool = "bash"  # pyright: ignore[reportAttributeAccessIssue] that is the point
        return Continue()

    tool = Weather()
    await ran(place, CALL, weather(tool), hooked(Hook(meddle)))

    assert tool.ran == [{"town": "Cork"}]


async def test_rewritten_arguments_pass_the_gate_again_and_are_on_the_record(place: Place) -> None:
    tool = Weather()
    hook = Hook(RewriteArguments({"town": "Galway"}))
    await ran(place, CALL, weather(tool), hooked(hook))

    assert tool.ran == [{"town": "Galway"}]
    (intent,) = entries(place, "intent")
    assert (intent["rewritten_by"], intent["arguments"]) == ("user:guard", {"town": "Galway"})
    (note,) = entries(place, "hook")
    assert note["decision"] == "rewrite"
    assert note["before"] != note["after"]


async def test_a_rewrite_cannot_turn_an_allowed_call_into_a_denied_deed(place: Place) -> None:
    script = CALL.replace("weather", "bash").replace('town = "Cork"', 'command = "true"')
    hook = Hook(RewriteArguments({"command": "touch made.txt"}))
    await ran(place, script, hooked(hook), mode="plan", deny=[])

    assert not (place.workspace / "made.txt").exists()


@requirement("feature.hook.order-stable")
async def test_hooks_are_heard_in_bands_and_then_in_the_order_of_the_registry(
    place: Place,
) -> None:
    heard: list[str] = []

    def listening(name: str, band: HookBand) -> OwnFeature:
        def note(_: object) -> Continue:
            heard.append(name)
            return Continue()

        return hooked(Hook(note), name=name, band=band)

    features = [
        listening("last", HookBand.OBSERVER),
        listening("second", HookBand.NORMAL),
        listening("third", HookBand.NORMAL),
        listening("first", HookBand.GUARD),
    ]
    await ran(place, CALL, weather(Weather()), *features)

    assert heard == ["first", "second", "third", "last"]


@requirement("feature.hook.points")
async def test_each_point_is_heard_once_in_its_moment(place: Place) -> None:
    heard: list[str] = []

    def at(point: HookPoint) -> OwnFeature:
        def note(_: object) -> Any:
            heard.append(point)
            return Continue()

        return hooked(Hook(note), point, name=str(point))

    rewriting = (HookPoint.BEFORE_REWRITE, HookPoint.SUMMARY)
    points = [point for point in HookPoint if point not in rewriting]
    script = CALL.replace("weather", "bash").replace('town = "Cork"', 'command = "true"')
    await ran(place, script, *[at(point) for point in points])

    asking = ("pre-request", "request-parameters", "post-assistant")
    assert heard == [
        *("input-submit", "session-start", "turn-start", *asking),
        *("pre-tool-call", "shell-environment", "post-tool-call"),
        *(*asking, "turn-end", "session-end"),
    ]


@pytest.mark.parametrize("point", list(HookPoint))
async def test_a_diagnostic_is_accepted_at_every_point(place: Place, point: HookPoint) -> None:
    hook = Hook(EmitDiagnosticRecord(FeatureDiagnostic("seen")))
    result, _ = await ran(place, CONDENSED, hooked(hook, point))

    assert (result.exit, result.text) == (0, "Done.")
    assert hook.seen
    told = {(note["decision"], note["reason"], note["by"]) for note in entries(place, "hook")}
    # Before the first input is recorded there is no log to note it in.
    early = point is HookPoint.INPUT_SUBMIT
    assert told == (set() if early else {("diagnostic", "seen", "user:guard")})


async def test_a_turn_begins_with_its_input_on_disk_and_before_the_model_is_asked(
    place: Place,
) -> None:
    kinds: list[list[str]] = []

    def look(event: PublicTurnStartEvent) -> None:
        kinds.append([entry["type"] for entry in place.entries()])

    hook = Hook(look)
    result, _ = await ran(place, SAY, hooked(hook, HookPoint.TURN_START))

    (event,) = hook.seen
    assert (event.session, event.text, event.resumed) == (result.session, "go", False)
    assert "input" in kinds[0]
    assert "request" not in kinds[0]


async def test_a_turn_that_goes_on_begins_without_a_text(place: Place) -> None:
    hook = Hook(None)
    script = '[[answer]]\nfail = "key"\n' + SAY
    async with opened(place, script, hooked(hook, HookPoint.TURN_START)) as agent:
        assert (await agent.ask("go")).exit == 1
        async for _ in agent.go_on():
            pass

    assert [(event.text, event.resumed) for event in hook.seen] == [("go", False), ("", True)]


async def test_stopping_the_turn_stops_a_hook_of_a_feature_that_is_heard(place: Place) -> None:
    begun, stopped = asyncio.Event(), asyncio.Event()

    class Waiting:
        async def on_pre_tool_call(self, event: object) -> Any:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                stopped.set()

    tool = Weather()
    async with opened(place, CALL, weather(tool), hooked(Waiting())) as agent:
        turn = asyncio.ensure_future(agent.ask("go"))
        async with asyncio.timeout(10):
            await begun.wait()
            agent.cancel()
            assert (await turn).exit == 130
            await stopped.wait()

    assert tool.ran == []
    assert [entry["started"] for entry in entries(place, "interrupted")] == [False]


async def test_a_hook_after_a_call_is_told_how_the_call_itself_failed(place: Place) -> None:
    class Broken(Weather):
        async def execute(self, arguments: Any, context: Any) -> Any:
            raise RuntimeError("the vane is stuck")

    hook = Hook(Continue())
    await ran(place, CALL, weather(Broken()), hooked(hook, HookPoint.POST_TOOL_CALL))
    await ran(place, CALL, weather(Weather()), hooked(hook, HookPoint.POST_TOOL_CALL))

    failed, fine = hook.seen
    assert (failed.is_error, failed.error) == (True, "RuntimeError: the vane is stuck")
    assert (fine.is_error, fine.error, fine.text) == (False, None, "rain")


async def test_an_input_that_a_feature_stops_reaches_nobody(place: Place) -> None:
    hook = Hook(DenyWithSyntheticError("no swearing"))
    result, _ = await ran(place, SAY, hooked(hook, HookPoint.INPUT_SUBMIT))

    assert result.exit == 1
    assert place.logs() == []


async def test_a_request_that_a_feature_stops_is_not_sent(place: Place) -> None:
    hook = Hook(DenyWithSyntheticError("quota"))
    result, _ = await ran(place, SAY, hooked(hook, HookPoint.PRE_REQUEST))

    assert result.exit == 1
    assert entries(place, "request") == []
    assert [note["reason"] for note in entries(place, "hook")] == ["quota"]


async def test_an_amended_request_is_an_entry_and_replays(place: Place) -> None:
    def shorten(event: PublicPreRequestEvent) -> AmendRequest:
        entry = next(entry for entry, role, text in event.texts if role == "user" and "go" in text)
        return AmendRequest({entry: "go slowly"})

    await ran(place, SAY, hooked(Hook(shorten), HookPoint.PRE_REQUEST))

    (amendment,) = entries(place, "amendment")
    assert amendment["by"] == "user:guard"
    assert place.replays()
    assert "user:guard" in why(place, "go slowly")


async def test_a_diagnostic_of_a_hook_is_recorded_and_the_call_goes_on(place: Place) -> None:
    tool = Weather()
    hook = Hook(EmitDiagnosticRecord(FeatureDiagnostic("seen")))
    await ran(place, CALL, weather(tool), hooked(hook))

    assert len(tool.ran) == 1
    (note,) = entries(place, "hook")
    assert (note["decision"], note["reason"]) == ("diagnostic", "seen")


async def test_a_fork_that_a_feature_objects_to_never_has_a_turn(place: Place) -> None:
    first, _ = await ran(place, SAY)
    hook = Hook(lambda event: DenyWithSyntheticError(f"no {event.what}"))
    objecting = hooked(hook, HookPoint.BEFORE_REWRITE)
    result, events = await ran(place, SAY * 2, objecting, fork=first.session)

    assert result.exit == 1
    assert any(isinstance(e, Fault) and "stopped the fork" in e.message for e in events)
    forked = next(log for log in place.logs() if log.stem == result.session)
    kinds = [json.loads(line)["type"] for line in forked.read_text().splitlines()]
    assert (kinds.count("input"), kinds[-1]) == (1, "hook")
    assert [event.what for event in hook.seen] == ["fork"]


async def test_after_a_call_guards_come_first_and_observers_see_what_the_others_left(
    place: Place,
) -> None:
    heard: list[tuple[str, str]] = []

    def hook(name: str, band: HookBand, adds: str = "") -> OwnFeature:
        def answer(event: Any) -> Any:
            heard.append((name, event.text))
            return ReplaceResult(event.text + adds) if adds else Continue()

        return hooked(Hook(answer), HookPoint.POST_TOOL_CALL, name, band=band)

    await ran(
        place,
        CALL,
        weather(Weather()),
        hook("observer", HookBand.OBSERVER),
        hook("outer", HookBand.NORMAL, " outer"),
        hook("inner", HookBand.NORMAL, " inner"),
        hook("guard", HookBand.GUARD),
    )

    first = heard[0][1]
    assert heard == [
        ("guard", first),
        ("inner", first),
        ("outer", f"{first} inner"),
        ("observer", f"{first} inner outer"),
    ]
