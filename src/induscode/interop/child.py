"""The program of a local server: started through the keeper, spoken to, drained and ended.

Its standard output and stderr are pipes, its standard input is a socket: three apart, since what a
server does to one of them (some make theirs non-blocking) must not be done to another.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from induscode.policy.redaction import Secrets
from induscode.tools.processes.line import Keeper, Line, Mode

__all__ = ["Child", "started"]

_CHUNK = 64 * 1024
_LAST_CHARACTERS = 300
_BY_SIGNAL = 128
_DRAIN_SECONDS = 0.5


async def started(
    words: tuple[str, ...],
    cwd: Path,
    environ: Mapping[str, str],
    keeper: Keeper,
    tail: Tail,
    *,
    frame_bytes: int,
) -> Child:
    """Raises OSError or ValueError when it cannot be started."""
    with ExitStack() as ours, ExitStack() as theirs:
        said, said_end = _pipe(ours, theirs)
        wrong, wrong_end = _pipe(ours, theirs)
        told, told_end = socket.socketpair()
        ours.callback(told.close)
        theirs.callback(told_end.close)
        line = await keeper.begin(
            words,
            cwd,
            environ,
            outputs=(said_end, wrong_end),
            mode=Mode.FOREGROUND,
            source=told_end.fileno(),
        )
        ours.callback(line.close)
        theirs.close()
        output = await _listening(said, frame_bytes)
        ours.callback(output[1].close)
        errors = await _listening(wrong, _CHUNK)
        ours.callback(errors[1].close)
        _, writer = await asyncio.open_connection(sock=told)
        ours.pop_all()
    return Child(line, output, errors, writer, tail)


_Heard = tuple[asyncio.StreamReader, asyncio.ReadTransport]


def _pipe(ours: ExitStack, theirs: ExitStack) -> tuple[IO[bytes], int]:
    """What we read, and the descriptor that is written to."""
    reading, writing = os.pipe()
    theirs.callback(os.close, writing)
    return ours.enter_context(os.fdopen(reading, "rb", buffering=0)), writing


async def _listening(pipe: IO[bytes], most: int) -> _Heard:
    reader = asyncio.StreamReader(limit=most)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), pipe
    )
    return reader, transport


class Tail:
    """The end of what a program wrote to stderr, without secrets."""

    def __init__(self, most: int, secrets: Secrets) -> None:
        self._most = most
        self._redactor = secrets.stream()
        self._kept = bytearray()

    def text(self) -> str:
        return self._kept.decode(errors="replace")

    def last(self) -> str:
        """Short enough for a fault to be told with it."""
        return self.text().strip()[-_LAST_CHARACTERS:]

    def take(self, data: bytes) -> None:
        self._keep(self._redactor.feed(data))

    def finish(self) -> None:
        self._keep(self._redactor.flush())

    def _keep(self, data: bytes) -> None:
        self._kept += data[-self._most :]
        del self._kept[: -self._most]


class Child:
    """A program that runs. It is ended by `close`, or with this process, together with everything
    that it started."""

    def __init__(
        self,
        line: Line,
        output: _Heard,
        errors: _Heard,
        writer: asyncio.StreamWriter,
        tail: Tail,
    ) -> None:
        self._line = line
        self._output, said = output
        self._errors, wrong = errors
        self._pipes = (said, wrong)
        self._writer = writer
        self._tail = tail
        self._drained = asyncio.ensure_future(self._drain())

    @property
    def pid(self) -> int:
        return self._line.pid

    async def read_line(self) -> bytes:
        """One line that it says, empty at the end. Raises ValueError for one over the limit."""
        return await self._output.readline()

    async def write(self, data: bytes) -> None:
        """Waits until it reads. Raises ConnectionError when it does not any more."""
        self._writer.write(data)
        await self._writer.drain()

    async def ending(self) -> str:
        """A clause about how it ended, when its standard output has."""
        await _within(self._line.exited, _DRAIN_SECONDS)
        await asyncio.wait((self._drained,), timeout=_DRAIN_SECONDS)
        if not self._line.exited.is_set():
            return "it closed its standard output"
        match self._line.code:
            case None:
                return "it ended, and nobody knows how"
            case code if code < 0 or code > _BY_SIGNAL:
                return f"it was ended by signal {-code if code < 0 else code - _BY_SIGNAL}"
            case code:
                return f"it ended with exit code {code}"

    async def close(self, seconds: float) -> None:
        """Nothing of it is left when this returns. It has `seconds` to end when its input does, and
        as many when it is asked to. Cancelled, it ends at once."""
        try:
            if self._writer.can_write_eof() and not self._writer.is_closing():
                self._writer.write_eof()
            await _within(self._line.exited, seconds)
            self._line.end(seconds)
            await _within(self._line.gone, 2 * seconds)
        finally:
            self._line.close()
            for pipe in self._pipes:
                pipe.close()
            self._writer.close()
            self._drained.cancel()

    async def _drain(self) -> None:
        try:
            while data := await self._errors.read(_CHUNK):
                self._tail.take(data)
        except ConnectionError:
            return
        finally:
            self._tail.finish()


async def _within(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
