"""A command that runs beside the conversation, and what it says."""

from __future__ import annotations

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from induscode.policy.redaction import Secrets
from induscode.tools.limits import SECONDS_TO_CLOSE
from induscode.tools.processes.limits import CAPTURE_BYTES
from induscode.tools.processes.line import Line
from induscode.tools.processes.recent import RecentLines

__all__ = ["FileOutput", "LocalSpawned", "PipeOutput", "exit_code", "new_capture"]

_CHUNK = 64 * 1024
_MOST_AT_ONCE = 64


def new_capture(folder: Path, ending: str) -> tuple[Path, int]:
    """A new, private file in `folder`, which is made; the caller closes its descriptor."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"output-{os.urandom(8).hex()}.{ending}"
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_APPEND
    return path, os.open(path, flags, 0o600)


def exit_code(number: int | None) -> int | None:
    """As a shell would tell it: 128 and the number of the signal."""
    return 128 - number if number is not None and number < 0 else number


class _Output(ABC):
    """What both kinds of streams have: a file, and the last lines without their secrets."""

    def __init__(self, file: tuple[Path, int], secrets: Secrets) -> None:
        self.file, self._descriptor = file
        self.note = ""
        self._redactor = secrets.stream()
        self._recent = RecentLines()

    @property
    def end(self) -> int:
        self.catch_up()
        return self._recent.end

    def since(self, position: int) -> tuple[str, int]:
        self.catch_up()
        return self._recent.since(position)

    @abstractmethod
    def catch_up(self) -> None: ...


class PipeOutput(_Output):
    """A stream that comes to us: without its secrets it goes to the file and to memory."""

    def __init__(self, pipe: int, file: tuple[Path, int], secrets: Secrets) -> None:
        super().__init__(file, secrets)
        self._pipe = pipe
        self._written = 0
        self._loop = asyncio.get_running_loop()
        os.set_blocking(pipe, False)
        self._loop.add_reader(pipe, self._can_read)

    def catch_up(self) -> None:
        """Take what is already in the pipe."""
        for _ in range(_MOST_AT_ONCE):
            if not self._can_read():
                return

    def close(self) -> None:
        self.catch_up()
        self._finish()

    def _can_read(self) -> bool:
        if self._pipe < 0:
            return False
        try:
            data = os.read(self._pipe, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._finish()
            return False
        self._take(self._redactor.feed(data))
        return True

    def _finish(self) -> None:
        if self._pipe < 0:
            return
        self._loop.remove_reader(self._pipe)
        os.close(self._pipe)
        self._pipe = -1
        self._take(self._redactor.flush())
        self._recent.feed(b"", last=True)
        os.close(self._descriptor)

    def _take(self, data: bytes) -> None:
        self._recent.feed(data)
        if self.note or not data:
            return
        if self._written + len(data) > CAPTURE_BYTES:
            self.note = f"the file ends at {CAPTURE_BYTES // 1024 // 1024} MB"
            return
        try:
            os.write(self._descriptor, data)
            self._written += len(data)
        except OSError as error:
            self.note = f"the file is not complete: {error.strerror}"


class FileOutput(_Output):
    """The stream of a command that may outlive us, so it writes its file itself; we look there."""

    def __init__(self, file: tuple[Path, int], secrets: Secrets) -> None:
        super().__init__(file, secrets)
        self.note = "secrets are not taken out of the file of a detached process"
        self._read = 0

    def catch_up(self) -> None:
        """Take what is new in the file."""
        if self._descriptor < 0:
            return
        for _ in range(_MOST_AT_ONCE):
            data = os.pread(self._descriptor, _CHUNK, self._read)
            self._read += len(data)
            self._recent.feed(self._redactor.feed(data))
            if len(data) < _CHUNK:
                break

    def close(self) -> None:
        if self._descriptor < 0:
            return
        self.catch_up()
        self._recent.feed(self._redactor.flush(), last=True)
        os.close(self._descriptor)
        self._descriptor = -1


class LocalSpawned:
    """`over` is called once, when nothing of the command is left or it is let go of."""

    def __init__(
        self,
        line: Line,
        outputs: tuple[PipeOutput, ...] | tuple[FileOutput, ...],
        over: Callable[[LocalSpawned], object],
    ) -> None:
        self._line = line
        self.outputs = outputs
        self._over = over
        self._watch = asyncio.ensure_future(self._to_the_end())

    @property
    def pid(self) -> int:
        return self._line.pid

    @property
    def exited(self) -> bool:
        return self._line.exited.is_set()

    @property
    def code(self) -> int | None:
        return exit_code(self._line.code)

    @property
    def running(self) -> bool:
        return not self._line.gone.is_set()

    async def wait(self) -> None:
        await self._line.exited.wait()
        if not self.running:
            await asyncio.wait((self._watch,))

    async def stop(self, seconds: float) -> None:
        self._line.end(seconds)
        await asyncio.wait((self._watch,), timeout=seconds + SECONDS_TO_CLOSE)

    async def let_go(self) -> None:
        """Look no more. What is not detached ends."""
        self._watch.cancel()
        await asyncio.wait((self._watch,))

    async def _to_the_end(self) -> None:
        try:
            await self._line.gone.wait()
        finally:
            for output in self.outputs:
                output.close()
            self._line.close()
            self._over(self)
