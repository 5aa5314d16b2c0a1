"""A real small file system that is full."""

import subprocess
import sys
from pathlib import Path

import pytest

from induscode.errors import LogDown
from induscode.session.entries import Notice, Quarantine
from induscode.session.log import SessionLog
from tests.session.damage import lines
from tests.session.recording import reopen
from tests.session.samples import small

MOUNT = 'mount -t tmpfs -o size="$1" none "$2" && shift 2 && exec "$@"'


def on_small_disk(place: Path, size: str, *command: str) -> subprocess.CompletedProcess[str]:
    line = ["unshare", "-m", "sh", "-c", MOUNT, "sh", size, str(place), *command]
    run = subprocess.run(line, capture_output=True, text=True, timeout=50, check=False)
    if "permi" in run.stderr.lower() and "Traceback" not in run.stderr:
        pytest.fail(f"no small file system ({run.stderr.strip()}); run: sudo make test")
    return run


@pytest.mark.parametrize("size", ["256k", "1m"])
def test_a_full_disk_loses_nothing_and_the_log_goes_on_when_there_is_space(
    tmp_path: Path, size: str
):
    worker = [sys.executable, "-m", "tests.session.full_disk", str(tmp_path)]
    run = on_small_disk(tmp_path, size, *worker)
    assert (run.stdout, run.stderr) == ("done\n", "")


def test_a_tail_that_was_kept_survives_a_quarantine_that_could_not_be_written(
    tmp_path: Path, monkeypatch
):
    it = small(tmp_path)
    it.log.close()
    rows = lines(it.path)
    rows[4] = b"x" * 20
    it.path.write_bytes(b"\n".join(rows) + b"\n" + b'{"torn')
    real = SessionLog.append

    def full(self: SessionLog, *entries: object, **how: object) -> None:
        raise LogDown("full")

    monkeypatch.setattr(SessionLog, "append", full)
    log, report = reopen(it.path)
    monkeypatch.setattr(SessionLog, "append", real)
    kept = tmp_path / report.torn_file
    assert kept.read_bytes() == b'{"torn'
    log.append(Notice("goes on"))
    log.close()
    assert kept.read_bytes() == b'{"torn'
    assert sum(isinstance(entry, Quarantine) for entry in log.entries) == 1
