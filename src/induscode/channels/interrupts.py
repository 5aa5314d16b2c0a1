"""Signals in the main thread: an exception while a line is awaited, mail while the agent works."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

__all__ = ["Interrupts", "Terminated"]

_ENDINGS = (signal.SIGTERM, signal.SIGHUP)


class Terminated(Exception):
    """The process was told to end while it waited for a line."""


class Interrupts:
    """Within its `with` block; `typing` says which of the two happens. An exception is raised only
    where it is expected, so no output is ever cut in the middle."""

    def __init__(self, stop: Callable[[], None], end: Callable[[], None]) -> None:
        self.typing = False
        self._stop = stop
        self._end = end
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        self._before = {signal.SIGINT: signal.signal(signal.SIGINT, self._interrupted)}
        for number in _ENDINGS:
            self._before[number] = signal.signal(number, self._terminated)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self.typing:
            self.typing = False
            raise KeyboardInterrupt
        self._stop()

    def _terminated(self, number: int, frame: FrameType | None) -> None:
        if self.typing:
            self.typing = False
            raise Terminated
        self._end()
