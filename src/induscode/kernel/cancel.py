"""Cancellation as a token that is handed down and can be waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from induscode.errors import Cancelled

__all__ = ["CancelToken"]

T = TypeVar("T")


class CancelToken:
    """One decision to stop, seen by everything it was handed to.

    `cancel` is idempotent and may be called from a signal handler of the event loop. A child is
    cancelled with its parent, never the other way round.
    """

    def __init__(self, parent: CancelToken | None = None) -> None:
        self._reason: str | None = None
        self._listeners: dict[int, Callable[[], object]] = {}
        self._next = 0
        if parent is not None:
            if parent.cancelled:
                self.cancel(parent.reason)
            else:
                parent.on_cancel(lambda: self.cancel(parent.reason))

    @property
    def cancelled(self) -> bool:
        return self._reason is not None

    @property
    def reason(self) -> str:
        return self._reason or ""

    def cancel(self, reason: str = "stopped by the user") -> None:
        if self._reason is not None:
            return
        self._reason = reason
        listeners = list(self._listeners.values())
        self._listeners.clear()
        for listener in listeners:
            listener()

    def on_cancel(self, listener: Callable[[], object]) -> Callable[[], object]:
        """Call `listener` once when cancelled; the returned function takes it off again."""
        if self.cancelled:
            listener()
            return lambda: None
        key = self._next
        self._next += 1
        self._listeners[key] = listener
        return lambda: self._listeners.pop(key, None)

    def check(self) -> None:
        if self._reason is not None:
            raise Cancelled(self._reason)

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work`, but stop it and raise `Cancelled` as soon as this token is cancelled."""
        if self._reason is not None:
            work.close()
            raise Cancelled(self._reason)
        task = asyncio.ensure_future(work)
        remove = self.on_cancel(task.cancel)
        try:
            return await task
        except asyncio.CancelledError:
            if self._reason is not None:
                raise Cancelled(self._reason) from None
            task.cancel()
            raise
        finally:
            remove()
