"""What it takes to mount slow MCP servers from a cold start; the SDK is imported meanwhile.

Ten servers that take a second each, against one of them and a script that imports next to nothing.
They are slow in two ways: before they read anything, and when they are asked for the handshake.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from bench.measure import interleaved, run
from bench.report import Row

__all__ = ["measure_mcp"]

_HERE = Path(__file__).parent
_SERVER = str(_HERE.parent / "tests" / "interop" / "servers" / "raw.py")
_SERVERS = 10
_SECONDS_EACH = 0.08
_SECONDS_TO_ANSWER = 1.0
_SLOW = (("ten servers, slow to start", "late"), ("ten servers, slow to answer", "slow"))


def measure_mcp(rounds: int) -> list[Row]:
    return [_mounted(rounds, name, behaviour) for name, behaviour in _SLOW]


def _mounted(rounds: int, name: str, behaviour: str) -> Row:
    words = [sys.executable, "-S", _SERVER, behaviour]
    ours = [sys.executable, str(_HERE / "mount.py"), str(_SERVERS), *words]
    bare = [sys.executable, "-S", str(_HERE / "bare_mount.py"), *words]
    fleet, floor = interleaved(
        rounds,
        lambda: run(ours, cwd=_HERE, env=os.environ),
        lambda: run(bare, cwd=_HERE, env=os.environ),
    )
    most = _SECONDS_TO_ANSWER + _SERVERS * _SECONDS_EACH
    limit = (fleet.wall, most, "s, cold")
    return Row(name, "one of them by hand", fleet.wall, floor.wall, None, "s", limit=limit)
