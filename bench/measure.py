"""Running a command and reading what it cost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cost", "interleaved", "run"]

_RUNNER = str(Path(__file__).parent / "runner.py")


@dataclass(frozen=True)
class Cost:
    """Seconds of wall and CPU time, and the largest resident size in MB."""

    wall: float
    cpu: float
    rss: float

    def least(self, other: Cost) -> Cost:
        return Cost(min(self.wall, other.wall), min(self.cpu, other.cpu), min(self.rss, other.rss))


def run(command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> Cost:
    """Run to the end; a command that fails ends the benchmark."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", _RUNNER, *command],
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{command} failed: {done.stderr[-2000:]} {done.stdout[-500:]}")
    return Cost(*json.loads(done.stderr.splitlines()[-1]))


def interleaved(rounds: int, *contestants: Callable[[], Cost]) -> list[Cost]:
    """The least cost of each contestant over `rounds` in turn."""
    best = [contestant() for contestant in contestants]
    for _ in range(rounds - 1):
        best = [old.least(contestant()) for old, contestant in zip(best, contestants, strict=True)]
    return best
