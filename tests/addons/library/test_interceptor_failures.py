"""Stages that fail, fail closed; a call that fails is a result the stages still see."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from induscode.addons.contract import (
    AddonFault,
    AddonFaultKind,
    AnyTool,
    Block,
    Continue,
    RewriteArguments,
    RewriteResult,
    ToolEnterContext,
    ToolExitContext,
)
from induscode.addons.dispatch import InterceptorChain, interceptor
from induscode.errors import Cancelled, LogDown
from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolResult
from tests.addons.library.parts import ONE, TWO, heard, raising
from tests.requirements import requirement

CONTEXT = ToolEnterContext("bash", "call-1", {"command": "ls"})


@pytest.fixture
def faults() -> list[AddonFault]:
    return []


def answering(answer: object) -> Any:
    async def stage(context: object) -> object:
        return answer

    return stage


async def forever(context: object) -> Any:
    await asyncio.Event().wait()


BAD_ENTERS: dict[str, Any] = {
    "raises": raising(RuntimeError("boom")),
    "hangs": forever,
    "nothing": answering(None),
    "data": answering({"args": {}}),
    "list": answering(RewriteArguments(["no", "object"])),
    "infinite": answering(RewriteArguments({"x": float("inf")})),
    "object": answering(RewriteArguments({"x": object()})),
    "no decision": answering(Block("no")),
    "wrong end": answering(RewriteResult(ToolResult.text("x"))),
}
BAD_EXITS: dict[str, Any] = {
    "raises": raising(RuntimeError("boom")),
    "hangs": forever,
    "nothing": answering(None),
    "text": answering("clean"),
    "no result": answering(RewriteResult("text")),
    "no blocks": answering(RewriteResult(ToolResult(content=("bare",)))),
    "wrong end": answering(RewriteArguments({})),
}


@pytest.mark.parametrize("stage", BAD_ENTERS.values(), ids=BAD_ENTERS)
async def test_an_enter_stage_that_fails_blocks_the_call(stage, faults) -> None:
    calls: list[object] = []

    async def tool(args: dict[str, Any]) -> ToolResult:
        calls.append(args)
        return ToolResult.text("ran")

    chain = InterceptorChain(
        [interceptor(ONE, AnyTool(), stage)], faults=heard(faults), seconds=0.05
    )
    outcome = await chain.run(CONTEXT, tool)
    assert calls == []
    assert outcome.result is None
    assert outcome.blocked is not None
    assert (outcome.blocked.stop, outcome.blocked.how, outcome.by) == (True, "failed", ONE)
    assert [(fault.kind, fault.addon) for fault in faults] == [(AddonFaultKind.HANDLER, ONE)]
    assert faults[0].message.startswith("the enter stage at bash: ")


@pytest.mark.parametrize("stage", BAD_EXITS.values(), ids=BAD_EXITS)
async def test_an_exit_stage_that_fails_withholds_the_result(stage, faults) -> None:
    seen: list[str] = []

    async def outer(context: ToolExitContext) -> Continue:
        seen.append(plain_text(context.result.content))
        return Continue()

    async def tool(args: dict[str, Any]) -> ToolResult:
        return ToolResult.text("the password is swordfish")

    chain = InterceptorChain(
        [interceptor(TWO, AnyTool(), None, outer), interceptor(ONE, AnyTool(), None, stage)],
        faults=heard(faults),
        seconds=0.05,
    )
    outcome = await chain.run(CONTEXT, tool)
    assert outcome.result == ToolResult.error("The result is withheld, one could not look at it.")
    assert seen == ["The result is withheld, one could not look at it."]
    assert [change.by for change in outcome.left] == [ONE]
    assert [(fault.kind, fault.addon) for fault in faults] == [(AddonFaultKind.HANDLER, ONE)]


@requirement("addons.intercept.tool-error-is-result")
async def test_a_tool_that_answers_with_an_error_passes_the_stages_without_an_error() -> None:
    seen: list[tuple[bool, str | None]] = []

    async def leave(context: ToolExitContext) -> Continue:
        seen.append((context.result.is_error, context.error))
        return Continue()

    async def tool(args: dict[str, Any]) -> ToolResult:
        return ToolResult.error("no such file")

    outcome = await InterceptorChain([interceptor(ONE, AnyTool(), None, leave)]).run(CONTEXT, tool)
    assert seen == [(True, None)]
    assert outcome.result == ToolResult.error("no such file")
    assert outcome.error is None


async def test_a_call_that_raises_is_a_result_and_the_stages_learn_why() -> None:
    seen: list[str | None] = []

    async def redact(context: ToolExitContext) -> RewriteResult:
        seen.append(context.error)
        return RewriteResult(ToolResult.error("redacted"))

    chain = InterceptorChain([interceptor(ONE, AnyTool(), None, redact)])
    outcome = await chain.run(CONTEXT, raising(ConnectionError("token=swordfish")))
    assert seen == ["ConnectionError('token=swordfish')"]
    assert outcome.result == ToolResult.error("redacted")
    assert outcome.error == "ConnectionError('token=swordfish')"


async def test_a_call_that_raises_without_stages_is_a_result_too() -> None:
    outcome = await InterceptorChain([]).run(CONTEXT, raising(OSError("gone")))
    assert outcome.result is not None
    assert outcome.result.is_error
    assert "The call of bash failed" in plain_text(outcome.result.content)


@pytest.mark.parametrize("error", [Cancelled("stop"), LogDown("full")])
async def test_errors_of_the_host_pass_through_the_chain(error, faults) -> None:
    stage = interceptor(ONE, AnyTool(), raising(error))
    chain = InterceptorChain([stage], faults=heard(faults))
    with pytest.raises(type(error)):
        await InterceptorChain([]).run(CONTEXT, raising(error))
    with pytest.raises(type(error)):
        await chain.run(CONTEXT, forever)
    assert faults == []


@pytest.mark.parametrize("where", ["enter", "call", "exit"])
async def test_cancelling_passes_through_wherever_it_meets_the_chain(where, faults) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def wait(context: object) -> Any:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def tool(args: dict[str, Any]) -> ToolResult:
        return await wait(args) if where == "call" else ToolResult.text("ran")

    stage = interceptor(
        ONE, AnyTool(), wait if where == "enter" else None, wait if where == "exit" else None
    )
    chain = InterceptorChain([stage], faults=heard(faults))
    task = asyncio.create_task(chain.run(CONTEXT, tool))
    await asyncio.wait_for(begun.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(ended.wait(), 5)
    assert faults == []
