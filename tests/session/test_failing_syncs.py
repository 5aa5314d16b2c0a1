"""Writes and syncs that fail: nothing acknowledged is lost, and the descriptor is not trusted."""

import errno
import os
from pathlib import Path

import pytest

from induscode.errors import LogDown
from induscode.kernel.content import Text
from induscode.session.blobs import BlobStore
from induscode.session.entries import Input, Notice
from induscode.session.log import Durability, read_only
from tests.requirements import requirement
from tests.session.recording import Recording, reopen
from tests.session.strace import Call, Traced, traced

APPENDER = "tests.session.appender"


def acknowledged(output: list[str]) -> list[int]:
    return [int(row.split()[1]) for row in output if row.startswith("ack")]


def check_nothing_lost(path: Path, run: Traced, *, at_least: int = 0) -> None:
    seqs = acknowledged(run.output)
    assert len(seqs) >= at_least
    log, _ = reopen(path)
    assert {entry.seq for entry in log.entries} >= set(seqs)
    blobs = BlobStore(path.parent / "blobs")
    for entry in log.entries:
        assert isinstance(entry, Input)
        for block in entry.content:
            assert isinstance(block, Text) or blobs.get(block.sha256)
    log.append(Notice("goes on"), durability=Durability.COMMITTED)
    log.close()
    assert read_only(path).damages == []


@pytest.mark.parametrize(
    ("inject", "code"),
    [
        ("fdatasync:error=EIO:when=1", 0),
        ("fdatasync:error=EIO:when=2", 0),
        ("fdatasync:error=EIO:when=3", 0),
        ("fdatasync:error=EIO:when=2..6", 0),
        ("fdatasync:error=ENOSPC:when=4", 0),
        ("fdatasync:error=EIO:when=3+", 1),
        ("pwrite64:error=ENOSPC:when=2", 0),
        ("pwrite64:error=EIO:when=1..3", 0),
        ("pwrite64:error=ENOSPC:when=3+", 1),
        ("fsync:error=EIO:when=1", 0),
        ("fsync:error=EIO:when=2", 0),
        ("fsync:error=EIO:when=4", 0),
        ("pwrite64:error=EIO:when=2 ftruncate:error=EIO:when=1", 0),
        ("rename:error=EIO:when=1", 0),
    ],
)
def test_no_acknowledged_entry_is_lost_to_a_failing_system_call(
    tmp_path: Path, inject: str, code: int
):
    path = tmp_path / "log" / "a.jsonl"
    run = traced(tmp_path / "trace", APPENDER, str(path), "5", inject=inject)
    assert run.code == code
    check_nothing_lost(path, run, at_least=5 if code == 0 else 1)


def test_a_write_that_the_disk_takes_in_pieces_ends_up_whole(tmp_path: Path, monkeypatch):
    it = Recording(tmp_path)
    it.start()
    real = os.pwrite

    def short(handle: int, data: bytes, offset: int) -> int:
        return real(handle, data[:11], offset)

    monkeypatch.setattr(os, "pwrite", short)
    it.say("in many pieces")
    found = read_only(it.path)
    assert (found.entries, found.torn) == (it.log.entries, 0)


def test_a_write_that_fails_half_way_leaves_nothing_behind(tmp_path: Path, monkeypatch):
    it = Recording(tmp_path)
    it.start()
    before = it.path.read_bytes()
    real, pieces = os.pwrite, iter([13, 5])

    def failing(handle: int, data: bytes, offset: int) -> int:
        room = next(pieces, 0)
        if not room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(handle, data[:room], offset)

    told: list[object] = []
    it.log.follow(told.append)
    told.clear()
    monkeypatch.setattr(os, "pwrite", failing)
    with pytest.raises(LogDown, match="No space left"):
        it.log.append(Notice("one"), Notice("two"))
    assert it.path.read_bytes() == before
    assert (len(it.log.entries), told) == (2, [])
    monkeypatch.undo()
    it.say("again")
    assert read_only(it.path).entries == it.log.entries


def test_a_committed_entry_whose_sync_fails_was_never_recorded(tmp_path: Path, monkeypatch):
    it = Recording(tmp_path)
    it.start()
    it.say("written, not yet synced")

    def failing(_handle: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fdatasync", failing)
    with pytest.raises(LogDown):
        it.log.append(Notice("never"), durability=Durability.COMMITTED)
    with pytest.raises(LogDown):
        it.log.sync()
    assert it.log.unsynced
    assert [entry.seq for entry in it.log.entries] == [1, 2, 3]
    # What was acknowledged as written survives this process even now.
    assert read_only(it.path).entries[:3] == it.log.entries
    monkeypatch.undo()
    it.log.append(Notice("instead"), durability=Durability.COMMITTED)
    assert not it.log.unsynced
    found = read_only(it.path).entries
    assert found == it.log.entries
    assert [entry.seq for entry in found] == [1, 2, 3, 4]


def recovered_by_reopening(calls: list[Call], path: Path) -> bool:
    """After each failed sync of the log: closed, opened anew, locked, written, synced, in this
    order, before anything is acknowledged."""
    mine = [c for c in calls if str(path) in c.text or (c.name == "write" and '"ack' in c.text)]
    failures = [i for i, c in enumerate(mine) if c.name == "fdatasync" and c.failed]
    wanted = ["close", "openat", "flock", "pwrite64", "fdatasync"]
    for index in failures:
        due = list(wanted)
        for call in mine[index + 1 :]:
            if call.name == "fdatasync" and call.failed:
                break  # its own turn comes
            if due and call.name == due[0]:
                due.pop(0)
            if call.name == "write":
                if due:
                    return False
                break
    return bool(failures)


@requirement("log.pitfall.16-failed-sync")
@pytest.mark.parametrize("when", ["2", "2..4"])
def test_after_a_failed_sync_the_file_is_reopened_and_written_again(tmp_path: Path, when: str):
    path = tmp_path / "log" / "a.jsonl"
    inject = f"fdatasync:error=EIO:when={when}"
    run = traced(tmp_path / "trace", APPENDER, str(path), "4", inject=inject)
    assert acknowledged(run.output) == [1, 2, 3, 4]
    assert recovered_by_reopening(run.calls, path)


def test_the_check_for_reopening_sees_a_sync_that_is_tried_again_on_its_descriptor(tmp_path: Path):
    path = tmp_path / "log" / "a.jsonl"
    inject = "fdatasync:error=EIO:when=2"
    run = traced(tmp_path / "trace", APPENDER, str(path), "4", "careless", inject=inject)
    assert acknowledged(run.output) == [1, 2, 3, 4]
    assert not recovered_by_reopening(run.calls, path)


@requirement("log.pitfall.16-failed-sync")
def test_a_log_that_cannot_be_created_leaves_no_file_and_is_created_later(
    tmp_path: Path, monkeypatch
):
    it = Recording(tmp_path / "new")

    def failing(_handle: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(LogDown):
        it.start()
    assert not it.path.exists()
    monkeypatch.undo()
    it.start()
    assert read_only(it.path).entries == it.log.entries


def test_a_log_in_a_place_that_is_no_directory_is_down_and_not_a_crash(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    it = Recording(tmp_path / "file" / "deep")
    with pytest.raises(LogDown, match="cannot be created"):
        it.start()
