"""Our end of the keeper: it is started when the first command comes; each command has a line."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import struct
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path

from induscode.tools.limits import SECONDS_TO_CLOSE
from induscode.tools.processes.limits import SECONDS_TO_START

__all__ = ["Keeper", "Line", "Mode"]

_PROGRAM = str(Path(__file__).with_name("keeper.py"))
_RECORD = struct.Struct("!ci")
_IDLE_MOST = 2
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # for the interpreter; a command gets neither


class Mode(Enum):
    """What becomes of a command's descendants; the values are the keeper's."""

    FOREGROUND = b"f"
    BACKGROUND = b"b"
    DETACHED = b"d"


class Keeper:
    """The process that starts commands, begun when it is first needed and again when it died. It
    ends when this object does, or the program: whatever it looks after ends with it. `before_first`
    is called once, before the first command starts."""

    def __init__(self, before_first: Callable[[], None] | None = None) -> None:
        self._before_first = before_first
        self._control: socket.socket | None = None
        self._pid = 0
        self._idle: list[socket.socket] = []
        self._forget: Callable[[], object] = lambda: None

    async def begin(
        self,
        words: Sequence[str],
        cwd: Path,
        environ: Mapping[str, str],
        *,
        outputs: tuple[int, int],
        mode: Mode,
        source: int | None = None,
    ) -> Line:
        """Start a command. `outputs` are the descriptors for what it says and for its errors,
        `source` for what it is told, which is nothing without one; they stay the caller's. Raises
        OSError when it could not be started."""
        prepare, self._before_first = self._before_first, None
        if prepare is not None:
            prepare()
        request = _request(words, cwd, environ)
        line = self._line(mode, outputs if source is None else (*outputs, source))
        try:
            await line.begin(request)
        except BaseException:
            line.close()
            raise
        return line

    async def close(self) -> None:
        """Let it end, and wait for that. What it looks after must have been ended before."""
        control, self._control = self._control, None
        if control is None:
            return
        self._forget()
        _close_all(self._idle)
        with control:
            control.settimeout(0)
            control.shutdown(socket.SHUT_WR)
            try:
                async with asyncio.timeout(SECONDS_TO_CLOSE):
                    await asyncio.get_running_loop().sock_recv(control, 1)
                _reap(self._pid, 0)  # it has closed its end: it is gone or about to be
            except (TimeoutError, ConnectionError):
                _reap(self._pid)

    def _line(self, mode: Mode, streams: tuple[int, ...]) -> Line:
        """A line whose reaper has been told the mode: one that is idle, or a new one."""
        while True:
            fresh = mode is Mode.DETACHED or not self._idle
            line = self._new_line(mode) if fresh else self._idle.pop()
            line.settimeout(0)
            try:
                socket.send_fds(line, [mode.value], streams)
            except (BrokenPipeError, ConnectionResetError):  # its reaper was killed
                line.close()
                if fresh:
                    raise _no_keeper() from None
                continue
            return Line(line, _close if mode is Mode.DETACHED else self._keep)

    def _keep(self, line: socket.socket) -> None:
        if self._control is not None and len(self._idle) < _IDLE_MOST:
            self._idle.append(line)
        else:
            line.close()

    def _new_line(self, mode: Mode) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            control = self._control or self._start()
            try:
                socket.send_fds(control, [mode.value], [theirs.fileno()])
            except (BrokenPipeError, ConnectionResetError):  # it was killed
                control.close()
                self._forget()
                _reap(self._pid)
                socket.send_fds(self._start(), [mode.value], [theirs.fileno()])
        return ours

    def _start(self) -> socket.socket:
        for pid in tuple(_left):
            _reap(pid)
        control, theirs = socket.socketpair()
        environ = {name: os.environ[name] for name in _KEPT if name in os.environ}
        program = os.open(_PROGRAM, os.O_RDONLY | os.O_CLOEXEC)
        try:
            # By descriptor, so that its words do not hold our name: who kills us by it, with
            # SIGKILL, must not kill the one who cleans up.
            self._pid = os.posix_spawn(
                sys.executable,
                [sys.executable, "-I", "-S", "/dev/fd/3"],
                environ,
                file_actions=(
                    (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_DUP2, program, 3),
                ),
                setsid=True,
                setsigmask=(),
            )
        except OSError:
            control.close()
            raise
        finally:
            theirs.close()
            os.close(program)
        self._control = control
        self._forget = weakref.finalize(self, _abandon, control, self._idle, self._pid).detach
        return control


class Line:
    """One command, as its reaper tells of it. `begin` starts the telling; `keep` takes the socket
    when the reaper is free for another."""

    def __init__(self, line: socket.socket, keep: Callable[[socket.socket], None]) -> None:
        self._line = line
        self._keep = keep
        self._loop = asyncio.get_running_loop()
        self._heard = b""
        self._free = self._closed = False
        self._started: asyncio.Future[int] = self._loop.create_future()
        self.exited = asyncio.Event()
        """The command itself has ended, or nobody knows any more."""
        self.gone = asyncio.Event()
        """Nothing that it started is left."""
        self.code: int | None = None
        """How it ended: its exit code, or a signal's number below 0."""
        self.pid = 0

    async def begin(self, request: bytes) -> None:
        """Raises OSError when the command could not be started."""
        try:
            async with asyncio.timeout(SECONDS_TO_START):
                await self._loop.sock_sendall(self._line, request)
                self._loop.add_reader(self._line, self._can_read)
                self.pid = await self._started
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            raise _no_keeper() from None

    def end(self, seconds: float) -> None:
        """Ask everything of this command to end, and kill what is left after `seconds`."""
        if not self._closed and not self.gone.is_set():
            try:
                self._line.send(struct.pack("!cd", b"e", seconds))
            except (BlockingIOError, BrokenPipeError, ConnectionResetError):
                return  # it is about to be gone, or has been asked a thousand times

    def close(self) -> None:
        """Stop listening. What is not detached ends, if it has not."""
        if not self._started.done():
            self._started.cancel()
        if self._closed:
            return
        self._closed = True
        self._loop.remove_reader(self._line)
        if self._free:
            self._keep(self._line)
        else:
            self._line.close()

    def _can_read(self) -> None:
        try:
            data = self._line.recv(4096)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        self._heard += data
        whole = len(self._heard) // _RECORD.size * _RECORD.size
        for kind, number in _RECORD.iter_unpack(self._heard[:whole]):
            self._hear(kind, number)
        self._heard = self._heard[whole:]
        if not data:
            self._loop.remove_reader(self._line)
            self._ended()

    def _hear(self, kind: bytes, number: int) -> None:
        match kind:
            case b"S" if not self._started.done():
                self._started.set_result(number)
            case b"F" if not self._started.done():
                self._started.set_exception(OSError(number, os.strerror(number)))
            case b"X":
                self.code = number
                self.exited.set()
            case b"E":
                self._free = True
                self._ended()
            case _:
                return

    def _ended(self) -> None:
        if not self._started.done():
            self._started.set_exception(_no_keeper())
        self.exited.set()
        self.gone.set()


def _no_keeper() -> OSError:
    return OSError(
        errno.ESRCH, "the process that runs commands was ended; whether it had begun is not known"
    )


def _request(words: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> bytes:
    pairs = (f"{name}={value}" for name, value in environ.items())
    fields = [os.fsencode(text) for text in (str(len(words)), str(cwd), *words, *pairs)]
    if any(b"\0" in field for field in fields):
        raise ValueError("embedded null byte")
    body = b"\0".join(fields)
    return struct.pack("!I", len(body)) + body


_left: set[int] = set()
"""Keepers that were abandoned and are to be reaped when they have ended."""


def _abandon(control: socket.socket, idle: list[socket.socket], pid: int) -> None:
    _close_all(idle)
    control.close()
    _left.add(pid)
    _reap(pid)


def _close(line: socket.socket) -> None:
    line.close()


def _close_all(lines: list[socket.socket]) -> None:
    while lines:
        lines.pop().close()


def _reap(pid: int, how: int = os.WNOHANG) -> None:
    try:
        done, _ = os.waitpid(pid, how)
    except ChildProcessError:
        done = pid
    if done:
        _left.discard(pid)
    else:
        _left.add(pid)
