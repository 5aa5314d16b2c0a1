"""Asking without a deadline: who asks has one, and nothing but the call itself is paid for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from induscode.addons.asking import Failed, ask
from induscode.addons.contract import (
    AddonFault,
    AnyTool,
    Continue,
    Gate,
    GateDecision,
    HookEvent,
    Payload,
    ToolEnterContext,
    ToolExitContext,
    ToolPayload,
)
from induscode.addons.dispatch import InterceptorChain, interceptor, subscription
from induscode.errors import BudgetEnded, Cancelled, LogDown
from induscode.kernel.tool import ToolResult
from tests.addons.library.parts import ONE, dispatcher, raising

TOOL = HookEvent.TOOL_BEFORE


@pytest.fixture
def faults() -> list[AddonFault]:
    return []


async def test_a_handler_and_a_stage_run_in_the_task_of_whoever_asks(faults) -> None:
    tasks: list[object] = []

    async def decide(payload: Payload) -> GateDecision:
        tasks.append(asyncio.current_task())
        return GateDecision(stop=False)

    async def stage(context: object) -> Continue:
        tasks.append(asyncio.current_task())
        return Continue()

    made = dispatcher(subscription(ONE, TOOL, Gate(decide)), faults=faults, seconds=None)
    chain = InterceptorChain([interceptor(ONE, AnyTool(), stage, stage)], seconds=None)
    await made.dispatch(TOOL, ToolPayload("bash", {}))
    await chain.enter(ToolEnterContext("bash", "1", {}))
    await chain.leave(ToolExitContext("bash", "1", {}, ToolResult.text("x")))

    assert tasks == [asyncio.current_task()] * 3


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (raising(ValueError("boom")), "it failed: ValueError('boom')"),
        (raising(asyncio.CancelledError()), "it was cancelled"),
        (lambda: None, "it failed: TypeError"),
    ],
)
async def test_a_failure_is_the_addons_with_and_without_a_deadline(work, reason) -> None:
    for seconds in (None, 5.0):
        answer = await ask(work, seconds)
        assert isinstance(answer, Failed)
        assert answer.reason.startswith(reason)


@pytest.mark.parametrize("error", [Cancelled("stop"), BudgetEnded("spent"), LogDown("full")])
async def test_errors_of_the_host_pass_through(error: Exception) -> None:
    with pytest.raises(type(error)):
        await ask(raising(error), None)


async def test_cancelling_whoever_asks_passes_through_and_reaches_the_handler() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def wait() -> Any:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    asking = asyncio.create_task(ask(wait, None))
    await asyncio.wait_for(begun.wait(), 5)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert ended.is_set()
