"""Handlers that raise, hang or answer nonsense: told, attributed, and closed where it counts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from induscode.addons.contract import (
    AddonFault,
    AddonFaultKind,
    Gate,
    HookEvent,
    Observe,
    Payload,
    ToolPayload,
    Transform,
)
from induscode.addons.dispatch import subscription
from induscode.errors import BudgetEnded, Cancelled, LogDown
from tests.addons.library.parts import ONE, TWO, dispatcher, raising, transform
from tests.requirements import requirement

TOOL = HookEvent.TOOL_BEFORE
PAYLOAD = ToolPayload("bash", {"command": "ls"})


@pytest.fixture
def faults() -> list[AddonFault]:
    return []


async def forever(payload: Payload) -> Any:
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (raising(RuntimeError("boom")), "it failed: RuntimeError('boom')"),
        (raising(asyncio.CancelledError()), "it was cancelled"),
        (forever, "it did not answer within 0.05 s"),
        (lambda payload: None, "it failed: TypeError"),
    ],
)
@pytest.mark.parametrize("kind", [Observe, Transform, Gate])
@requirement("addons.faults-routed-not-raised")
async def test_a_handler_that_fails_is_told_with_its_addon_and_only_a_gate_stops(
    kind, run, reason, faults
) -> None:
    seen: list[Payload] = []

    async def watch(payload: Payload) -> None:
        seen.append(payload)

    made = dispatcher(
        subscription(ONE, TOOL, kind(run)),
        subscription(TWO, TOOL, Observe(watch)),
        faults=faults,
        seconds=0.05,
    )
    outcome = await made.dispatch(TOOL, PAYLOAD)
    assert outcome.payload == PAYLOAD
    (fault,) = faults
    assert (fault.kind, fault.addon) == (AddonFaultKind.HANDLER, ONE)
    assert fault.message.startswith(f"the {kind.kind} handler at tool:before: {reason}")
    if kind is Gate:
        assert outcome.gate is not None
        assert (outcome.gate.stop, outcome.gate.how, outcome.by) == (True, "failed", ONE)
        assert outcome.gate.reason.startswith(reason)
        assert seen == []
    else:
        assert outcome.gate is None
        assert seen == [PAYLOAD]


async def test_the_error_behind_a_fault_is_its_cause(faults) -> None:
    error = ValueError("why")
    made = dispatcher(subscription(ONE, TOOL, Observe(raising(error))), faults=faults)
    await made.dispatch(TOOL, PAYLOAD)
    assert faults[0].cause is error


class NoDecision:
    stop = False
    reason = "looks like one"


@pytest.mark.parametrize("answer", [None, True, "stop", {"stop": False}, NoDecision()])
async def test_a_gate_that_answers_no_decision_stops(answer, faults) -> None:
    made = dispatcher(
        subscription(ONE, TOOL, Gate(transform(lambda _: answer).run)),
        faults=faults,
    )
    outcome = await made.dispatch(TOOL, PAYLOAD)
    assert outcome.gate is not None
    assert (outcome.gate.stop, outcome.gate.how) == (True, "failed")
    assert "which is no decision" in faults[0].message


async def test_a_transform_that_changes_its_copy_and_then_fails_changed_nothing(faults) -> None:
    def spoil(payload: ToolPayload) -> Any:
        payload.args["command"] = "rm"
        raise RuntimeError("after the deed")

    made = dispatcher(subscription(ONE, TOOL, transform(spoil)), faults=faults)
    outcome = await made.dispatch(TOOL, PAYLOAD)
    assert outcome.payload == ToolPayload("bash", {"command": "ls"})


@pytest.mark.parametrize("kind", [Observe, Transform, Gate])
async def test_cancelling_whoever_dispatches_passes_through_and_ends_the_handler(
    kind, faults
) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def wait(payload: Payload) -> Any:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    made = dispatcher(subscription(ONE, TOOL, kind(wait)), faults=faults)
    task = asyncio.create_task(made.dispatch(TOOL, PAYLOAD))
    await asyncio.wait_for(begun.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(ended.wait(), 5)
    assert faults == []


@pytest.mark.parametrize("kind", [Observe, Transform, Gate])
@pytest.mark.parametrize("error", [Cancelled("stop"), BudgetEnded("spent"), LogDown("full")])
async def test_errors_of_the_host_pass_through_an_addon(kind, error, faults) -> None:
    made = dispatcher(subscription(ONE, TOOL, kind(raising(error))), faults=faults)
    with pytest.raises(type(error)):
        await made.dispatch(TOOL, PAYLOAD)
    assert faults == []


async def test_a_handler_that_does_not_listen_to_its_deadline_holds_up_nobody(faults) -> None:
    release = asyncio.Event()

    async def stubborn(payload: Payload) -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    made = dispatcher(subscription(ONE, TOOL, Observe(stubborn)), faults=faults, seconds=0.05)
    outcome = await asyncio.wait_for(made.dispatch(TOOL, PAYLOAD), 5)
    release.set()
    assert outcome.gate is None
    assert "did not answer" in faults[0].message


async def test_an_error_that_cannot_say_itself_is_still_told(faults) -> None:
    class Mute(Exception):
        def __repr__(self) -> str:
            raise RuntimeError("not even this")

        __str__ = __repr__

    made = dispatcher(subscription(ONE, TOOL, Gate(raising(Mute()))), faults=faults)
    outcome = await made.dispatch(TOOL, PAYLOAD)
    assert outcome.gate is not None
    assert "Mute" in faults[0].message
