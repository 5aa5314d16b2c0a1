"""A turn that is stopped while a hook is heard: the hook is stopped with it, at every point."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from induscode.conductor.hooks import Hooks
from induscode.errors import Cancelled, UserError
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolKind, ToolResult
from induscode.policy.subject import CallView, CommandSubject
from induscode.session.entries import Hook, Input, Intent, Interrupted, Result
from tests.conductor.rig import (
    BoundTool,
    Model,
    Rig,
    Rules,
    Tool,
    acts,
    bounded,
    calls,
    say,
)

FULL = {"input": 190_000, "output": 10}


class Hanging:
    """Whatever the point: begins, and never answers."""

    by = "project:slow"

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.stopped = asyncio.Event()

    def matches(self, tool: str) -> bool:
        return True

    async def _heard(self, *_: Any, **__: Any) -> Any:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped.set()

    submit = shape = tune = answered = enter = furnish = before = summarised = _heard
    turn_started = turn_ended = started = ended = _heard

    async def exit(self, *_: Any) -> None:
        """Only what comes before a call hangs."""


class Shells(Rules):
    """Every call is about a command."""

    def view(self, tool: BoundTool, arguments: Mapping[str, Any]) -> CallView:
        subject = CommandSubject(command="true", cwd=self.home)
        return CallView(tool.tool.name, tool.kind, arguments, subject)


POINTS = [
    "input", "session_start", "turn_start", "context", "parameters", "answer", "tool",
    "environment", "rewrite", "summary",
]  # fmt: skip


@pytest.mark.parametrize("point", POINTS)
async def test_stopping_the_turn_stops_the_hook_that_is_heard(rig: Rig, point: str) -> None:
    rig.rules = rules = Shells()
    rules.home = rig.home
    tool = Tool("work")
    rig.tools = [BoundTool(tool, ToolKind.SHELL, "builtin:test", environment={"A": "b"})]
    hook = Hanging()
    rig.hooks = Hooks(**{point: (hook,)})
    first = calls(("work", {}))
    first = type(first)(first.content, first.stop, say("", **FULL).usage)
    conductor = rig.open(Model(first, say("A summary."), say()))
    turn = asyncio.ensure_future(conductor.submit([Text("go")]))
    await bounded(hook.begun.wait())
    conductor.cancel()

    with pytest.raises(Cancelled):
        await bounded(turn)
    await bounded(hook.stopped.wait())
    assert not conductor.busy
    if point in {"tool", "environment"}:
        assert tool.runs == []
        assert rig.entries(Intent) == []
        assert [entry.started for entry in rig.entries(Interrupted)] == [False]
    if point == "input":
        assert rig.path is None or not rig.path.exists(), "nothing was said to anybody"
    else:
        assert rig.replay().passed


async def test_a_turn_that_is_over_stays_so_when_its_last_observer_is_stopped(rig: Rig) -> None:
    hook = Hanging()
    rig.hooks = Hooks(turn=(hook,))
    conductor = rig.open(Model(say("Fine.")))
    turn = asyncio.ensure_future(conductor.submit([Text("go")]))
    await bounded(hook.begun.wait())
    conductor.cancel()

    assert (await bounded(turn)).text == "Fine."
    await bounded(hook.stopped.wait())


class Leaving(Hanging):
    """Hears of results, and never answers."""

    async def enter(self, view: Any) -> Any:
        return None

    async def exit(self, *given: Any) -> Any:
        return await self._heard(*given)


async def test_a_result_that_a_hook_was_looking_at_is_withheld_and_the_call_has_run(
    rig: Rig,
) -> None:
    tool, hook = Tool("work"), Leaving()
    rig.tools, rig.hooks = [acts(tool)], Hooks(tool=(hook,))
    conductor = rig.open(Model(calls(("work", {})), say()))
    turn = asyncio.ensure_future(conductor.submit([Text("go")]))
    await bounded(hook.begun.wait())
    conductor.cancel()
    with pytest.raises(Cancelled):
        await bounded(turn)

    assert len(tool.runs) == 1
    (ended,) = rig.entries(Result)
    assert "withheld: project:slow was stopped with the turn" in ended.content[0].text
    assert [note.decision for note in rig.entries(Hook)] == ["failed"]
    assert rig.entries(Interrupted) == []
    assert rig.replay().passed


async def test_after_a_call_that_was_stopped_hooks_hear_how_it_failed(rig: Rig) -> None:
    begun = asyncio.Event()
    seen: list[tuple[str | None, bool]] = []

    async def work(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        begun.set()
        await context.cancel.run(asyncio.Event().wait())
        raise AssertionError("it was stopped")

    class Watching(Leaving):
        async def exit(self, view: Any, result: ToolResult) -> None:
            seen.append((view.error, result.is_error))

    rig.tools, rig.hooks = [acts(Tool("work", work))], Hooks(tool=(Watching(),))
    conductor = rig.open(Model(calls(("work", {})), say()))
    turn = asyncio.ensure_future(conductor.submit([Text("go")]))
    await bounded(begun.wait())
    conductor.cancel()
    with pytest.raises(Cancelled):
        await bounded(turn)

    ((error, is_error),) = seen
    assert is_error
    assert error is not None
    assert error.startswith("Stopped by the user")


async def test_a_steering_message_whose_hook_is_stopped_with_the_turn_is_not_recorded(
    rig: Rig,
) -> None:
    await rig.run(say())
    hook, waiting = Hanging(), asyncio.Event()
    held = asyncio.Event()

    async def scene(model: Any, body: Any, listener: Any, cancel: Any) -> Any:
        waiting.set()
        await cancel.run(held.wait())

    conductor = rig.open(Model(scene))
    turn = asyncio.ensure_future(conductor.submit([Text("go")]))
    await bounded(waiting.wait())
    conductor._inputs._wording._hooks = Hooks(input=(hook,))
    steering = asyncio.ensure_future(conductor.steer("faster"))
    await bounded(hook.begun.wait())
    conductor.cancel()
    with pytest.raises(Cancelled):
        await bounded(turn)
    with pytest.raises(UserError, match="no turn is running"):
        await bounded(steering)
    await bounded(hook.stopped.wait())
    assert not any(entry.steer for entry in rig.entries(Input))


async def test_what_is_said_before_the_turn_is_on_record_does_not_steer_it(rig: Rig) -> None:
    class Slow:
        by = "project:slow"
        begun, go = asyncio.Event(), asyncio.Event()

        async def submit(self, text: str) -> None:
            if text == "first":
                self.begun.set()
                await self.go.wait()

    rig.hooks = Hooks(input=(Slow(),))
    conductor = rig.open(Model(say()))
    turn = asyncio.ensure_future(conductor.submit([Text("first")]))
    await bounded(Slow.begun.wait())
    with pytest.raises(UserError, match="a turn is already running"):
        await bounded(conductor.submit([Text("second")]))
    with pytest.raises(UserError, match="no turn is running"):
        await bounded(conductor.steer("second"))
    Slow.go.set()
    await bounded(turn)
    assert len(rig.entries(Input)) == 1
    assert rig.replay().passed
