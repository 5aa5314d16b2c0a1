"""A log cut at any byte opens, loses no whole line, and keeps what was cut off."""

import fcntl
from pathlib import Path

import pytest

from induscode.session.entries import Notice
from induscode.session.log import read_only
from tests.requirements import requirement
from tests.session.recording import reopen
from tests.session.samples import everything, small


@requirement("invariant.04.opening-never-fails", "invariant.04.torn-tail")
def test_a_log_cut_at_any_byte_opens_without_losing_a_whole_line(quick_home: Path):
    it = everything(quick_home / "origin")
    it.log.close()
    data = it.path.read_bytes()
    path = quick_home / "cut.jsonl"
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        check_cut(path, data[:cut], it.log.entries)


def check_cut(path: Path, data: bytes, entries: list) -> None:
    whole = data.count(b"\n")
    end = data.rfind(b"\n") + 1
    log, report = reopen(path)
    assert log.entries == entries[:whole]
    assert path.read_bytes() == data[:end]
    assert (report.damages, report.torn_bytes) == ((), len(data) - end)
    kept = path.with_name(f"cut.jsonl.torn-{end}")
    if end < len(data):
        assert report.torn_file == kept.name
        assert kept.read_bytes() == data[end:]
        assert kept.name in report.sentences()[0]
        kept.unlink()
    else:
        assert report.sentences() == []
        assert not kept.exists()
    log.append(Notice("after"))
    log.close()
    again = read_only(path)
    assert (again.damages, again.torn, len(again.entries)) == ([], 0, whole + 1)


@requirement("invariant.04.torn-tail")
def test_a_second_torn_tail_at_the_same_place_does_not_overwrite_the_first(tmp_path: Path):
    it = small(tmp_path)
    it.log.close()
    for tail in (b'{"first', b'{"second'):
        with it.path.open("ab") as file:
            file.write(tail)
        log, report = reopen(it.path)
        log.close()
        assert (tmp_path / report.torn_file).read_bytes() == tail
    assert sorted(p.read_bytes() for p in tmp_path.glob("*torn*")) == [b'{"first', b'{"second']
    assert list(tmp_path.glob("*.jsonl")) == [it.path]


def test_reading_without_writing_leaves_a_torn_log_as_it_is(tmp_path: Path):
    it = small(tmp_path)
    it.log.close()
    with it.path.open("ab") as file:
        file.write(b"half")
    before = it.path.read_bytes()
    found = read_only(it.path)
    assert (found.torn, len(found.entries)) == (4, len(it.log.entries))
    assert it.path.read_bytes() == before
    assert list(tmp_path.glob("*torn*")) == []


def test_an_empty_file_opens_and_can_be_appended_to(tmp_path: Path):
    path = tmp_path / "empty.jsonl"
    path.touch()
    log, report = reopen(path)
    assert (log.entries, report.sentences()) == ([], [])
    log.append(Notice("first"))
    log.close()
    assert [entry.seq for entry in read_only(path).entries] == [1]


def test_a_file_that_cannot_be_read_to_the_end_leaves_no_lock_behind(tmp_path: Path, monkeypatch):
    it = small(tmp_path)
    it.log.close()

    def broken(_handle: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("induscode.session.log.scan", broken)
    with pytest.raises(OSError, match="Input/output"):
        reopen(it.path)
    with it.path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
