"""What it takes to mount slow MCP servers from a cold start; the SDK is imported meanwhile.

Ten servers that take a second each, against one of them and a script that imports next to nothing.
They are slow in two ways: before they read anything, and when they are asked for the handshake. On
a machine that has others to serve, it may take longer in the proportion in which the import does.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from bench.measure import interleaved, run
from bench.report import Row

__all__ = ["measure_mcp"]

_HERE = Path(__file__).parent
_SERVER = str(_HERE.parent / "tests" / "interop" / "servers" / "raw.py")
_SERVERS = 10
_SECONDS_EACH = 0.08
_SECONDS_TO_ANSWER = 1.0
_QUIET = 1.2  # of wall to CPU time; what is below is the machine's own doing
_SLOW = (("ten servers, slow to start", "late"), ("ten servers, slow to answer", "slow"))


def measure_mcp(rounds: int) -> list[Row]:
    return [_mounted(rounds, name, behaviour) for name, behaviour in _SLOW]


def _mounted(rounds: int, name: str, behaviour: str) -> Row:
    words = [sys.executable, "-S", _SERVER, behaviour]
    ours = [sys.executable, str(_HERE / "mount.py"), str(_SERVERS), *words]
    bare = [sys.executable, "-S", str(_HERE / "bare_mount.py"), *words]
    sdk = [sys.executable, "-c", "import induscode.interop.connection"]
    fleet, floor, imported = interleaved(
        rounds, *(partial(run, words, cwd=_HERE, env=os.environ) for words in (ours, bare, sdk))
    )
    slowed = imported.wall / imported.cpu
    most = _SECONDS_TO_ANSWER + _SERVERS * _SECONDS_EACH
    limit = (fleet.wall, round(most * slowed if slowed > _QUIET else most, 2), "s, cold")
    return Row(name, "one of them by hand", fleet.wall, floor.wall, None, "s", limit=limit)
