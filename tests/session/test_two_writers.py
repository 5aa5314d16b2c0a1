"""One writer per session: a second process is refused at once, and may read meanwhile."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from induscode.errors import LogDown, SessionBusy
from induscode.session.entries import Notice
from induscode.session.line import encode_line
from induscode.session.log import Durability, read_only
from tests.session.recording import reopen
from tests.session.samples import small


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """The small session, opened by another process."""
    it = small(tmp_path)
    it.log.close()
    command = [sys.executable, "-m", "tests.session.holder", str(it.path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        yield it.path, holder
        holder.kill()


def test_a_second_process_is_refused_at_once_with_the_holders_pid(held):
    path, holder = held
    started = time.monotonic()
    with pytest.raises(SessionBusy) as refused:
        reopen(path)
    assert time.monotonic() - started < 1
    assert f"process {holder.pid}" in str(refused.value)
    assert "--fork session" in refused.value.hint


def test_a_held_session_can_be_read(held):
    path, _ = held
    before = path.read_bytes()
    found = read_only(path)
    assert found.entries[-1].text == "held"
    assert path.read_bytes() == before


def test_a_session_whose_holder_was_killed_opens(held):
    path, holder = held
    holder.kill()
    holder.wait(timeout=10)
    log, report = reopen(path)
    assert report.sentences() == []
    assert log.entries[-1].text == "held"
    log.append(Notice("mine now"))
    log.close()


def test_a_refused_process_does_not_change_a_byte(held):
    path, _ = held
    with path.open("ab") as file:
        file.write(b'{"half')
    before = path.read_bytes()
    with pytest.raises(SessionBusy):
        reopen(path)
    assert path.read_bytes() == before


def test_a_log_that_another_process_wrote_to_while_it_was_down_is_not_cut(
    tmp_path: Path, monkeypatch
):
    """Between closing a descriptor that failed and locking anew, somebody else may come first."""
    it = small(tmp_path)
    real, stranger = os.fdatasync, encode_line(Notice("theirs", seq=12, id="theirs"))

    def failing(handle: int) -> None:
        with it.path.open("ab") as file:
            file.write(stranger)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", failing)
    with pytest.raises(LogDown, match="another process changed"):
        it.log.append(Notice("mine"), durability=Durability.COMMITTED)
    monkeypatch.setattr(os, "fdatasync", real)
    with pytest.raises(LogDown, match="another process changed"):
        it.log.append(Notice("mine"))
    assert it.path.read_bytes().endswith(stranger)
