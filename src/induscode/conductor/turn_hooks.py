"""Hooks that watch a turn and a session, and those that may object to a rewriting."""

from __future__ import annotations

from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Literal

from induscode.conductor.decisions import Decisions
from induscode.conductor.guard import guarded
from induscode.conductor.hooks import Continue, Hooks, Noted, Stop
from induscode.errors import Cancelled
from induscode.kernel.cancel import CancelToken

__all__ = ["TurnHooks"]


class TurnHooks:
    """Hears the hooks of one session; what they decide is on the record before it counts."""

    def __init__(self, hooks: Hooks, decisions: Decisions) -> None:
        self._hooks = hooks
        self._decisions = decisions

    async def turn_started(
        self, session: str, text: str, cancel: CancelToken, *, resumed: bool
    ) -> None:
        """Raises `Cancelled`."""
        for hook in self._hooks.turn_start:
            seen = hook.turn_started(session, text, resumed=resumed)
            await self._watch("turn-start", seen, hook.by, cancel)

    async def turn_ended(self, session: str, text: str, cancel: CancelToken) -> None:
        """The turn is over: who stops it now only stops the hooks."""
        with suppress(Cancelled):
            for hook in self._hooks.turn:
                await self._watch("turn-end", hook.turn_ended(session, text), hook.by, cancel)

    async def session_started(self, session: str, cancel: CancelToken, *, resumed: bool) -> None:
        """Raises `Cancelled`."""
        for hook in self._hooks.session_start:
            seen = hook.started(session, resumed=resumed)
            await self._watch("session-start", seen, hook.by, cancel)

    async def session_ended(self, session: str) -> None:
        for hook in self._hooks.session_end:
            await self._watch("session-end", hook.ended(session), hook.by, CancelToken())

    async def may_rewrite(
        self,
        what: Literal["compaction", "rewind", "fork"],
        reason: str = "",
        cancel: CancelToken | None = None,
    ) -> bool:
        """Raises `Cancelled`."""
        for hook in self._hooks.rewrite:
            match await guarded(
                hook.before(what, reason),
                hook.by,
                deadline=self._hooks.deadline,
                cancel=cancel or CancelToken(),
            ):
                case Stop() as stop:
                    await self._decisions.stopped("before-rewrite", hook.by, stop)
                    return False
                case Noted() as noted:
                    await self._decisions.noted("before-rewrite", hook.by, noted)
                case Continue():
                    continue
        return True

    async def _watch(
        self, point: str, seen: Coroutine[Any, Any, Noted | None], by: str, cancel: CancelToken
    ) -> None:
        """Observers see what happened; one that fails is reported and passed over."""
        match await guarded(seen, by, deadline=self._hooks.deadline, cancel=cancel):
            case Stop(reason=reason):
                self._decisions.fault(reason)
            case Noted() as noted:
                await self._decisions.noted(point, by, noted)
            case None:
                return
