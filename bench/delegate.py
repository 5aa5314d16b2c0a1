"""What it costs to hand work on, over doing the same work in the session itself.

A delegate that reads one file makes two requests, and its parent one for it. The same number of
requests in the parent is three calls of `read`: what is left is the price of a session of its own.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.measure import Cost, interleaved, run
from bench.report import Row
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import Step, call, say

__all__ = ["measure_delegate"]

_INDUS = str(Path(sys.executable).parent / "indus")
_FEW, _MANY = 5, 45
_REQUESTS = 3
_LIMIT_MS = 20.0
_OBJECTIVE = "Read the note and say what it says."


def measure_delegate(rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        short_own, short_handed = _both(rounds, Path(folder), _FEW)
        long_own, long_handed = _both(rounds, Path(folder), _MANY)
    tasks = _MANY - _FEW
    own = (long_own.cpu - short_own.cpu) / tasks * 1000
    handed = (long_handed.cpu - short_handed.cpu) / tasks * 1000
    slow = (long_own.wall - short_own.wall) / tasks * 1000
    waited = (long_handed.wall - short_handed.wall) / tasks * 1000
    over = (handed - own, _LIMIT_MS, "ms over it")
    against = "the same work in the parent"
    return [
        Row("a delegated task, CPU", against, handed, own, None, "ms CPU", limit=over),
        Row("a delegated task, wall", against, waited, slow, None, "ms"),
    ]


def _both(rounds: int, folder: Path, tasks: int) -> tuple[Cost, Cost]:
    """As many tasks in the session itself, and handed on, in turn."""
    (folder / "note.txt").write_text("a line of the file that is read again and again\n" * 12)

    def own(body: dict[str, Any]) -> Step:
        asked = sum(message["role"] == "assistant" for message in body["messages"])
        return call("read", path="note.txt") if asked < tasks * _REQUESTS else say("All read.")

    def handed(body: dict[str, Any]) -> Step:
        asked = sum(message["role"] == "assistant" for message in body["messages"])
        if _OBJECTIVE in str(body["messages"][0]):
            return call("read", path="note.txt") if not asked else say("It is a note.")
        return call("task", objective=_OBJECTIVE) if asked < tasks else say("All read.")

    requests = (tasks * _REQUESTS + 1) * rounds
    with AnthropicServer([own] * requests) as one, AnthropicServer([handed] * requests) as two:
        first, second = interleaved(
            rounds,
            lambda: _ran(folder, one.url),
            lambda: _ran(folder, two.url),
        )
    return first, second


def _ran(folder: Path, url: str) -> Cost:
    env = dict(os.environ) | {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "bench",
        "INDUS_HOME": str(folder / "home"),
    }
    words = ["-p", "work through it", "-m", "anthropic/claude-sonnet-4-5"]
    return run([_INDUS, *words], cwd=folder, env=env)
