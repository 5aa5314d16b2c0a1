"""kill -9 of a session whose commands are running, daemons and all: none may survive."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.cli.home import Home, answer
from tests.tools.processes.escapes import ESCAPES, alive, marked, new_marker
from tests.torture.campaign import fresh_root
from tests.torture.scenario import Broken

__all__ = ["Figures", "kill_many", "show_processes"]

PROMISED = 3.0
"""Seconds after which nothing may be left."""

_BOUND = 30.0
_MOST_WAIT = 0.3
_STAY = "\nexec sleep 1000"


@dataclass
class Figures:
    """`slowest` is the longest time that something was left after a kill."""

    kills: int = 0
    ended: int = 0
    keepers: int = 0
    slowest: float = 0.0

    def add(self, other: Figures) -> None:
        self.kills += other.kills
        self.ended += other.ended
        self.keepers += other.keepers
        self.slowest = max(self.slowest, other.slowest)


def kill_many(count: int, seed: int, *, workers: int = 2) -> tuple[Figures, list[str]]:
    """As many sessions as kills; returns the figures and a sentence for each broken promise."""
    total, failures = Figures(), list[str]()
    with ThreadPoolExecutor(workers) as pool:
        for found in pool.map(_attempt, (f"{seed}/{number}" for number in range(count))):
            if isinstance(found, str):
                failures.append(found)
            else:
                total.add(found)
    return total, failures


def _attempt(seed: str) -> Figures | str:
    try:
        return _kill_once(seed)
    except Broken as broken:
        return f"seed {seed}: {broken}"


def _kill_once(seed: str) -> Figures:
    """One session, killed when so many of its processes are running, and a random moment later."""
    rng = Random(seed)
    marker = new_marker()
    with fresh_root("processes") as root:
        home = Home(root)
        script = home.script(_script(rng, marker))
        session = home.start("-p", "go", "-m", script, "--mode", "full")
        with session:
            wanted = rng.randint(1, 2 * len(ESCAPES))
            _until(lambda: len(alive(marker)) >= wanted or session.poll() is not None, _BOUND)
            time.sleep(rng.random() * _MOST_WAIT)
            found, keepers = alive(marker), _below(session.pid)
            session.kill()
            killed = time.monotonic()
        if session.returncode != -9:
            raise Broken(f"the session had ended before, with {session.returncode}")
        gone = _until(lambda: not alive(marker) and not _running(keepers), PROMISED)
        took = time.monotonic() - killed
        left = [*alive(marker), *_running(keepers)]
        if not gone and left:
            told = "; ".join(f"{pid} {_words(pid)!r}" for pid in left)
            raise Broken(f"{len(left)} processes are alive after {took:.1f} s: {told}")
        return Figures(1, len(found), len(keepers), took)


def _script(rng: Random, marker: str) -> str:
    """Every escape, by one tool or the other, then a command that waits beside more of them."""
    calls: list[tuple[str, dict[str, object]]] = []
    escapes = list(ESCAPES.values())
    rng.shuffle(escapes)
    for escape in escapes:
        stay = _STAY if rng.random() < 0.5 else "\nsleep 0.1"
        tool = rng.choice(("process", "bg-process"))
        calls.append((tool, {"action": "start", "command": marked(marker, escape + stay)}))
    everything = "\n".join(rng.sample(escapes, 3)) + _STAY
    calls.append(("bash", {"command": marked(marker, everything)}))
    return answer("Starting.", *calls) + answer("Done.")


def _until(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def _below(pid: int) -> list[int]:
    """The keeper of a session and its reapers."""
    parents = {p: int(found[1]) for p in _pids() if (found := _stat(p))}
    keepers = [p for p, up in parents.items() if up == pid]
    reapers = [p for p, up in parents.items() if up in keepers]
    return [*keepers, *reapers]


def _running(pids: Sequence[int]) -> list[int]:
    return [pid for pid in pids if (found := _stat(pid)) and found[0] != "Z"]


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _words(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")[:200]
    except OSError:
        return ""


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]


def show_processes(figures: Figures, failures: Sequence[str], seconds: float) -> None:
    rows = [
        ("kills", f"{figures.kills}"),
        ("processes running at the kills", f"{figures.ended}"),
        ("keepers and reapers at the kills", f"{figures.keepers}"),
        ("longest time until none was left", f"{figures.slowest:.2f} s"),
        ("broken promises", f"{len(failures)}"),
        ("seconds", f"{seconds:.0f}"),
    ]
    width = max(len(name) for name, _ in rows)
    sys.stdout.write("Kills of a session with processes of every kind running\n")
    for name, value in rows:
        sys.stdout.write(f"  {name.ljust(width)}  {value}\n")
    for failure in failures:
        sys.stdout.write(f"\nBROKEN {failure}\n")
