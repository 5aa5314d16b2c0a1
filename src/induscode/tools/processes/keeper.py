"""The keeper: the process beside a session that starts its commands and ends what they leave.

Run with an isolated interpreter, in a session of its own; imports nothing of ours.

    python -I -S keeper.py      standard input is a socket whose other end the session holds

A message on that socket is a letter with a descriptor: a line. The keeper forks a reaper for it,
which does one command after another; one for a detached command (`d`) is not waited for when the
session is gone. A request on the line is a letter, the mode, with two
descriptors (where output and errors go), a length, and fields parted by NUL: how many words, the
directory, the words, the environment. The reaper starts the command in a session of its own and
answers with records: `S` and its number, or `F` and the error; `X` and how it ended; `E` when
nothing of it is left. `e` and a number of seconds asks all of it to end, and kills what is left
after that time. So does the end of the line: the session is gone, even by SIGKILL.

Whatever the command starts, its orphans come to the reaper, however often they fork and whatever
session they make. A reaper that is killed leaves them to the keeper, which kills them. Where the
kernel has no subreapers (not Linux), only the process group of a command is ended.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
from _socket import AF_UNIX, CMSG_SPACE, SOCK_STREAM, socket
from fcntl import F_SETFD, FD_CLOEXEC, fcntl
from struct import iter_unpack, pack, unpack, unpack_from
from time import monotonic

__all__ = ["main"]

# The third mode, `b`, has no case of its own: what is left goes on until it is ended.
_FOREGROUND = b"f"  # what is left when the command exits is killed
_DETACHED = b"d"  # the end of the line ends nothing
_SECONDS_WITHOUT_SESSION = 1.0
_OUTPUTS = 2
_RIGHTS_MOST = 3
_NOTHING_TO_READ = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
_WORD = 4
_TIME = 8
_ENDING = b"e"
_CHUNK = 4096
_PAUSE = 0.005
_LONGEST_PAUSE = 1.0
_SET_NAME, _SET_CHILD_SUBREAPER = 15, 36
_DEAF_TO = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
_AS_USUAL = (*_DEAF_TO, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)
_LINUX = sys.platform == "linux"
_libc = ctypes.CDLL(None)


def main() -> None:
    _close_inherited()
    for number in _DEAF_TO:
        signal.signal(number, signal.SIG_IGN)
    _become(b"keeper")
    _Keeper(socket(AF_UNIX, SOCK_STREAM, 0, 0)).serve()


def _close_inherited() -> None:
    if not _LINUX:
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        return
    for name in [entry.name for entry in os.scandir("/proc/self/fd")]:
        try:
            if name not in {"0", "1", "2"}:
                os.close(int(name))
        except OSError:
            continue  # the listing's own


class _Keeper:
    """Forks reapers, until the session is gone and nothing needs it."""

    def __init__(self, control: socket) -> None:
        self._control = control
        self._wake = _Wake()
        self._reapers: dict[int, bytes] = {}
        self._open = True
        self._lost = False
        self._pause = _PAUSE

    def serve(self) -> None:
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._wake.reading, select.POLLIN)
        while self._needed():
            wait = self._end_orphans()
            for descriptor, _ in poll.poll(None if wait is None else wait * 1000):
                if descriptor == self._wake.reading:
                    self._wake.clear()
                elif not self._take():
                    poll.unregister(self._control)
                    self._open = False

    def _needed(self) -> bool:
        for pid, status in _ended(os.WUNTRACED):
            if os.WIFSTOPPED(status):
                _signal([pid], signal.SIGCONT)
            elif pid in self._reapers:
                del self._reapers[pid]
                self._lost |= status != 0  # one that did its work leaves nobody behind
        return self._open or self._lost or any(m != _DETACHED for m in self._reapers.values())

    def _end_orphans(self) -> float | None:
        """Kill what a reaper left that was itself killed; says when to look again."""
        if not self._lost:
            return None
        orphans = _descendants(besides=set(self._reapers))
        self._lost = bool(orphans)
        _signal(orphans, signal.SIGKILL)
        pause, self._pause = self._pause, min(self._pause * 2, _LONGEST_PAUSE)
        return pause if orphans else 0

    def _take(self) -> bool:
        """One message; False at the end of the socket."""
        mode, given = _receive(self._control, 1)
        for descriptor in given:
            self._fork(socket(AF_UNIX, SOCK_STREAM, 0, descriptor), mode)
        return bool(mode)

    def _fork(self, line: socket, mode: bytes) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            _tell(line, _record(b"F", error.errno or 0))
        else:
            if not pid:
                self._wake.close()
                os.close(0)
                _run_reaper(line)
            self._reapers[pid] = mode
        line.close()


def _run_reaper(line: socket) -> None:
    """In the forked process; does not return."""
    code = 1
    try:
        os.setsid()
        _become(b"reaper")
        wake = _Wake()
        while _Reaper(line, wake).serve():
            pass
        code = 0
    finally:
        os._exit(code)


class _Reaper:
    """Starts one command and waits until nothing of it is left."""

    def __init__(self, line: socket, wake: _Wake) -> None:
        self._line = line
        self._wake = wake
        self._open = True
        self._mode = b""
        self._leader = 0
        self._exited = False
        self._asked = False
        self._kill_at: float | None = None
        self._pause = _PAUSE
        self._heard = b""

    def serve(self) -> bool:
        """False when the line has ended."""
        self._mode, streams = _receive(self._line, 1)
        while self._mode == _ENDING:  # meant for the command before
            self._exactly(_TIME)
            self._mode, streams = _receive(self._line, 1)
        fields = self._exactly(unpack("!I", self._exactly(_WORD) or bytes(_WORD))[0])
        if not fields or len(streams) < _OUTPUTS:
            return False
        self._start(fields.split(b"\0"), streams)
        for descriptor in streams:
            os.close(descriptor)
        self._reap()
        if not _LINUX and self._leader and self._mode != _DETACHED:
            _signal_group(self._leader, signal.SIGKILL)
        return self._open

    def _exactly(self, size: int) -> bytes:
        """Less at the end of the line."""
        got = bytearray()
        while len(got) < size and (piece := self._line.recv(size - len(got))):
            got += piece
        return bytes(got) if len(got) == size else b""

    def _start(self, request: list[bytes], streams: list[int]) -> None:
        """`streams` are standard output, standard error and, where there is one, standard input."""
        output, errors, *source = streams
        count = int(request[0])
        words, pairs = request[2 : 2 + count], request[2 + count :]
        environ = {name: value for name, _, value in (pair.partition(b"=") for pair in pairs)}
        try:
            os.chdir(request[1])
            self._leader = os.posix_spawn(
                words[0],
                words,
                environ,
                file_actions=(
                    (os.POSIX_SPAWN_DUP2, source[0], 0) if source else _NOTHING_TO_READ,
                    (os.POSIX_SPAWN_DUP2, output, 1),
                    (os.POSIX_SPAWN_DUP2, errors, 2),
                ),
                setsid=True,
                setsigmask=(),
                setsigdef=_AS_USUAL,
            )
            _tell(self._line, _record(b"S", self._leader))
        except OSError as error:
            _tell(self._line, _record(b"F", error.errno or 0))
        os.chdir("/")

    def _reap(self) -> None:
        poll = select.poll()
        poll.register(self._line, select.POLLIN)
        poll.register(self._wake.reading, select.POLLIN)
        while self._some_left():
            wait = self._next_look()
            for descriptor, _ in poll.poll(None if wait is None else wait * 1000):
                if descriptor == self._wake.reading:
                    self._wake.clear()
                elif not self._listen():
                    poll.unregister(self._line)
                    self._open = False

    def _some_left(self) -> bool:
        """What is to be told is told at once, so that nobody sees the one without the other."""
        news = b""
        for pid, status in _ended():
            if pid == self._leader and not self._exited:
                self._exited = True
                news = _record(b"X", os.waitstatus_to_exitcode(status))
                if self._mode == _FOREGROUND and not self._asked:
                    self._kill_at = 0.0
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            _tell(self._line, news + _record(b"E", 0))
            return False
        if news:
            _tell(self._line, news)
        return True

    def _next_look(self) -> float | None:
        """Kill when it is time; says for how long nothing is to be done by itself."""
        if self._kill_at is None:
            return None
        left = self._kill_at - monotonic()
        if left > 0:
            return left
        self._to_all(signal.SIGKILL)
        pause, self._pause = self._pause, min(self._pause * 2, _LONGEST_PAUSE)
        return pause

    def _listen(self) -> bool:
        """Hear of an ending; False at the end of the line, which is one, too."""
        try:
            data = self._line.recv(_CHUNK)
        except ConnectionResetError:
            data = b""
        if not data:
            if self._mode != _DETACHED:
                self._end(_SECONDS_WITHOUT_SESSION)
            return False
        self._heard += data
        while len(self._heard) > _TIME:
            self._end(unpack_from("!d", self._heard, 1)[0])
            self._heard = self._heard[1 + _TIME :]
        return True

    def _end(self, seconds: float) -> None:
        at = monotonic() + seconds
        self._kill_at = at if self._kill_at is None else min(self._kill_at, at)
        if seconds > 0 and not self._asked:
            self._to_all(signal.SIGTERM)
            self._to_all(signal.SIGCONT)
        self._asked = True

    def _to_all(self, number: int) -> None:
        if _LINUX:
            _signal(_descendants(), number)
        else:
            _signal_group(self._leader, number)


class _Wake:
    """A pipe that can be read from when a child has ended."""

    def __init__(self) -> None:
        self.reading, self._writing = os.pipe()
        os.set_blocking(self.reading, False)
        os.set_blocking(self._writing, False)
        signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

    def clear(self) -> None:
        os.read(self.reading, _CHUNK)

    def close(self) -> None:
        signal.set_wakeup_fd(-1)
        os.close(self.reading)
        os.close(self._writing)


def _become(name: bytes) -> None:
    """Adopt orphans, under a name that nobody means who kills `python` or `indus`."""
    if _LINUX:
        _libc.prctl(_SET_NAME, name, 0, 0, 0)
        _libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _receive(line: socket, size: int) -> tuple[bytes, list[int]]:
    """A message, empty at the end, and the descriptors that came with it."""
    try:
        message, ancillary, _, _ = line.recvmsg(size, CMSG_SPACE(_RIGHTS_MOST * _WORD))
    except ConnectionResetError:
        return b"", []
    given: list[int] = [each for _, _, data in ancillary for (each,) in iter_unpack("i", data)]
    for descriptor in given:
        fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return message, given


def _record(kind: bytes, number: int) -> bytes:
    return kind + pack("!i", number)


def _tell(line: socket, records: bytes) -> None:
    try:
        line.send(records)
    except OSError:
        return  # nobody listens any more


def _ended(also: int = 0) -> list[tuple[int, int]]:
    """The children that have ended, reaped, with their status."""
    found: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG | also)
        except ChildProcessError:
            return found
        if not pid:
            return found
        found.append((pid, status))


def _descendants(besides: set[int] | frozenset[int] = frozenset()) -> list[int]:
    """Everything below this process, but for `besides` and what is below those; young ones first,
    since they are the ones that may be about to fork."""
    names = [entry.name for entry in os.scandir("/proc") if entry.name.isdecimal()]
    parents = {int(name): _parent(name) for name in reversed(names)}
    own = {os.getpid()}
    found: dict[int, None] = {}
    grew = True
    while grew:
        below = [p for p, up in parents.items() if up in own and p not in own and p not in besides]
        own.update(below)
        found |= dict.fromkeys(below)
        grew = bool(below)
    return list(found)


def _parent(name: str) -> int:
    """0 for a process that has just ended."""
    try:
        stat = os.open(f"/proc/{name}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        return int(os.read(stat, _CHUNK).rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0
    finally:
        os.close(stat)


def _signal(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def _signal_group(leader: int, number: int) -> None:
    try:
        os.killpg(leader, number)
    except (ProcessLookupError, PermissionError):
        return


if __name__ == "__main__":
    main()
