"""A log of 100,000 entries opens and folds within its budget (1 s and 200 MB on a quiet machine;
CI is given more time, and no more memory)."""

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import Raw

from induscode.kernel.clock import SystemClock
from induscode.kernel.content import Text, ToolCall
from induscode.kernel.ids import IdMint
from induscode.kernel.model import StopReason, Usage
from induscode.kernel.request import Parameters
from induscode.session.entries import (
    Input,
    Intent,
    ModelChoice,
    Request,
    Response,
    Result,
    SessionStart,
)
from induscode.session.log import SessionLog

ENTRIES = 100_000
SECONDS = 3.0
MEGABYTES = 200
TRAIL = {"messages[1].content[0]": "0123456789"}

RESUME = """
import sys, time
from pathlib import Path
from induscode.kernel.clock import SystemClock
from induscode.kernel.ids import IdMint
from induscode.session.blobs import BlobStore
from induscode.session.log import SessionLog
from induscode.session.projection import Projection
from induscode.session.state import SessionState
started = time.perf_counter()
log, report = SessionLog.open(Path(sys.argv[1]), SystemClock(), IdMint(SystemClock()))
projection, state = Projection(BlobStore(Path("none"))), SessionState()
log.follow(projection.add)
log.follow(state.add)
messages = len(projection.request().messages())
took = time.perf_counter() - started
from tests.memory import peak_mb
peak = int(peak_mb())
print(f"{len(log.entries)} {messages} {len(report.damages)} {took:.3f} {peak}")
"""


def record(path: Path) -> None:
    log = SessionLog.create(path, SystemClock(), IdMint(SystemClock()))
    log.append(
        SessionStart(format=1, session="big", workspace="/w", cwd="/w", indus="0.1.0"),
        ModelChoice("p", "m", "neutral", Parameters(1000)),
        Input([Text("go")]),
        by="test",
    )
    said, sha = "I will look at the next file and see. " * 2, "0" * 64
    content = [Text("def f(x):\n    return x + 1\n" * 8)]
    while len(log.entries) < ENTRIES:
        number = len(log.entries)
        (request,) = log.append(Request(sha, 9000, "neutral/1", trail=TRAIL))
        arguments = Raw(b'{"path":"src/module_%d.py"}' % number)
        calls = [Text(said), ToolCall(f"toolu_{number}", "read", arguments)]
        (answer,) = log.append(
            Response(request.id, calls, StopReason.TOOLS, Usage(10, 5), "neutral", "m", 0.01)
        )
        name = f"{answer.id}/1"
        log.append(Intent(name, "read", sha, effects=False), Result(name, "read", content, "ok"))
    log.close()


def test_a_hundred_thousand_entries_are_resumed_within_the_budget(
    quick_home: Path, capsys: pytest.CaptureFixture[str]
):
    path = quick_home / "big.jsonl"
    record(path)
    runs: list[tuple[float, int]] = []
    for _ in range(2):
        command = [sys.executable, "-c", RESUME, path]
        run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=50)
        entries, messages, damages, took, peak = run.stdout.split()
        assert int(entries) >= ENTRIES
        assert (int(messages), int(damages)) == ((ENTRIES - 3 + 3) // 4 * 2 + 1, 0)
        runs.append((float(took), int(peak)))
    took, peak = min(runs)
    with capsys.disabled():
        size = path.stat().st_size >> 20
        sys.stdout.write(f"\n  {ENTRIES} entries, {size} MB: resumed in {took:.2f} s, {peak} MB\n")
    assert took < SECONDS
    assert peak < MEGABYTES
