"""Command lines on this machine, as the `Shell` port promises them.

Each command gets a session of its own, an environment by allow-list and no standard input. It is
started by the session's keeper (`processes/keeper.py`), which is told when it must end and sees by
itself when we are gone: whatever the command started ends with it, daemons too.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from enum import Enum, auto
from pathlib import Path

from induscode.errors import Cancelled
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import Progress, ShellOutcome, ShellStream
from induscode.policy.environment import child_environment
from induscode.policy.redaction import Secrets, StreamRedactor
from induscode.tools.capture import Capture, Reporter
from induscode.tools.limits import (
    COMMAND_SECONDS_MOST,
    OUTPUT_BYTES,
    SECONDS_TO_CLOSE,
    SECONDS_TO_DRAIN,
    SECONDS_TO_END,
)
from induscode.tools.processes.limits import BACKGROUND_FOLDER, SECONDS_AT_CLOSE
from induscode.tools.processes.line import Keeper, Line, Mode
from induscode.tools.processes.spawned import (
    FileOutput,
    LocalSpawned,
    PipeOutput,
    exit_code,
    new_capture,
)

__all__ = ["LocalShell"]

_CHUNK = 64 * 1024


class _Ending(Enum):
    EXITED = auto()
    TIMED_OUT = auto()
    CANCELLED = auto()
    TOO_MUCH = auto()


class LocalShell:
    """`spill_directory` takes outputs too long for memory; it is made when first needed. What a
    command says is rid of `secrets` before anything keeps or reports it; `before_first` is the
    keeper's."""

    def __init__(
        self,
        spill_directory: Path,
        *,
        environ: Mapping[str, str] | None = None,
        also: Iterable[str] = (),
        secrets: Secrets | None = None,
        before_first: Callable[[], None] | None = None,
    ) -> None:
        self._spill_directory = spill_directory
        self._secrets = secrets or Secrets()
        self._environment = child_environment(
            os.environ if environ is None else environ, also=also, secrets=self._secrets
        )
        self._shell = "/bin/bash" if os.access("/bin/bash", os.X_OK) else "/bin/sh"
        self.keeper = Keeper(before_first)
        self._spawned: dict[LocalSpawned, Mode] = {}

    async def run(
        self,
        command: str,
        *,
        cwd: Path,
        seconds: float,
        cancel: CancelToken,
        progress: Progress,
        apart: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> ShellOutcome:
        """Raises OSError when nothing could be started and `Cancelled` when `cancel` was used."""
        cancel.check()
        with ExitStack() as ours, ExitStack() as theirs:
            pipes = [_pipe(ours, theirs) for _ in range(2 if apart else 1)]
            ends = (pipes[0][1], pipes[-1][1])
            line = await self._begin(command, cwd, environment, ends, Mode.FOREGROUND)
            theirs.close()
            ours.pop_all()
        run = _Run(line, [_Listened(pipe, self._said(progress)) for pipe, _ in pipes])
        return await run.to_the_end(min(seconds, COMMAND_SECONDS_MOST), cancel)

    async def spawn(
        self,
        command: str,
        *,
        cwd: Path,
        apart: bool = False,
        detached: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> LocalSpawned:
        """The output is kept in files of their own in the folder `BACKGROUND_FOLDER`."""
        folder = self._spill_directory / BACKGROUND_FOLDER
        mode = Mode.DETACHED if detached else Mode.BACKGROUND
        with ExitStack() as ours, ExitStack() as theirs:
            files: list[tuple[Path, int]] = []
            for ending in ("out", "err") if apart else ("txt",):
                files.append(new_capture(folder, ending))
                ours.callback(os.close, files[-1][1])
            pipes = [_pipe(ours, theirs) for _ in files if not detached]
            ends = [end for _, end in pipes] or [descriptor for _, descriptor in files]
            line = await self._begin(command, cwd, environment, (ends[0], ends[-1]), mode)
            theirs.close()
            ours.pop_all()
        if detached:
            outputs = tuple(FileOutput(file, self._secrets) for file in files)
        else:
            outputs = tuple(
                PipeOutput(pipe, file, self._secrets)
                for (pipe, _), file in zip(pipes, files, strict=True)
            )
        spawned = LocalSpawned(line, outputs, lambda gone: self._spawned.pop(gone, None))
        self._spawned[spawned] = mode
        return spawned

    async def close(self) -> None:
        """End everything that is not detached, and wait until it is gone."""
        running = tuple(self._spawned.items())
        detached = [spawned for spawned, mode in running if mode is Mode.DETACHED]
        attached = [spawned for spawned, mode in running if mode is not Mode.DETACHED]
        await asyncio.gather(*(spawned.stop(SECONDS_AT_CLOSE) for spawned in attached))
        for spawned in (*detached, *attached):
            await spawned.let_go()
        await self.keeper.close()

    def _said(self, progress: Progress) -> _Said:
        return _Said(Capture(self._spill_directory), Reporter(progress), self._secrets.stream())

    async def _begin(
        self,
        command: str,
        cwd: Path,
        environment: Mapping[str, str] | None,
        outputs: tuple[int, int],
        mode: Mode,
    ) -> Line:
        words = (self._shell, "-c", command)
        found = self._environment if environment is None else environment
        return await self.keeper.begin(words, cwd, found, outputs=outputs, mode=mode)


def _pipe(ours: ExitStack, theirs: ExitStack) -> tuple[int, int]:
    """Both ends are closed with their stack."""
    reading, writing = os.pipe()
    ours.callback(os.close, reading)
    theirs.callback(os.close, writing)
    return reading, writing


class _Said:
    """What a command says, without secrets: kept by `capture`, shown by `reporter`."""

    def __init__(self, capture: Capture, reporter: Reporter, redactor: StreamRedactor) -> None:
        self.capture = capture
        self._reporter = reporter
        self._redactor = redactor

    def feed(self, data: bytes) -> None:
        self._take(self._redactor.feed(data))

    def close(self) -> None:
        self._take(self._redactor.flush())
        self._reporter.flush()
        self.capture.close()

    def _take(self, data: bytes) -> None:
        if data:
            self.capture.feed(data)
            self._reporter.feed(data)


class _Listened:
    """One pipe of a command, heard until nobody holds its other end."""

    def __init__(self, pipe: int, said: _Said) -> None:
        self.silent = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._said = said
        os.set_blocking(pipe, False)

    def begin(self, too_much: Callable[[], None]) -> None:
        self._loop.add_reader(self._pipe, self._can_read, too_much)

    def close(self) -> None:
        self._loop.remove_reader(self._pipe)
        os.close(self._pipe)
        self._said.close()

    @property
    def trouble(self) -> str:
        return self._said.capture.trouble

    def kept(self) -> ShellStream:
        capture = self._said.capture
        head, tail = capture.ends()
        return ShellStream(
            head, tail, capture.omitted_bytes, capture.omitted_lines, capture.spilled
        )

    def _can_read(self, too_much: Callable[[], None]) -> None:
        data = os.read(self._pipe, _CHUNK)
        if not data:
            self._loop.remove_reader(self._pipe)
            self.silent.set()
            return
        self._said.feed(data)
        if self._said.capture.full:
            too_much()


class _Run:
    """One started command, until nothing of it is left."""

    def __init__(self, line: Line, listened: Sequence[_Listened]) -> None:
        self._loop = asyncio.get_running_loop()
        self._line = line
        self._listened = listened
        self._ending: asyncio.Future[_Ending] = self._loop.create_future()

    async def to_the_end(self, seconds: float, cancel: CancelToken) -> ShellOutcome:
        watch = asyncio.ensure_future(self._until_exited())
        for one in self._listened:
            one.begin(lambda: self._end(_Ending.TOO_MUCH))
        timer = self._loop.call_later(seconds, self._end, _Ending.TIMED_OUT)
        forget = cancel.on_cancel(lambda: self._end(_Ending.CANCELLED))
        try:
            ending = await self._ending
        finally:
            timer.cancel()
            forget()
            watch.cancel()
            try:
                await self._stop()
            finally:
                self._close()
        if ending is _Ending.CANCELLED:
            raise Cancelled(cancel.reason)
        return self._outcome(ending)

    def _end(self, ending: _Ending) -> None:
        if not self._ending.done():
            self._ending.set_result(ending)

    async def _until_exited(self) -> None:
        await self._line.exited.wait()
        self._end(_Ending.EXITED)

    async def _stop(self) -> None:
        """End what is left, kindly first, and take what it still had to say. A second cancellation
        ends the kindness: the line is closed."""
        if not self._line.exited.is_set():
            self._line.end(SECONDS_TO_END)
        await _bounded(self._line.gone, SECONDS_TO_END + SECONDS_TO_CLOSE)
        for one in self._listened:
            await _bounded(one.silent, SECONDS_TO_DRAIN)

    def _close(self) -> None:
        self._line.close()
        for one in self._listened:
            one.close()

    def _outcome(self, ending: _Ending) -> ShellOutcome:
        said, *apart = [one.kept() for one in self._listened]
        notes = [one.trouble for one in self._listened if one.trouble]
        if ending is _Ending.TOO_MUCH:
            limit = OUTPUT_BYTES // 1024 // 1024
            notes.append(f"it was ended because it said more than {limit} MB")
        if not self._line.gone.is_set():
            notes.append("something that it started could not be ended")
        return ShellOutcome(
            output=said.output,
            tail=said.tail,
            code=exit_code(self._line.code) if ending is _Ending.EXITED else None,
            timed_out=ending is _Ending.TIMED_OUT,
            omitted_bytes=said.omitted_bytes,
            omitted_lines=said.omitted_lines,
            spilled=said.spilled,
            note="; ".join(notes),
            errors=apart[0] if apart else None,
        )


async def _bounded(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
