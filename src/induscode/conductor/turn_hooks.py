"""Hooks at the points of a turn and of a session: input, request, answer, end, rewriting."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Literal

from induscode.conductor.amendments import amendment_of
from induscode.conductor.decisions import Decisions
from induscode.conductor.guard import guarded
from induscode.conductor.hooks import Continue, Hooks, Noted, Shape, Stop
from induscode.conductor.ports import Emit
from induscode.conductor.recorder import Recorder
from induscode.errors import UserError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.events import Fault
from induscode.kernel.request import NeutralRequest
from induscode.session.projection import Projection

__all__ = ["TurnHooks"]


class TurnHooks:
    """Hears the hooks of one session; what they decide is on the record before it counts."""

    def __init__(
        self, hooks: Hooks, decisions: Decisions, recorder: Recorder, emit: Emit, clock: Clock
    ) -> None:
        self._hooks = hooks
        self._decisions = decisions
        self._recorder = recorder
        self._emit = emit
        self._clock = clock

    async def submitted(self, text: str) -> None:
        """Raises `UserError` when a hook stops the input."""
        for hook in self._hooks.input:
            match await guarded(hook.submit(text), hook.by, deadline=self._hooks.deadline):
                case Stop() as stop:
                    await self._decisions.stopped("input-submit", hook.by, stop)
                    raise UserError(f"the input was stopped by {hook.by}: {stop.reason}")
                case Noted() as noted:
                    await self._decisions.noted("input-submit", hook.by, noted)
                case Continue():
                    continue

    async def shape(self, projection: Projection, cancel: CancelToken) -> None:
        """What hooks want changed becomes amendments. Raises `UserError` when one stops it."""
        for hook in self._hooks.context:
            request = projection.request()
            shape = await guarded(hook.shape(request), hook.by, deadline=self._hooks.deadline)
            match shape:
                case Stop(how="deny"):
                    await self._decisions.stopped("pre-request", hook.by, shape)
                    raise UserError(f"the request was stopped by {hook.by}: {shape.reason}")
                case Stop():
                    await self._fault("pre-request", hook.by, shape)
                case Noted():
                    await self._decisions.noted("pre-request", hook.by, shape)
                case Shape() if shape != Shape():
                    await self._amend(shape, request, hook.by, cancel)
                case _:
                    continue

    async def answered(self, text: str, calls: int) -> None:
        await self._watch(*((hook.answered(text, calls), hook.by) for hook in self._hooks.answer))

    async def turn_ended(self, text: str) -> None:
        await self._watch(*((hook.turn_ended(text), hook.by) for hook in self._hooks.turn))

    async def session_started(self, session: str, *, resumed: bool) -> None:
        hooks = self._hooks.session_start
        await self._watch(*((hook.started(session, resumed=resumed), hook.by) for hook in hooks))

    async def session_ended(self, session: str) -> None:
        await self._watch(*((hook.ended(session), hook.by) for hook in self._hooks.session_end))

    async def may_rewrite(self, what: Literal["compaction", "rewind", "fork"]) -> bool:
        for hook in self._hooks.rewrite:
            match await guarded(hook.before(what), hook.by, deadline=self._hooks.deadline):
                case Stop() as stop:
                    await self._decisions.stopped("before-rewrite", hook.by, stop)
                    return False
                case Noted() as noted:
                    await self._decisions.noted("before-rewrite", hook.by, noted)
                case Continue():
                    continue
        return True

    async def _amend(
        self, shape: Shape, request: NeutralRequest, by: str, cancel: CancelToken
    ) -> None:
        entry = amendment_of(shape, request, by)
        if isinstance(entry, Stop):
            await self._fault("pre-request", by, entry)
        else:
            await self._recorder.write(entry, by=by, cancel=cancel)

    async def _fault(self, point: str, by: str, stop: Stop) -> None:
        await self._decisions.stopped(point, by, stop)
        self._emit(Fault(message=stop.reason, at=self._now()))

    async def _watch(self, *work: tuple[Coroutine[Any, Any, None], str]) -> None:
        """Observers see what happened; one that fails is reported and passed over."""
        for seen, by in work:
            failed = await guarded(seen, by, deadline=self._hooks.deadline)
            if isinstance(failed, Stop):
                self._emit(Fault(message=failed.reason, at=self._now()))

    def _now(self) -> str:
        return iso(self._clock.now_ms())
