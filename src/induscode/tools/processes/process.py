"""`process`: commands that run beside the conversation, with conditions for being ready."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec.structs import replace

from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.definition import Execute
from induscode.tools.processes.asked import asked_command, start_trouble
from induscode.tools.processes.limits import (
    READY_SECONDS,
    READY_SECONDS_MOST,
    SETTLE_SECONDS,
    STOP_SECONDS,
)
from induscode.tools.processes.ready import Ready, ready_of
from induscode.tools.processes.table import ProcessTable, Tracked

__all__ = ["executor"]


def executor() -> Execute:
    """The tool with a table of its own."""
    return _Process().execute


class _Process:
    def __init__(self) -> None:
        self._table = ProcessTable("p")

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        match arguments["action"]:
            case "start":
                return await self._start(arguments, context)
            case "list":
                told = [tracked.details() for tracked in self._table.all()]
                listing = ToolResult.text(self._table.listing())
                return replace(listing, details={"processes": told})
            case action:
                found = self._table.find(arguments.get("id"))
                if isinstance(found, str):
                    return ToolResult.error(found)
                return await self._look(action, found, arguments, context)

    async def _start(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        asked = asked_command("process", arguments, context)
        ready = ready_of(arguments)
        problem = asked.problem or self._table.problem()
        detached = arguments.get("detached", False)
        try:
            if not problem and ready is not None:
                problem = await ready.problem(context.cancel)
            if problem:
                return ToolResult.error(problem)
            tracked = await self._table.start(asked, context, apart=False, detached=detached)
        except OSError as error:
            return ToolResult.error(start_trouble(error))
        try:
            return await _started(tracked, ready, _seconds(arguments), context)
        except BaseException:  # the model will not learn that it is there
            await tracked.spawned.stop(0)
            self._table.forget(tracked)
            raise

    async def _look(
        self, action: str, tracked: Tracked, arguments: Mapping[str, Any], context: ToolContext
    ) -> ToolResult:
        spawned = tracked.spawned
        if action == "stop" and spawned.running:
            await spawned.stop(STOP_SECONDS)
        elif action == "wait":
            seconds = _seconds(arguments)
            if not await tracked.attend(_exited(tracked), seconds=seconds, context=context):
                return _told(tracked, f"Waited {seconds:g} s.")
        return _told(tracked, failed=action == "wait" and spawned.code != 0)


def _exited(tracked: Tracked) -> Callable[[], Awaitable[bool]]:
    async def exited() -> bool:
        if tracked.spawned.exited:
            await tracked.spawned.wait()
        return tracked.spawned.exited

    return exited


def _seconds(arguments: Mapping[str, Any]) -> float:
    return min(float(arguments.get("timeout", READY_SECONDS)), READY_SECONDS_MOST)


async def _started(
    tracked: Tracked, ready: Ready | None, seconds: float, context: ToolContext
) -> ToolResult:
    if ready is None:
        await tracked.attend(_exited(tracked), seconds=SETTLE_SECONDS, context=context)
        return _told(tracked, failed=tracked.spawned.exited and tracked.spawned.code != 0)

    async def met() -> bool:
        return await ready.met(tracked.spawned, context.cancel)

    if await tracked.attend(met, seconds=seconds, context=context):
        return _told(tracked, "Ready.")
    if not tracked.spawned.running:
        return _told(tracked, "It ended before it was ready.", failed=True)
    why = f"Not ready after {seconds:g} s: {ready.missing()}. It goes on; wait, or stop it."
    return _told(tracked, why, failed=True)


def _told(tracked: Tracked, more: str = "", *, failed: bool = False) -> ToolResult:
    text = " ".join(part for part in (tracked.state, more) if part)
    return ToolResult(
        content=(Text(f"{text}\n{tracked.look()}"),), is_error=failed, details=tracked.details()
    )
