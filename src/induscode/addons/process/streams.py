"""The three streams of a program: lines in, lines out, and what it writes to stderr.

None of them ever waits, and none keeps more than its limit.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable

from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.addons.process.limits import LOG_CHARACTERS, ProcessLimits
from induscode.policy.redaction import Secrets

__all__ = ["Complaints", "LineReader", "LineWriter"]

_CHUNK = 64 * 1024
_PAUSE = 0.005
_READING_SECONDS = 1.0

Fail = Callable[[ProcessFault], None]


class LineReader:
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
        self._stream = stream
        self._most = limits.frame_bytes
        self._line = line
        self._over = over
        self._fail = fail
        self._held = bytearray()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(stream, self._can_read)

    def close(self) -> None:
        if self._stream >= 0:
            self._loop.remove_reader(self._stream)
            os.close(self._stream)
            self._stream = -1
            self._held.clear()

    def _can_read(self) -> None:
        try:
            data = os.read(self._stream, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self.close()
            self._over()
            return
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


class Complaints:
    """The end of what a program wrote to stderr, without secrets. It is always drained, so that
    the program never waits for us, but not faster than a person could ever need."""

    def __init__(self, stream: int, limits: ProcessLimits, secrets: Secrets) -> None:
        self._stream = stream
        self._most = limits.stderr_bytes
        self._redactor = secrets.stream()
        self._kept = bytearray()
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._listen()

    def text(self) -> str:
        return self._kept.decode(errors="replace")

    def last(self) -> str:
        """The last lines, short enough for a fault."""
        return self.text().strip()[-LOG_CHARACTERS:]

    def close(self) -> None:
        """Take what is there, and no more."""
        if self._stream < 0:
            return
        self._can_read()
        if self._timer is not None:
            self._timer.cancel()
        if self._stream >= 0:
            self._end()

    def _listen(self) -> None:
        if self._stream >= 0:
            self._loop.add_reader(self._stream, self._can_read)

    def _can_read(self) -> None:
        try:
            data = os.read(self._stream, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._end()
            return
        self._keep(self._redactor.feed(data))
        if len(data) == _CHUNK:
            self._loop.remove_reader(self._stream)
            self._timer = self._loop.call_later(_PAUSE, self._listen)

    def _end(self) -> None:
        self._loop.remove_reader(self._stream)
        os.close(self._stream)
        self._stream = -1
        self._keep(self._redactor.flush())

    def _keep(self, data: bytes) -> None:
        self._kept += data[-self._most :]
        del self._kept[: -self._most]
