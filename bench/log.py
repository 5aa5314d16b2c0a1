"""What the log costs: appending durably, and opening a long session."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.report import Row
from induscode.kernel.clock import SystemClock
from induscode.kernel.content import Text, ToolCall
from induscode.kernel.ids import IdMint
from induscode.kernel.jsontext import raw_json
from induscode.kernel.model import StopReason, Usage
from induscode.kernel.request import Parameters
from induscode.session.entries import (
    FORMAT_VERSION,
    Input,
    Intent,
    ModelChoice,
    Notice,
    Request,
    Response,
    Result,
    SessionStart,
)
from induscode.session.log import Durability, SessionLog

__all__ = ["measure_append", "measure_resume"]

_APPENDS = 300
_TURNS = 25_000
_OPEN = """
import sys, time
from pathlib import Path
started = time.perf_counter()
from induscode.kernel.clock import SystemClock
from induscode.kernel.ids import IdMint
from induscode.session.blobs import BlobStore
from induscode.session.log import SessionLog
from induscode.session.projection import Projection
from induscode.session.state import SessionState
clock = SystemClock()
log, report = SessionLog.open(Path(sys.argv[1]), clock, IdMint(clock))
projection, state = Projection(BlobStore(Path(sys.argv[1]).parent)), SessionState()
log.follow(projection.add, state.add)
projection.request()
assert len(log.entries) > 100_000 and not report.damages
wall = time.perf_counter() - started
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(wall, int(peak.split()[1]) / 1024)
"""


def measure_append() -> list[Row]:
    """A committed append against a bare write and fdatasync of as many bytes, in turn."""
    clock = SystemClock()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        log = SessionLog.create(Path(folder) / "s" / "bench.jsonl", clock, IdMint(clock))
        log.append(*_opening(), by="bench", durability=Durability.COMMITTED)
        bare = os.open(Path(folder) / "bare", os.O_CREAT | os.O_WRONLY)
        notice = Notice(text="x" * 300)
        ours, floor = [], []
        for _ in range(_APPENDS):
            started = time.perf_counter()
            os.write(bare, b"x" * 460)
            os.fdatasync(bare)
            middle = time.perf_counter()
            log.append(notice, by="bench", durability=Durability.COMMITTED)
            floor.append(middle - started)
            ours.append(time.perf_counter() - middle)
        os.close(bare)
        log.close()
    median = _APPENDS // 2
    ours_ms, floor_ms = sorted(ours)[median] * 1000, sorted(floor)[median] * 1000
    return [Row("a committed append", "write and fdatasync", ours_ms, floor_ms, None, "ms")]


def measure_resume() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s" / "long.jsonl"
        _write_long(path)
        runs = [_open(path) for _ in range(8)]
    wall, rss = min(run[0] for run in runs), min(run[1] for run in runs)
    return [
        Row("100,000 entries resumed", "the budget", wall, 1.0, 1.0, "s"),
        Row("100,000 entries, memory", "the budget", rss, 200.0, 1.0, "MB"),
    ]


def _open(path: Path) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _OPEN, str(path)], capture_output=True, text=True, check=True
    )
    wall, rss = done.stdout.split()
    return float(wall), float(rss)


def _opening() -> list[SessionStart | ModelChoice | Input]:
    return [
        SessionStart(format=FORMAT_VERSION, session="bench", workspace="/", cwd="/", indus="0"),
        ModelChoice(
            provider="bench", model="m", wire="anthropic", parameters=Parameters(max_output=1000)
        ),
        Input(content=[Text("do it")]),
    ]


def _write_long(path: Path) -> None:
    clock = SystemClock()
    log = SessionLog.create(path, clock, IdMint(clock))
    log.append(*_opening(), by="bench")
    arguments = raw_json({"path": "src/main.py"})
    for turn in range(_TURNS):
        (asked,) = log.append(
            Request(body_sha256="0" * 64, body_bytes=1, encoder="anthropic/1"), by="bench"
        )
        said = [Text("I look at the next file."), ToolCall(f"toolu_{turn:08}", "read", arguments)]
        (answer,) = log.append(
            Response(
                request=asked.id,
                content=list(said),
                stop=StopReason.TOOLS,
                usage=Usage(10, 20),
                wire="anthropic",
                model="m",
            ),
            by="bench",
        )
        call = f"{answer.id}/1"
        log.append(
            Intent(call=call, tool="read", arguments_sha256="0" * 64, effects=False),
            Result(call=call, tool="read", content=[Text("a line\n" * 30)], outcome="ok"),
            by="bench",
        )
    log.close()
