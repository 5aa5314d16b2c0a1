"""What the deck costs a run before its first call: loading the catalog, building its tools."""

from __future__ import annotations

import subprocess
import sys

from bench.report import Row

__all__ = ["measure_deck"]

_MOST_MS = 20.0
_PROGRAM = """
import time, asyncio, msgspec, induscode.policy.paths
from pathlib import Path
started = time.perf_counter()
from induscode.capability_deck import DeckContext, provision_deck
loaded = time.perf_counter()
deck = provision_deck("all", DeckContext(Path("/")))
built = time.perf_counter()
assert len(deck.tools()) == 19
print((loaded - started) * 1000, (built - loaded) * 1000)
"""


def measure_deck(rounds: int) -> list[Row]:
    """The best of several new interpreters; what every run has anyway is loaded first."""
    figures = [_once() for _ in range(rounds)]
    whole = min(loading + building for loading, building in figures)
    building = min(building for _, building in figures)
    limit = (whole, _MOST_MS, "ms")
    return [Row("provisioning, 19 tools", "building alone", whole, building, None, "ms", limit)]


def _once() -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True
    )
    loading, building = done.stdout.split()
    return float(loading), float(building)
