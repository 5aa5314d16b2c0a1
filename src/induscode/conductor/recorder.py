"""Recording with patience: the one place where the loop meets a disk that fails.

While the log is down nothing with a side effect may start. A recorder tells the person, tries again
until its patience ends, and then raises `LogDown`; entries not taken by then are lost with the run,
and a resume says so honestly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from induscode.errors import LogDown
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.events import Event, Fault
from induscode.policy.redaction import Secrets
from induscode.session.entries import KnownEntry
from induscode.session.log import Durability, SessionLog

__all__ = ["Recorder"]

T = TypeVar("T")
_PAUSE = 0.25


class Recorder:
    """Appends to one log on behalf of the loop. `secrets` are what must not be recorded: whoever
    hears something from outside takes them out first."""

    def __init__(
        self,
        log: SessionLog,
        emit: Callable[[Event], None],
        clock: Clock,
        *,
        patience: float,
        secrets: Secrets | None = None,
    ) -> None:
        self.log = log
        self.secrets = secrets or Secrets()
        self._emit = emit
        self._clock = clock
        self._patience = patience

    async def commit(self, *entries: KnownEntry, by: str, cancel: CancelToken) -> None:
        """Record `entries` and return when they are on disk."""
        await self.write(*entries, by=by, cancel=cancel)
        await self.settled(cancel)

    async def write(self, *entries: KnownEntry, by: str, cancel: CancelToken) -> None:
        """Record `entries`; they survive this process, not yet the machine."""
        try:
            self.log.append(*entries, by=by, durability=Durability.WRITTEN)
        except LogDown as trouble:
            await self._insist(trouble, lambda: _append(self.log, entries, by), cancel)

    async def stored(self, store: Callable[[], T], cancel: CancelToken) -> T:
        """What `store` returns once the disk takes what it puts there."""
        try:
            return store()
        except LogDown as trouble:
            kept: list[T] = []
            await self._insist(trouble, lambda: kept.append(store()), cancel)
            return kept[0]

    async def settled(self, cancel: CancelToken) -> None:
        """Return when everything recorded is on disk."""
        try:
            self.log.sync()
        except LogDown as trouble:
            await self._insist(trouble, self.log.sync, cancel)

    async def _insist(
        self, trouble: LogDown, attempt: Callable[[], None], cancel: CancelToken
    ) -> None:
        self._emit(Fault(message=str(trouble), at=iso(self._clock.now_ms())))
        deadline = self._clock.monotonic() + self._patience
        while True:
            cancel.check()
            await asyncio.sleep(_PAUSE)
            try:
                attempt()
            except LogDown as again:
                if self._clock.monotonic() > deadline:
                    raise again from trouble
            else:
                back = "the session log can be written again"
                self._emit(Fault(message=back, at=iso(self._clock.now_ms())))
                return


def _append(log: SessionLog, entries: tuple[KnownEntry, ...], by: str) -> None:
    log.append(*entries, by=by)
