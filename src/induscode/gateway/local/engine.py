"""The engine's process, seen from ours: start it when it is needed, ask, stop, end it."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.errors import RequestRejected, StreamBroken
from induscode.gateway.local.installation import INSTALL, Installation
from induscode.kernel.cancel import CancelToken

__all__ = ["Chunk", "Engine", "threads_for"]

_WORKER = Path(__file__).with_name("worker.py")
_LINE = 1024 * 1024
_KEPT = ("HOME", "LANG", "LC_ALL", "TMPDIR")
_MOST_THREADS = 2
_ROOM_FOR_TWO = 1.5


class _Delta(Struct, frozen=True):
    content: str | None = None


class _Choice(Struct, frozen=True):
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class _Usage(Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Refusal(Struct, frozen=True):
    message: str = ""


class Chunk(Struct, frozen=True):
    """A piece of the engine's answer; those that tell how far it has read are empty."""

    choices: tuple[_Choice, ...] = ()
    usage: _Usage | None = None
    error: _Refusal | None = None


class _Line(Struct, frozen=True):
    ready: bool = False
    done: bool = False
    fault: str = ""
    chunk: Chunk | None = None


_decoder = msgspec.json.Decoder(_Line)


class Engine:
    """One request at a time. An answer that is given up is ended inside the engine as well, and
    the next request waits for that."""

    def __init__(self, installation: Installation, *, idle_timeout: float) -> None:
        self._installation = installation
        self._idle = idle_timeout
        self._process: Process | None = None
        self._ready = False
        self._owed = 0  # answers that were asked for and not read to their end

    @property
    def running(self) -> bool:
        return self._process is not None

    async def start(self, cancel: CancelToken) -> None:
        """Until it can answer. Raises `RequestRejected` when it cannot work here."""
        if self._process is None:
            self._process = await self._launch()
        while not self._ready:
            line = await self._line(cancel)
            if line.fault:
                await self.close()
                raise RequestRejected(
                    f"the local model cannot be loaded: {line.fault}", hint=f"try: {INSTALL}"
                )
            self._ready = line.ready

    async def ask(self, request: bytes, cancel: CancelToken) -> AsyncGenerator[Chunk, None]:
        """`request` is one line of JSON. Raises `StreamBroken` when the process ends or is silent
        for too long, `RequestRejected` for what the engine does not accept."""
        await self._settle(cancel)
        self._write(request)
        self._owed += 1
        try:
            while not (line := await self._line(cancel)).done:
                _check(line)
                if line.chunk is not None:
                    yield line.chunk
            self._owed -= 1
        finally:
            if self._owed and self._process is not None:
                self._write(b"stop")

    async def close(self) -> None:
        process, self._process = self._process, None
        self._ready, self._owed = False, 0
        if process is None:
            return
        if process.returncode is None:
            process.kill()
        await process.wait()

    async def _launch(self) -> Process:
        found = self._installation
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", "-X", "utf8", str(_WORKER)),
            *(str(found.engine), str(found.model), str(threads_for(os.getloadavg()[0]))),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            limit=_LINE,
            env={name: os.environ[name] for name in _KEPT if name in os.environ},
            start_new_session=True,  # an interrupt from the keyboard is ours to handle
        )

    async def _settle(self, cancel: CancelToken) -> None:
        """Read the rest of what was given up."""
        while self._owed:
            if (await self._line(cancel)).done:
                self._owed -= 1

    def _write(self, line: bytes) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(line + b"\n")

    async def _line(self, cancel: CancelToken) -> _Line:
        try:
            line = await cancel.run(self._read())
        except TimeoutError:
            await self.close()
            raise StreamBroken(f"the local model was silent for {self._idle:g} s") from None
        if not line.endswith(b"\n"):
            raise await self._ended()
        return _decoder.decode(line)

    async def _read(self) -> bytes:
        if self._process is None or self._process.stdout is None:
            raise StreamBroken("the local model is not running")
        return await asyncio.wait_for(self._process.stdout.readline(), self._idle)

    async def _ended(self) -> StreamBroken | RequestRejected:
        was_ready, process = self._ready, self._process
        code = await process.wait() if process is not None else 0
        await self.close()
        if was_ready:
            return StreamBroken(f"the process of the local model ended ({code})")
        return RequestRejected(
            f"the local model cannot be loaded on this machine ({code})", hint=f"try: {INSTALL}"
        )


def threads_for(load: float) -> int:
    """Two on a machine with room for them; on a busy one, one is faster than two."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return _MOST_THREADS if cores - load >= _ROOM_FOR_TWO else 1


def _check(line: _Line) -> None:
    refusal = line.chunk.error.message if line.chunk and line.chunk.error else line.fault
    if refusal:
        raise RequestRejected(f"the local model does not take the request: {refusal}")
