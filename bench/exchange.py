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

__all__ = ["measure_answer", "measure_calls", "measure_fiftieth", "measure_version"]

BIN = Path(sys.executable).parent
FLOOR = str(Path(__file__).parent / "floor.py")
BARE = str(Path(__file__).parent / "bare_send.py")


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


def measure_fiftieth(rounds: int) -> Row:
    """CPU of one call around the 50th, over the floor's."""
    floor, ours = _per_call(rounds, 25, 75)
    over = (ours - floor, 1.0, "ms over the floor")
    name = "a call around the 50th"
    return Row(name, "httpx2 floor", ours, floor, None, "ms CPU", limit=over)


def measure_calls(rounds: int) -> list[Row]:
    """CPU of one call around the 50th and around the 500th, and what a megabyte of body costs."""
    fiftieth = measure_fiftieth(rounds)
    floor, ours = _per_call(3, 300, 700)
    short, long = _body(50), _body(500)
    bare = _sending(long) - _sending(short)
    each_mb = (ours - fiftieth.ours - bare) / ((long - short) / 1e6)
    over = (each_mb, 2.0, "ms per MB over a bare send")
    name = "a call around the 500th"
    return [fiftieth, Row(name, "httpx2 floor", ours, floor, None, "ms CPU", limit=over)]


def _per_call(rounds: int, fewer: int, more: int) -> tuple[float, float]:
    """Milliseconds of CPU per call between two lengths, of the floor and of ours."""
    with tempfile.TemporaryDirectory() as folder:
        short = _both(rounds, Path(folder), calls=fewer)
        long = _both(rounds, Path(folder), calls=more)
    floor, ours = (m.cpu - f.cpu for f, m in zip(short, long, strict=True))
    return floor / (more - fewer) * 1000, ours / (more - fewer) * 1000


def _body(calls: int) -> int:
    """About the size of the request after so many calls, in bytes."""
    return 3_000 + calls * 915


def _sending(size: int) -> float:
    """Milliseconds of CPU that the system takes to send a body of this size."""
    count = 60
    with AnthropicServer([say("x")] * (count * 3)) as server:
        words = ["127.0.0.1", str(server.port), str(size), str(count)]
        command = [sys.executable, "-I", "-S", BARE, *words]
        env = dict(os.environ)
        return min(run(command, cwd=Path.cwd(), env=env).cpu for _ in range(3)) / count * 1000


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
