"""The program of a local server: started through the keeper, spoken to, drained and ended.

Its standard output is a pipe. Standard input and stderr are the two directions of one socket, so
that the keeper, which hands a command two streams, can hand it three.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from induscode.policy.redaction import Secrets
from induscode.tools.processes.line import Keeper, Line, Mode

__all__ = ["Child", "started"]

_SHELL = ("/bin/sh", "-c", 'exec "$@" 0<&2', "mcp")
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
    loop = asyncio.get_running_loop()
    with ExitStack() as ours, ExitStack() as theirs:
        control, control_end = socket.socketpair()
        ours.callback(control.close)
        theirs.callback(control_end.close)
        reading, writing = os.pipe()
        theirs.callback(os.close, writing)
        pipe = ours.enter_context(os.fdopen(reading, "rb", buffering=0))
        line = await keeper.begin(
            (*_SHELL, *words),
            cwd,
            environ,
            outputs=(writing, control_end.fileno()),
            mode=Mode.FOREGROUND,
        )
        ours.callback(line.close)
        theirs.close()
        output = asyncio.StreamReader(limit=frame_bytes)
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(output), pipe
        )
        ours.callback(transport.close)
        errors, writer = await asyncio.open_connection(sock=control)
        ours.pop_all()
    return Child(line, (output, transport), (errors, writer), tail)


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
        output: tuple[asyncio.StreamReader, asyncio.ReadTransport],
        control: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        tail: Tail,
    ) -> None:
        self._line = line
        self._output, self._pipe = output
        self._errors, self._writer = control
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
            self._pipe.close()
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
