"""What a run costs against the floor: start-up, one answer, memory, each tool call."""

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

__all__ = ["measure_answer", "measure_calls", "measure_version"]

BIN = Path(sys.executable).parent
FLOOR = str(Path(__file__).parent / "floor.py")


def measure_version(rounds: int) -> list[Row]:
    env = dict(os.environ)
    bare, ours = interleaved(
        rounds,
        lambda: run([sys.executable, "-c", "pass"], cwd=Path.cwd(), env=env),
        lambda: run([str(BIN / "indus"), "--version"], cwd=Path.cwd(), env=env),
    )
    return [Row("indus --version", "bare interpreter", ours.cpu, bare.cpu, 2.0, "s CPU")]


def measure_answer(rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        floor, ours = _both(rounds, Path(folder), calls=0)
    return [
        Row("one answer, wall", "httpx2 floor", ours.wall, floor.wall, 1.3, "s"),
        Row("one answer, CPU", "httpx2 floor", ours.cpu, floor.cpu, None, "s CPU"),
        Row("one answer, memory", "httpx2 floor", ours.rss, floor.rss, 1.3, "MB"),
    ]


def measure_calls(rounds: int) -> list[Row]:
    """CPU of one call around the 50th, and around the 500th."""
    costs: dict[int, tuple[Cost, Cost]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for calls in (25, 75, 450, 550):
            floor, ours = _both(rounds if calls < 100 else 2, Path(folder), calls=calls)
            costs[calls] = (floor, ours)
    floor_50 = (costs[75][0].cpu - costs[25][0].cpu) / 50 * 1000
    ours_50 = (costs[75][1].cpu - costs[25][1].cpu) / 50 * 1000
    floor_500 = (costs[550][0].cpu - costs[450][0].cpu) / 100 * 1000
    ours_500 = (costs[550][1].cpu - costs[450][1].cpu) / 100 * 1000
    return [
        Row(
            "a call around the 50th",
            "httpx2 floor",
            ours_50,
            floor_50,
            None,
            "ms CPU",
            limit=(ours_50 - floor_50, 1.0, "ms over the floor"),
        ),
        Row("a call around the 500th", "httpx2 floor", ours_500, floor_500, None, "ms CPU"),
        Row("a call: 500th against 50th", "its own 50th", ours_500, ours_50, 2.0, "ms CPU"),
    ]


def _both(rounds: int, folder: Path, *, calls: int) -> tuple[Cost, Cost]:
    """The floor and ours, the same conversation of `calls` tool calls, interleaved."""
    (folder / "note.txt").write_text("a line of the file that is read again and again\n" * 12)

    def step(body: dict[str, Any]) -> Step:
        asked = sum(message["role"] == "assistant" for message in body["messages"])
        return call("read", path="note.txt") if asked < calls else say("That is all.")

    with AnthropicServer([step] * ((calls + 1) * rounds * 2 + 8)) as server:
        env = dict(os.environ) | {
            "ANTHROPIC_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": "bench",
            "INDUS_HOME": str(folder / "home"),
        }
        ask = [str(BIN / "indus"), "-p", "read the note", "-m", "anthropic/claude-sonnet-4-5"]
        floor, ours = interleaved(
            rounds,
            lambda: run([sys.executable, FLOOR, server.url, "read the note"], cwd=folder, env=env),
            lambda: run(ask, cwd=folder, env=env),
        )
    return floor, ours
