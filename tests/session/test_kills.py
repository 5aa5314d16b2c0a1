"""kill -9 at every write and every sync of a small run: no acknowledged entry is lost.

The page cache survives a kill, so that this proves nothing about syncs (`test_sync_order.py` does);
it proves that no moment leaves a log that does not open or lacks what was acknowledged.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.session.strace import traced
from tests.session.test_failing_syncs import acknowledged, check_nothing_lost

ENTRIES = 4
# How often the run makes each call; one more than that must let it finish.
POINTS = {"pwrite64": 4, "fdatasync": 5, "fsync": 5, "rename": 1, "mkdir": 3, "flock": 1}


def killed(home: Path, call: str, when: int) -> tuple[int, int]:
    path = home / f"{call}-{when}" / "a.jsonl"
    trace = home / f"{call}-{when}.trace"
    inject = f"{call}:signal=SIGKILL:when={when}"
    run = traced(trace, "tests.session.appender", str(path), str(ENTRIES), inject=inject)
    if path.exists():
        check_nothing_lost(path, run)
        again = traced(trace, "tests.session.appender", str(path), "1")
        assert again.code == 0
    else:
        assert acknowledged(run.output) == []
    return run.code, len(acknowledged(run.output))


@pytest.mark.parametrize("call", POINTS)
def test_a_kill_at_any_system_call_loses_nothing_that_was_acknowledged(tmp_path: Path, call: str):
    moments = range(1, POINTS[call] + 2)
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda when: killed(tmp_path, call, when), moments))
    codes = [code for code, _ in runs]
    assert all(code != 0 for code in codes[:-1]), "a kill that killed nothing tests nothing"
    assert runs[-1] == (0, ENTRIES)
    assert sum(count for _, count in runs) >= ENTRIES
