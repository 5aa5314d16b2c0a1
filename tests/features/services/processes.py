"""Other processes, started at the same time and waited for with a bound."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["BOUND", "at_once"]

BOUND = 45.0
_RUN = """
import pickle, sys
work, call = pickle.load(sys.stdin.buffer)
work(*call)
"""
_ROOT = Path(__file__).parents[3]


def at_once(work: Callable[..., None], *calls: tuple[Any, ...]) -> None:
    """Each call in a fresh process of its own, all together; every one must end well. Nothing of
    it stays behind: the keepers of `multiprocessing` would, until the tests end."""
    running = [
        subprocess.Popen([sys.executable, "-c", _RUN], stdin=subprocess.PIPE, cwd=_ROOT)
        for _ in calls
    ]
    for process, call in zip(running, calls, strict=True):
        assert process.stdin is not None
        with process.stdin as given:
            pickle.dump((work, call), given)
    assert [process.wait(BOUND) for process in running] == [0] * len(calls)
