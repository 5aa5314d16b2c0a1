"""The last step before an addon's program: takes its streams, confines itself, becomes it.

Run by the keeper with an isolated interpreter; imports nothing of ours.

    python -I -S launch.py      standard output is a socket whose other end the host holds

On the socket comes a length, with two descriptors (what becomes standard input and output), and
fields parted by NUL: flags, two limits, four numbers, and then as many words, variables, and
paths to read and to write as the numbers say. Back goes a line for each wall that stands
(`landlock`, `network`, `namespaces`), or `!` and why the program cannot be started, or `?` when
namespaces were entered that cannot be used: then it is to be tried again without. The end of the
socket without one of these means that it has started. What the kernel cannot do is left out, and
so not told.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import stat
import sys
from _socket import AF_UNIX, CMSG_SPACE, SOCK_STREAM, socket
from fcntl import F_SETFD, FD_CLOEXEC, fcntl
from struct import calcsize, iter_unpack, pack, unpack

__all__ = ["main"]

_LINUX = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True)
_OPEN_FILES = 1024

_SET_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2
_NEW_IPC, _NEW_USER, _NEW_PID, _NEW_NET = 0x08000000, 0x10000000, 0x20000000, 0x40000000

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every machine
_PATH_BENEATH = 1
_READING = 0b1101  # execute, read file, read directory
_ON_FILES = (1 << 0) | (1 << 1) | (1 << 2) | (1 << 14) | (1 << 15)
_RIGHTS_OF = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many file rights a version knows
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6
_EVERYWHERE = 5  # the last version that added a file right

# Of each machine: its name for audits, the number of socket(2), where 32-bit numbers begin.
_MACHINES = {"x86_64": (0xC000003E, 41, 0x40000000), "aarch64": (0xC00000B7, 198, 0)}
_IO_URING_SETUP = 425
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE, _ABSENT = 0x7FFF0000, 0x00050000 | 13, 0x00050000 | 38


class _NamespacesUnusable(Exception):
    """They were entered, and the system does not let us be ourselves there."""


def main() -> None:
    line = socket(AF_UNIX, SOCK_STREAM, 0, os.dup(1))
    try:
        asked, streams = _asked(line)
        for wall in _confine(asked):
            line.sendall(wall + b"\n")
        os.dup2(streams[0], 0)
        os.dup2(streams[1], 1)
        os.umask(0o077)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.execve(asked.words[0], asked.words, asked.environ)
    except _NamespacesUnusable:
        line.sendall(b"?")
    except OSError as error:
        line.sendall(b"!" + str(error).encode("utf-8", "replace"))
    os._exit(1)


class _Asked:
    """What is to be started: `flags` are `c`onfined, `n`etwork, `s`paces of names."""

    def __init__(self, fields: list[bytes]) -> None:
        self.flags = fields[0]
        self.memory, self.processes = int(fields[1]), int(fields[2])
        rest = iter(fields[7:])
        lists = [[next(rest) for _ in range(int(size))] for size in fields[3:7]]
        self.words, variables, self.reads, self.writes = lists
        self.environ = dict(pair.split(b"=", 1) for pair in variables)
        self.network = b"n" in self.flags


def _asked(line: socket) -> tuple[_Asked, list[int]]:
    size, ancillary, _, _ = line.recvmsg(4, CMSG_SPACE(2 * calcsize("i")))
    streams = [each for _, _, data in ancillary for (each,) in iter_unpack("i", data)]
    for stream in streams:
        fcntl(stream, F_SETFD, FD_CLOEXEC)
    data = bytearray()
    while len(data) < unpack("!I", size)[0] and (piece := line.recv(65536)):
        data += piece
    return _Asked(bytes(data).split(b"\0")), streams


def _confine(asked: _Asked) -> list[bytes]:
    """The walls that stand now. Order matters: each takes away what the next would need."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _limit(resource.RLIMIT_DATA, asked.memory)
    walls: list[bytes] = []
    if not (_LINUX and b"c" in asked.flags):
        return walls
    if b"s" in asked.flags and _namespaces(network=asked.network):
        walls.append(b"namespaces")
        _descend()
        # Counted for this namespace alone; outside of one it would count all that the person runs.
        _limit(resource.RLIMIT_NPROC, asked.processes)
    if _libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return walls
    if _landlock(asked.reads, asked.writes, network=asked.network):
        walls.append(b"landlock")
    if _sockets(network=asked.network):
        walls.append(b"network")
    return walls


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def _namespaces(*, network: bool) -> bool:
    user, group = os.getuid(), os.getgid()
    if _libc.unshare(_NEW_USER | _NEW_PID | _NEW_IPC | (0 if network else _NEW_NET)):
        return False
    try:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    except OSError:
        raise _NamespacesUnusable from None
    return True


def _descend() -> None:
    """Go on as a child of the first process of the new namespace. When that ends, and it ends with
    the child, the kernel ends everything in there at once, however fast it forks."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is for the program, which may take its time
    for _ in range(2):
        child = os.fork()
        if child:
            _stand_by(child)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _stand_by(child: int) -> None:
    """Reap until the child ends, and end as it did, a signal as shells tell it."""
    os.closerange(0, _OPEN_FILES)
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def _write(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def _landlock(reads: list[bytes], writes: list[bytes], *, network: bool) -> bool:
    """Files as listed and nothing else; no TCP; no signals and no look at processes outside."""
    version: int = _libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    all_rights = (1 << _RIGHTS_OF[min(version, _EVERYWHERE)]) - 1
    handled = [all_rights]
    if version >= _NETWORK_SINCE:
        handled.append(0 if network else 0b11)
    if version >= _SCOPES_SINCE:
        handled.append(0b11)
    attributes = pack(f"{len(handled)}Q", *handled)
    rules: int = _libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    if rules < 0:
        return False
    for path in reads:
        _allow(rules, path, _READING)
    for path in writes:
        _allow(rules, path, all_rights)
    done = _libc.syscall(_RESTRICT_SELF, rules, 0) == 0
    os.close(rules)
    return done


def _allow(rules: int, path: bytes, rights: int) -> None:
    """What is not there need not be allowed."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not stat.S_ISDIR(os.fstat(place).st_mode):
        rights &= _ON_FILES
    _libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, pack("=Qi", rights, place), 0)
    os.close(place)


def _sockets(*, network: bool) -> bool:
    """No sockets but pairs; with the network, none of the file system's. Rings of requests would
    be a way around and are absent."""
    known = _MACHINES.get(os.uname().machine)
    if known is None:
        return False
    machine, number, foreign = known
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _REFUSE), (_LOAD, 0, 0, 0)]
    if foreign:
        steps += [(_AT_LEAST, 0, 1, foreign), (_RETURN, 0, 0, _ABSENT)]
    steps += [(_EQUAL, 0, 1, _IO_URING_SETUP), (_RETURN, 0, 0, _ABSENT)]
    steps += [(_EQUAL, 1, 0, number), (_RETURN, 0, 0, _ALLOW)]
    if network:
        steps += [(_LOAD, 0, 0, 16), (_EQUAL, 1, 0, AF_UNIX), (_RETURN, 0, 0, _ALLOW)]
    steps.append((_RETURN, 0, 0, _REFUSE))
    program = ctypes.create_string_buffer(b"".join(pack("HBBI", *step) for step in steps))
    filter_ = pack("HL", len(steps), ctypes.addressof(program))
    return _libc.prctl(_SET_SECCOMP, _FILTER, filter_, 0, 0) == 0


if __name__ == "__main__":
    main()
