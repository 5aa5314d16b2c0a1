"""Starting an addon's program: its streams, the keeper that ends what it leaves, its walls."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from induscode.addons.process.confine import Reach, Wall
from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.addons.process.limits import ProcessLimits
from induscode.tools.processes.line import Keeper, Line, Mode

__all__ = ["Program", "Started", "ending", "launched", "waited"]

_LAUNCHER = str(Path(__file__).with_name("launch.py"))
_CHUNK = 4096
_BY_SIGNAL = 128


class Program(Struct, frozen=True):
    """What is run: the words, the file first and absolute; where; in which environment, which is
    all of it; and what it may reach."""

    words: tuple[str, ...]
    cwd: Path
    environ: Mapping[str, str]
    reach: Reach = Reach()


class Started(Struct):
    """A program that runs. The descriptors are ours to close."""

    line: Line
    stdin: int
    stdout: int
    stderr: int
    walls: tuple[Wall, ...]


async def launched(program: Program, keeper: Keeper, limits: ProcessLimits) -> Started:
    """Returns when the program itself has begun. Raises `ProcessFault` when it has not."""
    try:
        async with asyncio.timeout(limits.handshake_seconds):
            started = await _attempt(program, keeper, limits, namespaces=True)
            if started is None:
                started = await _attempt(program, keeper, limits, namespaces=False)
    except TimeoutError:
        raise _not_started(f"it did not begin within {limits.handshake_seconds:g} s") from None
    except (OSError, ValueError) as error:
        raise _not_started(str(error)) from error
    if started is None:
        raise _not_started("its namespaces cannot be used")
    return started


async def _attempt(
    program: Program, keeper: Keeper, limits: ProcessLimits, *, namespaces: bool
) -> Started | None:
    """None when it has to be tried without namespaces."""
    with ExitStack() as ours, ExitStack() as theirs:
        control, control_end = socket.socketpair()
        ours.callback(control.close)
        theirs.callback(control_end.close)
        stdin_end, stdin = _pipe(theirs, ours)
        stdout, stdout_end = _pipe(ours, theirs)
        stderr, stderr_end = _pipe(ours, theirs)
        line = await keeper.begin(
            (sys.executable, "-I", "-S", _LAUNCHER),
            program.cwd,
            {},
            outputs=(control_end.fileno(), stderr_end),
            mode=Mode.FOREGROUND,
        )
        ours.callback(line.close)
        control_end.close()
        _ask(control, _asked(program, limits, namespaces=namespaces), stdin_end, stdout_end)
        theirs.close()
        told = await _told(control)
        if told.endswith(b"?"):
            return None
        walls, failed, why = told.partition(b"!")
        if failed:
            raise _not_started(why.decode(errors="replace"))
        control.close()
        for stream in (stdin, stdout, stderr):
            os.set_blocking(stream, False)
        ours.pop_all()
    return Started(line, stdin, stdout, stderr, tuple(Wall(w.decode()) for w in walls.split()))


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    reading, writing = os.pipe()
    reader.callback(os.close, reading)
    writer.callback(os.close, writing)
    return reading, writing


def _asked(program: Program, limits: ProcessLimits, *, namespaces: bool) -> bytes:
    """As `launch.py` reads it. Raises ValueError for what cannot be said to a program."""
    reach = program.reach
    flags = "c" * reach.confined + "n" * reach.network + "s" * namespaces
    pairs = tuple(f"{name}={value}" for name, value in program.environ.items())
    lists = (program.words, pairs, reach.reads, reach.writes)
    numbers = (limits.memory_bytes, limits.processes, *map(len, lists))
    texts = (flags, *map(str, numbers), *(text for each in lists for text in each))
    fields = [os.fsencode(text) for text in texts]
    if any(b"\0" in field for field in fields):
        raise ValueError("embedded null byte")
    return b"\0".join(fields)


def _ask(control: socket.socket, asked: bytes, *streams: int) -> None:
    """What is asked is small and fits the socket's buffer, so this does not wait."""
    control.settimeout(0)
    socket.send_fds(control, [struct.pack("!I", len(asked))], list(streams))
    if control.send(asked) != len(asked):
        raise OSError("its words and its environment are too long")


async def _told(control: socket.socket) -> bytes:
    loop, told = asyncio.get_running_loop(), b""
    while piece := await loop.sock_recv(control, _CHUNK):
        told += piece
    return told


def ending(line: Line) -> str:
    """A clause about how a program ended."""
    match line.code:
        case None:
            return "it ended, and nobody knows how"
        case code if code < 0 or code > _BY_SIGNAL:
            return f"it was ended by signal {-code if code < 0 else code - _BY_SIGNAL}"
        case code:
            return f"it ended with exit code {code}"


async def waited(event: asyncio.Event, seconds: float) -> None:
    """Until it is set, but no longer than this."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return


def _not_started(why: str) -> ProcessFault:
    return ProcessFault(ProcessFaultKind.NOT_STARTED, f"it could not be started: {why}")
