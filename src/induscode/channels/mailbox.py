"""Mail for the main thread from other threads and signal handlers, waited for beside a keyboard."""

from __future__ import annotations

import contextlib
import os
import select
from collections import deque
from typing import Generic, TypeVar

__all__ = ["Mailbox"]

T = TypeVar("T")


class Mailbox(Generic[T]):
    """`put` may be called from any thread and from a signal handler; the rest from one thread."""

    def __init__(self) -> None:
        self._mail: deque[T] = deque()
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)

    def put(self, mail: T) -> None:
        self._mail.append(mail)
        # A full pipe wakes the reader just as well; a closed one has no reader.
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            os.write(self._writing, b"\0")

    def wait(self, descriptor: int | None = None) -> bool:
        """Return when there is mail, or when `descriptor` can be read: True in that case."""
        watched = [self._reading] if descriptor is None else [self._reading, descriptor]
        readable, _, _ = select.select(watched, [], [])
        return descriptor in readable

    def take(self) -> list[T]:
        """All mail so far, in the order it came."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._reading, 65536)
        return [self._mail.popleft() for _ in range(len(self._mail))]

    def close(self) -> None:
        os.close(self._reading)
        os.close(self._writing)
