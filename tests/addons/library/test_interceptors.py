"""The chain around a call: in through every stage, once through the tool, out in reverse."""

from __future__ import annotations

from typing import Any

import pytest

from induscode.addons.contract import (
    AddonFault,
    AddonId,
    AnyTool,
    Block,
    Continue,
    EnterFn,
    ExitFn,
    GateDecision,
    InterceptResult,
    NamedTool,
    RewriteArguments,
    RewriteResult,
    ToolEnterContext,
    ToolExitContext,
)
from induscode.addons.dispatch import InterceptorChain, interceptor
from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolResult
from tests.addons.library.parts import ONE, THREE, TWO
from tests.requirements import requirement

CONTEXT = ToolEnterContext("bash", "call-1", {"command": "ls"})
BASH = NamedTool("bash")


class Tool:
    """Counts its calls, and answers with its arguments."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    async def __call__(self, args: dict[str, Any]) -> ToolResult:
        self.calls.append(args)
        return ToolResult.text(f"ran {args}")


class Marks:
    """Stages that write down when they were asked."""

    def __init__(self) -> None:
        self.order: list[str] = []

    def enter(self, name: str, outcome: Any = None) -> EnterFn:
        async def stage(context: ToolEnterContext) -> Any:
            self.order.append(f"in {name} {context.args}")
            return outcome or Continue()

        return stage

    def leave(self, name: str, text: str | None = None) -> ExitFn:
        async def stage(context: ToolExitContext) -> Any:
            self.order.append(f"out {name} {said(context.result)}")
            return RewriteResult(ToolResult.text(text)) if text is not None else Continue()

        return stage


def said(result: ToolResult | None) -> str:
    assert result is not None
    return plain_text(result.content)


@pytest.fixture
def faults() -> list[AddonFault]:
    return []


@requirement("addons.intercept.match-named-or-any", "addons.intercept.matches")
def test_a_stage_is_for_one_tool_or_for_any() -> None:
    named = InterceptorChain([interceptor(ONE, BASH)])
    every = InterceptorChain([interceptor(ONE, AnyTool())])
    assert (named.matches("bash"), named.matches("read"), named.matches("bash2")) == (
        True, False, False,
    )  # fmt: skip
    assert every.matches("bash")
    assert every.matches("server__anything")
    assert not InterceptorChain([]).matches("bash")


@requirement(
    "addons.intercept.enter-forward",
    "addons.intercept.exit-reverse",
    "addons.intercept.enter-continue",
    "addons.intercept.execute-once",
)
async def test_stages_are_entered_in_order_and_left_in_reverse() -> None:
    marks, tool = Marks(), Tool()
    chain = InterceptorChain(
        interceptor(addon, AnyTool(), marks.enter(addon), marks.leave(addon))
        for addon in (ONE, TWO, THREE)
    )
    outcome = await chain.run(CONTEXT, tool)
    args, ran = {"command": "ls"}, "ran {'command': 'ls'}"
    assert marks.order == [
        f"in one {args}", f"in two {args}", f"in three {args}",
        f"out three {ran}", f"out two {ran}", f"out one {ran}",
    ]  # fmt: skip
    assert tool.calls == [args]
    assert said(outcome.result) == ran
    assert (outcome.blocked, outcome.by, outcome.entered, outcome.left) == (None, None, (), ())


@requirement("addons.intercept.enter-rewrite")
async def test_rewritten_arguments_are_what_later_stages_and_the_tool_get() -> None:
    marks, tool = Marks(), Tool()
    safe = RewriteArguments({"safe": True})
    chain = InterceptorChain(
        [
            interceptor(ONE, BASH, marks.enter("one", safe)),
            interceptor(TWO, BASH, marks.enter("two")),
            interceptor(THREE, BASH, None, marks.leave("three")),
        ]
    )
    outcome = await chain.run(CONTEXT, tool)
    assert marks.order[:2] == ["in one {'command': 'ls'}", "in two {'safe': True}"]
    assert tool.calls == [{"safe": True}]
    assert outcome.args == {"safe": True}
    assert [(change.by, change.value) for change in outcome.entered] == [(ONE, {"safe": True})]
    assert CONTEXT.args == {"command": "ls"}


@requirement("addons.intercept.enter-block")
async def test_a_block_ends_the_chain_and_the_tool_never_runs() -> None:
    marks, tool = Marks(), Tool()
    no = Block(GateDecision(stop=True, reason="not here"))
    chain = InterceptorChain(
        [
            interceptor(ONE, BASH, marks.enter("one"), marks.leave("one")),
            interceptor(TWO, BASH, marks.enter("two", no)),
            interceptor(THREE, BASH, marks.enter("three")),
        ]
    )
    outcome = await chain.run(CONTEXT, tool)
    assert len(marks.order) == 2
    assert tool.calls == []
    assert (outcome.result, outcome.by) == (None, TWO)
    assert outcome.blocked == GateDecision(stop=True, reason="not here", how="deny")


async def test_a_block_blocks_whatever_the_decision_in_it_says() -> None:
    tool = Tool()
    odd = Block(GateDecision(stop=False, reason="odd"))
    chain = InterceptorChain([interceptor(ONE, BASH, Marks().enter("one", odd))])
    outcome = await chain.run(CONTEXT, tool)
    assert tool.calls == []
    assert outcome.blocked == GateDecision(stop=True, reason="odd")


@requirement("addons.intercept.exit-rewrite")
async def test_a_rewritten_result_is_what_the_next_earlier_stage_and_the_caller_get() -> None:
    marks = Marks()
    chain = InterceptorChain(
        [
            interceptor(ONE, BASH, None, marks.leave("one", "outer")),
            interceptor(TWO, BASH, None, marks.leave("two")),
            interceptor(THREE, BASH, None, marks.leave("three", "inner")),
        ]
    )
    outcome = await chain.run(CONTEXT, Tool())
    assert marks.order == ["out three ran {'command': 'ls'}", "out two inner", "out one inner"]
    assert said(outcome.result) == "outer"
    assert [change.by for change in outcome.left] == [THREE, ONE]


@requirement("addons.intercept.no-match-direct")
async def test_without_a_match_the_tool_gets_the_very_arguments() -> None:
    marks, tool = Marks(), Tool()
    chain = InterceptorChain([interceptor(ONE, NamedTool("read"), marks.enter("one"))])
    outcome = await chain.run(CONTEXT, tool)
    assert tool.calls[0] is CONTEXT.args
    assert marks.order == []
    assert said(outcome.result) == "ran {'command': 'ls'}"


async def test_what_a_stage_does_to_its_copy_changes_nothing() -> None:
    tool = Tool()

    async def enter(context: ToolEnterContext) -> Continue:
        context.args["command"] = "rm -rf /"
        return Continue()

    async def leave(context: ToolExitContext) -> Continue:
        assert context.result.details is not None
        context.result.details["sha"] = "forged"
        return Continue()

    async def detailed(args: dict[str, Any]) -> ToolResult:
        await tool(args)
        return ToolResult((), details={"sha": "true"})

    chain = InterceptorChain([interceptor(ONE, AnyTool(), enter, leave)])
    outcome = await chain.run(ToolEnterContext("bash", "1", {"command": "ls"}), detailed)
    assert tool.calls == [{"command": "ls"}]
    assert outcome.result == ToolResult((), details={"sha": "true"})


@requirement("addons.intercept.run-and-run-with")
@pytest.mark.parametrize(
    "answer",
    [None, RewriteArguments({"a": 1}), Block(GateDecision(stop=True, reason="no"))],
    ids=["continue", "rewrite", "block"],
)
async def test_run_and_run_with_come_to_the_same(answer) -> None:
    results: list[InterceptResult] = []
    orders: list[list[str]] = []
    for way in ("run", "run_with"):
        marks = Marks()
        chain = InterceptorChain(
            [interceptor(ONE, AnyTool(), marks.enter("x", answer), marks.leave("x", "changed"))]
        )
        results.append(await getattr(chain, way)(CONTEXT, Tool()))
        orders.append(marks.order)
    assert results[0] == results[1]
    assert orders[0] == orders[1]


async def test_run_with_hands_on_what_the_tool_needs_besides_its_arguments() -> None:
    async def execute(args: dict[str, Any], where: str, count: int) -> ToolResult:
        return ToolResult.text(f"{args} {where} {count}")

    chain = InterceptorChain([interceptor(AddonId("x"), AnyTool(), Marks().enter("x"))])
    outcome = await chain.run_with(CONTEXT, execute, "here", 2)
    assert said(outcome.result) == "{'command': 'ls'} here 2"
