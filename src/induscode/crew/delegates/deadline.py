"""The time a delegate has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager

__all__ = ["Deadline"]


class Deadline:
    """Calls `hit` once when the time is over. It stands still while a person is asked."""

    def __init__(self, seconds: float, hit: Callable[[], None]) -> None:
        self.missed = False
        self._left = seconds
        self._hit = hit
        self._asked = 0
        self._ended = False
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._since = loop.time()
        self._timer = loop.call_later(max(0.0, self._left), self._over)

    def stop(self) -> None:
        """For good."""
        self._ended = True
        self._halt()

    @contextmanager
    def paused(self) -> Generator[None]:
        if self._timer is not None:
            self._left -= asyncio.get_running_loop().time() - self._since
            self._halt()
        self._asked += 1
        try:
            yield
        finally:
            self._asked -= 1
            if not (self._asked or self._ended or self.missed):
                self.start()

    def _halt(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _over(self) -> None:
        self.missed = True
        self._timer = None
        self._hit()
