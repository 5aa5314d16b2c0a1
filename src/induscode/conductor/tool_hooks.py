"""Hooks around one call: heard in order before it, in reverse after it."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from induscode.conductor.decisions import Decisions
from induscode.conductor.guard import guarded
from induscode.conductor.hooks import Hooks, Noted, Rewritten, Stop, ToolHook, ToolView
from induscode.conductor.results import fit_to_keep
from induscode.errors import Cancelled
from induscode.kernel.cancel import CancelToken
from induscode.kernel.jsontext import digest, raw_json
from induscode.kernel.scrubbing import Scrubber
from induscode.kernel.tool import ToolResult
from induscode.session.entries import Hook

__all__ = ["Blocked", "Ended", "Entered", "ToolHooks"]

_BEFORE = "pre-tool"
_AFTER = "post-tool"
_AFTERWARDS = 3.0
"""Seconds that each hook has after a call of a turn that was stopped."""


class Blocked(Struct, frozen=True):
    """The call must not run. `text` is for the model."""

    by: str
    text: str


class Ended(Struct, frozen=True):
    """What came of a call; `error` says how it failed where no tool answered. `by` made the
    result what it is."""

    result: ToolResult
    by: str
    error: str | None = None


class Entered(Struct, frozen=True):
    """The call may go on with these arguments; `rewritten_by` is the last who changed them."""

    arguments: dict[str, Any]
    rewritten_by: str = ""


class ToolHooks:
    """The hooks of one session, indexed by tool: what matches none costs nothing."""

    def __init__(self, hooks: Hooks, decisions: Decisions, scrubber: Scrubber) -> None:
        self._hooks = hooks
        self._decisions = decisions
        self._scrubber = scrubber
        self._by_tool: dict[str, tuple[ToolHook, ...]] = {}

    def _of(self, tool: str) -> tuple[ToolHook, ...]:
        found = self._by_tool.get(tool)
        if found is None:
            found = tuple(hook for hook in self._hooks.tool if hook.matches(tool))
            self._by_tool[tool] = found
        return found

    async def enter(
        self, call: str, tool: str, arguments: dict[str, Any], cancel: CancelToken
    ) -> Entered | Blocked:
        """Raises `Cancelled`."""
        rewritten_by = ""
        for hook in self._of(tool):
            view = ToolView(call, tool, arguments)
            match await guarded(
                hook.enter(view), hook.by, deadline=self._hooks.deadline, cancel=cancel
            ):
                case Stop() as stop:
                    await self._decisions.stopped(_BEFORE, hook.by, stop, call)
                    return Blocked(hook.by, f"Blocked by {hook.by.split(':')[-1]}: {stop.reason}")
                case Noted() as noted:
                    await self._decisions.noted(_BEFORE, hook.by, noted, call)
                case Rewritten(changed):
                    rewritten_by = hook.by
                    await self._note_rewrite(call, hook.by, arguments, changed)
                    arguments = changed
                case _:
                    continue
        return Entered(arguments, rewritten_by)

    async def exit(
        self, call: str, tool: str, arguments: dict[str, Any], ended: Ended, cancel: CancelToken
    ) -> tuple[ToolResult, str]:
        """The result as the hooks leave it, and who made it so. A hook changes what is read of it;
        its `details`, on which later calls rely, stay the tool's. The call has happened: a turn
        that is stopped leaves the result withheld that a hook was about to look at."""
        result, by = ended.result, ended.by
        for hook in reversed(self._of(tool)):
            view = ToolView(call, tool, arguments, ended.error)
            match await self._left(hook, view, result, cancel):
                case Stop() as stop:
                    await self._decisions.stopped(_AFTER, hook.by, stop, call)
                    result = ToolResult.error(f"The result is withheld: {stop.reason}")
                    by = hook.by
                case Noted() as noted:
                    await self._decisions.noted(_AFTER, hook.by, noted, call)
                case ToolResult() as other:
                    other = msgspec.structs.replace(other, details=result.details)
                    other = fit_to_keep(other, self._scrubber)
                    await self._note_change(call, hook.by, result, other)
                    result, by = other, hook.by
                case _:
                    continue
        return result, by

    async def _left(
        self, hook: ToolHook, view: ToolView, result: ToolResult, cancel: CancelToken
    ) -> ToolResult | Stop | Noted | None:
        deadline = self._hooks.deadline
        if cancel.cancelled:
            deadline, cancel = min(deadline, _AFTERWARDS), CancelToken()
        try:
            return await guarded(hook.exit(view, result), hook.by, deadline=deadline, cancel=cancel)
        except Cancelled:
            return Stop(f"{hook.by} was stopped with the turn", "failed")

    async def _note_rewrite(
        self, call: str, by: str, before: dict[str, Any], after: dict[str, Any]
    ) -> None:
        note = Hook(
            point=_BEFORE,
            decision="rewrite",
            target=call,
            before=digest(bytes(raw_json(before))),
            after=digest(bytes(raw_json(after))),
        )
        await self._decisions.record(note, by)

    async def _note_change(self, call: str, by: str, before: ToolResult, after: ToolResult) -> None:
        note = Hook(
            point=_AFTER,
            decision="rewrite",
            target=call,
            before=digest(msgspec.json.encode(before.content)),
            after=digest(msgspec.json.encode(after.content)),
        )
        await self._decisions.record(note, by)
