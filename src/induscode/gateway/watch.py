"""Stops an exchange that is cancelled or has gone silent, by closing the line under it."""

from __future__ import annotations

import asyncio

from induscode.gateway.line import Line
from induscode.kernel.cancel import CancelToken

__all__ = ["Watch"]


class Watch:
    """Armed when made; `touch` says that a byte came. One timer serves the whole exchange: it looks
    at the last touch when it fires and sleeps on if that was recent."""

    def __init__(self, line: Line, cancel: CancelToken, idle: float) -> None:
        self.idle = idle
        self.went_silent = False
        self._line = line
        self._cancel = cancel
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time()
        self._timer = self._loop.call_later(idle, self._look)
        self._forget = cancel.on_cancel(line.abort)

    @property
    def closed_it(self) -> bool:
        """Whether the line was closed under the exchange by this watch."""
        return self.went_silent or self._cancel.cancelled

    def touch(self) -> None:
        self._last = self._loop.time()

    def shorten(self, idle: float) -> None:
        """From now on, be less patient."""
        if idle < self.idle:
            self.idle = idle
            self._timer.cancel()
            self._look()

    def stop(self) -> None:
        self._timer.cancel()
        self._forget()

    def _look(self) -> None:
        left = self._last + self.idle - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look)
        else:
            self.went_silent = True
            self._line.abort()
