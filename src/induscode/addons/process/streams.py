"""The three streams of a program: lines in, lines out, and what it writes to stderr.

None of them ever waits, and none keeps more than its limit.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.addons.process.limits import ProcessLimits
from induscode.policy.redaction import Secrets

__all__ = ["Complaints", "LineReader", "LineWriter", "Output", "Reader"]

_CHUNK = 64 * 1024
_PAUSE = 0.005
_LAST_CHARACTERS = 300
_READING_SECONDS = 1.0

Fail = Callable[[ProcessFault], None]


class Reader:
    """Takes what comes on a stream, which is ours to close."""

    def __init__(self, stream: int) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._listen()

    def close(self) -> None:
        """A second time does nothing."""
        if self._stream >= 0:
            self._loop.remove_reader(self._stream)
            os.close(self._stream)
            self._stream = -1

    def _listen(self) -> None:
        if self._stream >= 0:
            self._loop.add_reader(self._stream, self._can_read)

    def _can_read(self) -> None:
        try:
            data = os.read(self._stream, _CHUNK)
        except BlockingIOError:
            return
        if data:
            self._take(data)
        else:
            self.close()
            self._ended()

    def _take(self, data: bytes) -> None:
        raise NotImplementedError

    def _ended(self) -> None:
        """The other end was closed."""


class LineReader(Reader):
    """Hands on each line; `over` is called at the end of the stream."""

    def __init__(
        self,
        stream: int,
        limits: ProcessLimits,
        *,
        line: Callable[[bytes], None],
        over: Callable[[], None],
        fail: Fail,
    ) -> None:
        self._most = limits.frame_bytes
        self._line = line
        self._over = over
        self._fail = fail
        self._held = bytearray()
        super().__init__(stream)

    def _take(self, data: bytes) -> None:
        *whole, rest = data.split(b"\n")
        for piece in whole:
            line = bytes(self._held + piece) if self._held else piece
            self._held.clear()
            if self._stream < 0:
                return
            self._line(line)
        self._held += rest
        if len(self._held) > self._most:
            self._fail(
                ProcessFault(
                    ProcessFaultKind.FRAME_TOO_LONG,
                    f"a line on its standard output has over {self._most} bytes",
                )
            )

    def _ended(self) -> None:
        self._held.clear()
        self._over()


class Output(Reader):
    """All that a program says, up to `most` bytes; what comes after that is dropped. `over` is set
    at the end of the stream, and `full` when there is too much."""

    def __init__(self, stream: int, most: int) -> None:
        self.said = bytearray()
        self.over = asyncio.Event()
        self.full = asyncio.Event()
        self._most = most
        super().__init__(stream)

    def _take(self, data: bytes) -> None:
        room = self._most - len(self.said)
        self.said += data[:room]
        if len(data) > room:
            self.full.set()

    def _ended(self) -> None:
        self.over.set()


class LineWriter:
    """Writes as fast as the program reads, and keeps the rest up to its limit."""

    def __init__(self, stream: int, limits: ProcessLimits, fail: Fail) -> None:
        self._stream = stream
        self._limits = limits
        self._fail = fail
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._last = False
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def write(self, line: bytes) -> None:
        """Never waits. More than the limit ends the program: it does not read."""
        if self._stream < 0:
            return
        self._waiting.append(line)
        self._bytes += len(line)
        if len(self._waiting) == 1:
            self._can_write()
            if self._waiting:
                self._loop.add_writer(self._stream, self._can_write)
        limits = self._limits
        if self._bytes > limits.queue_bytes or len(self._waiting) > limits.queue_length:
            self._not_reading(f"{len(self._waiting)} messages wait for it to read them")

    def finish(self) -> None:
        """Close when everything has been read."""
        self._last = True
        if not self._waiting:
            self.close()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._stream >= 0:
            self._loop.remove_writer(self._stream)
            os.close(self._stream)
            self._stream = -1
            self._waiting.clear()

    def _can_write(self) -> None:
        while self._waiting:
            try:
                done = os.write(self._stream, self._waiting[0])
            except BlockingIOError:
                return
            except BrokenPipeError:
                # It has most likely ended, which is told in a moment and says more.
                self.close()
                why = "it closed its standard input"
                self._timer = self._loop.call_later(_READING_SECONDS, self._not_reading, why)
                return
            self._bytes -= done
            if done < len(self._waiting[0]):
                self._waiting[0] = self._waiting[0][done:]
            else:
                self._waiting.popleft()
        self._loop.remove_writer(self._stream)
        if self._last:
            self.close()

    def _not_reading(self, why: str) -> None:
        self._fail(ProcessFault(ProcessFaultKind.NOT_READING, why))


class Complaints(Reader):
    """The end of what a program wrote to stderr, without secrets. It is always drained, so that
    the program never waits for us, but not faster than a person could ever need."""

    def __init__(self, stream: int, limits: ProcessLimits, secrets: Secrets) -> None:
        self._most = limits.stderr_bytes
        self._redactor = secrets.stream()
        self._kept = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        super().__init__(stream)

    def text(self) -> str:
        return self._kept.decode(errors="replace")

    def last(self) -> str:
        """The last lines, short enough for a fault to be told with their end."""
        return self.text().strip()[-_LAST_CHARACTERS:]

    def close(self) -> None:
        """Take what is there, and no more."""
        if self._stream < 0:
            return
        with suppress(BlockingIOError):
            self._keep(self._redactor.feed(os.read(self._stream, _CHUNK)))
        self._keep(self._redactor.flush())
        if self._timer is not None:
            self._timer.cancel()
        super().close()

    def _take(self, data: bytes) -> None:
        self._keep(self._redactor.feed(data))
        if len(data) == _CHUNK:
            self._loop.remove_reader(self._stream)
            self._timer = self._loop.call_later(_PAUSE, self._listen)

    def _keep(self, data: bytes) -> None:
        self._kept += data[-self._most :]
        del self._kept[: -self._most]
