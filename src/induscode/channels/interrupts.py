"""Signals in the main thread: an exception while a line is awaited, mail while the agent works.

A signal interrupts only a wait that has begun: one that comes just before, or while readline draws,
would be handled with the next key. So a thread hears of every signal at once (`set_wakeup_fd`) and
nudges the main thread with a harmless one until the handler has run.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

__all__ = ["Interrupts", "Terminated"]

_ENDINGS = (signal.SIGTERM, signal.SIGHUP)
_NUDGE = signal.SIGUSR1
_NUDGES = 20
_PATIENCE = 0.03


class Terminated(Exception):
    """The process was told to end while it waited for a line."""


class Interrupts:
    """Within its `with` block, in the main thread; `typing` says which of the two happens. An
    exception is raised only where it is expected, so no output is ever cut in the middle."""

    def __init__(self, stop: Callable[[], None], end: Callable[[], None]) -> None:
        self.typing = False
        self._stop = stop
        self._end = end
        self._handled = threading.Event()
        self._before: dict[signal.Signals, Any] = {}
        self._writing = -1

    def __enter__(self) -> Self:
        handlers = {signal.SIGINT: self._interrupted, _NUDGE: _nothing}
        handlers |= dict.fromkeys(_ENDINGS, self._terminated)
        for number, handler in handlers.items():
            self._before[number] = signal.signal(number, handler)
        reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        main = threading.get_ident()
        threading.Thread(target=self._insist, args=(reading, main), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(-1)
        os.close(self._writing)
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        self._handled.set()
        if self.typing:
            self.typing = False
            raise KeyboardInterrupt
        self._stop()

    def _terminated(self, number: int, frame: FrameType | None) -> None:
        self._handled.set()
        if self.typing:
            self.typing = False
            raise Terminated
        self._end()

    def _insist(self, reading: int, main: int) -> None:
        """Runs in a thread of its own until the block ends."""
        while number := os.read(reading, 1):
            if number[0] == _NUDGE:
                continue
            for _ in range(_NUDGES):
                if self._handled.wait(_PATIENCE):
                    break
                signal.pthread_kill(main, _NUDGE)
            self._handled.clear()
        os.close(reading)


def _nothing(number: int, frame: FrameType | None) -> None:
    """The nudge itself has nothing to say."""
