"""What hooks decided, on the record: every decision other than "continue" is an entry."""

from __future__ import annotations

from induscode.conductor.hooks import Noted, Stop
from induscode.conductor.ports import Emit
from induscode.conductor.recorder import Recorder
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.events import Fault, HookDecided
from induscode.session.entries import Hook

__all__ = ["Decisions"]


class Decisions:
    def __init__(self, recorder: Recorder, emit: Emit, clock: Clock) -> None:
        self._recorder = recorder
        self._emit = emit
        self._clock = clock

    async def stopped(self, point: str, by: str, stop: Stop, target: str = "") -> None:
        """`stop.how` tells a decision from a hook that failed and from one that never ran."""
        note = Hook(point=point, decision=stop.how, target=target, reason=stop.reason)
        await self.record(note, by)

    async def passed_over(self, point: str, by: str, stop: Stop, target: str = "") -> None:
        """A hook that may not stop anything here, or whose wish was refused: things go on without
        it, and the person is told."""
        await self.stopped(point, by, stop, target)
        self.fault(stop.reason)

    async def noted(self, point: str, by: str, noted: Noted, target: str = "") -> None:
        note = Hook(point=point, decision="diagnostic", target=target, reason=noted.message)
        await self.record(note, by)

    async def record(self, note: Hook, by: str) -> None:
        """In the log as far as there is one, and told to whoever watches."""
        if self._recorder.log.entries:
            await self._recorder.write(note, by=by, cancel=CancelToken())
        self._emit(
            HookDecided(
                point=note.point,
                by=by,
                decision=note.decision,
                reason=note.reason,
                at=self._now(),
            )
        )

    def fault(self, message: str) -> None:
        self._emit(Fault(message=message, at=self._now()))

    def _now(self) -> str:
        return iso(self._clock.now_ms())
