"""strace, as a witness (`Syscall`, `read_trace`) and as the one who does it (`kill_at`, `fail_at`).

The main thread does all the work on the log, so injection follows no child: the count of a system
call is then the same in every run of the same turn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["TOUCHING", "Point", "Syscall", "fail_at", "kill_at", "points", "read_trace", "witness"]

TOUCHING = (
    "pwrite64",
    "fdatasync",
    "fsync",
    "ftruncate",
    "flock",
    "openat",
    "write",
    "rename",
    "renameat",
    "renameat2",
    "mkdir",
    "unlink",
    "sendto",
    "vfork",
)
"""What a session does to the disk, the network and other processes."""

_LINE = re.compile(
    r"(?:(?P<pid>\d+) +)?(?:(?P<name>\w+)\((?P<arguments>.*)|<\.\.\. (?P<resumed>\w+) resumed>.*)$"
)


@dataclass(frozen=True)
class Syscall:
    """One call in the order in which it began; `ended` is the line on which it returned."""

    pid: int
    name: str
    arguments: str
    began: int
    ended: int

    @property
    def failed(self) -> bool:
        return " = -1 " in self.arguments


@dataclass(frozen=True)
class Point:
    """The `count`-th call of `name` in the process of one turn."""

    turn: int
    name: str
    count: int

    def __str__(self) -> str:
        return f"{self.name} {self.count} of turn {self.turn}"


def witness(file: Path, *names: str, follow: bool = False, string: int = 32) -> list[str]:
    children = ["-f"] if follow else []
    shown = ["-s", str(string), "-e", f"trace={','.join(names)}", "-e", "signal=none"]
    return ["strace", *children, "-y", "-qq", "-o", str(file), *shown]


def kill_at(point: Point) -> list[str]:
    """Die by SIGKILL when the call begins; it is not carried out."""
    return [*_quiet(point), "-e", f"inject={point.name}:signal=SIGKILL:when={point.count}"]


def fail_at(point: Point, error: str, *, for_good: bool, witnessed: Path) -> list[str]:
    """Let the call fail, and (`for_good`) every later one of its name."""
    when = f"{point.count}+" if for_good else str(point.count)
    command = witness(witnessed, point.name, "vfork", "rename", "pwrite64", "fdatasync")
    return [*command, "-e", f"inject={point.name}:error={error}:when={when}"]


def _quiet(point: Point) -> list[str]:
    return ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={point.name}", "-e", "signal=none"]


def read_trace(file: Path) -> list[Syscall]:
    """Calls in the order in which they began."""
    calls: list[Syscall] = []
    waiting: dict[int, int] = {}
    for number, line in enumerate(file.read_text(errors="replace").splitlines()):
        found = _LINE.match(line)
        if found is None:
            continue
        pid = int(found["pid"] or 0)
        if found["name"] is None:
            at = waiting.pop(pid, None)
            if at is not None:
                began = calls[at]
                calls[at] = Syscall(pid, began.name, began.arguments + line, began.began, number)
            continue
        if line.endswith("<unfinished ...>"):
            waiting[pid] = len(calls)
        calls.append(Syscall(pid, found["name"], found["arguments"], number, number))
    return calls


def points(turn: int, calls: Sequence[Syscall], names: Sequence[str] = TOUCHING) -> list[Point]:
    """Every call of the main process, as somewhere to strike; of opening, only that of files which
    it may write."""
    main = calls[0].pid if calls else 0
    counts: Counter[str] = Counter()
    found: list[Point] = []
    for call in calls:
        if call.pid == main and call.name in names:
            counts[call.name] += 1
            if call.name != "openat" or ("O_RDWR" in call.arguments or "O_CREAT" in call.arguments):
                found.append(Point(turn, call.name, counts[call.name]))
    return found
