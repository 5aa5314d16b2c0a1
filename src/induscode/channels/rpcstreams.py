"""Whole lines in and out of a pair of descriptors, each in a thread of its own.

Nothing a client does (a line without an end, never reading what we write) makes memory grow
without a bound or keeps the event loop from its other work before the bound is reached.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator

from msgspec import Struct

__all__ = ["LINE_LIMIT", "LineSplitter", "LineWriter", "TooLong", "read_lines"]

LINE_LIMIT = 10 * 1024 * 1024
_CHUNK = 64 * 1024
_LINES_AHEAD = 64
_UNSENT_LIMIT = 64 * 1024 * 1024


class TooLong(Struct, frozen=True):
    """A line over the limit went by; nothing of it was kept."""


class LineSplitter:
    """Cuts bytes into lines. A line over `limit` is dropped as it comes and reported once."""

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes | TooLong]:
        found: list[bytes | TooLong] = []
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._take(data[start:end], found)
            found += self._finish()
            start = end + 1
        self._take(data[start:], found)
        return found

    def rest(self) -> list[bytes | TooLong]:
        """A last line that has no end."""
        return self._finish()

    def _take(self, part: bytes, found: list[bytes | TooLong]) -> None:
        if self._dropping:
            return
        self._size += len(part)
        if self._size > self._limit:
            self._parts, self._dropping = [], True
            found.append(TooLong())
        elif part:
            self._parts.append(part)

    def _finish(self) -> list[bytes | TooLong]:
        line = b"".join(self._parts)
        kept = not self._dropping and line.strip()
        self._parts, self._size, self._dropping = [], 0, False
        return [line] if kept else []


async def read_lines(descriptor: int) -> AsyncIterator[bytes | TooLong]:
    """The lines of `descriptor` until its end; empty ones are left out."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes | TooLong | None] = asyncio.Queue()
    room = threading.BoundedSemaphore(_LINES_AHEAD)

    def hand_over(item: bytes | TooLong | None) -> None:
        room.acquire()
        loop.call_soon_threadsafe(queue.put_nowait, item)

    def read() -> None:
        for item in _items(descriptor):
            try:
                hand_over(item)
            except RuntimeError:  # the loop has ended while we read
                return

    threading.Thread(target=read, name="rpc-input", daemon=True).start()
    while (item := await queue.get()) is not None:
        room.release()
        yield item


def _items(descriptor: int) -> Iterator[bytes | TooLong | None]:
    splitter = LineSplitter()
    while True:
        try:
            data = os.read(descriptor, _CHUNK)
        except OSError:  # the other side is gone: an end like any other
            data = b""
        if not data:
            break
        yield from splitter.feed(data)
    yield from splitter.rest()
    yield None


class LineWriter:
    """Writes whole lines in the order they were given. `put` returns at once until `_UNSENT_LIMIT`
    bytes wait for a client that does not read; then it waits with it. `lost` is called, from the
    writing thread, when nobody is there to read any more; lines are dropped from then on."""

    def __init__(self, descriptor: int, lost: Callable[[], object]) -> None:
        self._descriptor = descriptor
        self._lost = lost
        self._lines: deque[bytes] = deque()
        self._waiting = 0
        self._over = False
        self._gone = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._write, name="rpc-output", daemon=True)
        self._thread.start()

    def put(self, line: bytes) -> None:
        with self._change:
            self._change.wait_for(lambda: self._waiting < _UNSENT_LIMIT or self._gone)
            if self._gone:
                return
            self._lines.append(line + b"\n")
            self._waiting += len(line) + 1
            self._change.notify_all()

    def close(self, seconds: float) -> None:
        """Wait, but not for ever, until all is written."""
        with self._change:
            self._over = True
            self._change.notify_all()
        self._thread.join(seconds)

    def _write(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._lines or self._over)
                if not self._lines:
                    return
                data = b"".join(self._lines)
                self._lines.clear()
            try:
                _write_all(self._descriptor, data)
            except OSError:
                with self._change:
                    self._gone = True
                    self._change.notify_all()
                self._lost()
                return
            with self._change:
                self._waiting -= len(data)
                self._change.notify_all()


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
