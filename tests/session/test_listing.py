"""Listing and searching sessions, with ten thousand of them and with broken ones."""

import os
import time
from pathlib import Path

import pytest

from induscode.kernel.clock import FixedClock
from induscode.kernel.content import Text
from induscode.kernel.ids import IdMint
from induscode.session import listing
from induscode.session.entries import Input, Notice, Origin, SessionStart
from induscode.session.line import encode_line
from induscode.session.listing import list_sessions, search_sessions
from induscode.session.log import SessionLog
from tests.requirements import requirement

MANY = 10_000
ALLOWED = 0.3


def session(folder: Path, name: str, text: str, *, age: int = 0, origin: str = "") -> Path:
    start = SessionStart(
        seq=1,
        id="a",
        format=1,
        session=name,
        workspace="/w",
        cwd="/w",
        indus="0",
        origin=Origin(origin, "x") if origin else None,
    )
    said = Input([Text(text)], seq=2, id="b", parent="a")
    path = folder / f"{name}.jsonl"
    path.write_bytes(encode_line(start) + encode_line(said))
    os.utime(path, (1_750_000_000 - age, 1_750_000_000 - age))
    return path


@pytest.fixture
def folder(quick_home: Path) -> Path:
    made = quick_home / "sessions"
    made.mkdir()
    return made


@requirement("log.listing-without-index")
def test_the_newest_of_ten_thousand_sessions_are_listed_at_once(folder: Path):
    for number in range(MANY):
        session(folder, f"s{number:05d}", f"question {number}", age=number)
    best = 9.0
    for _ in range(3):
        started = time.perf_counter()
        rows = list_sessions([folder], limit=20)
        best = min(best, time.perf_counter() - started)
    assert [row.id for row in rows] == [f"s{number:05d}" for number in range(20)]
    assert rows[3].title == "question 3"
    assert best < ALLOWED
    assert sorted(p.name for p in folder.iterdir() if not p.name.endswith(".jsonl")) == []


def test_a_row_tells_title_workspace_size_time_and_origin(folder: Path):
    path = session(folder, "one", "  the title\nand more  ", origin="zero")
    (row,) = list_sessions([folder, folder / "missing"], limit=5)
    assert (row.id, row.title, row.workspace, row.origin) == ("one", "the title", "/w", "zero")
    assert (row.size, row.changed) == (path.stat().st_size, 1_750_000_000)


def test_a_session_that_cannot_be_read_does_not_hide_the_others(folder: Path):
    session(folder, "good", "fine words", age=50)
    (folder / "dangling.jsonl").symlink_to(folder / "nowhere")
    (folder / "directory.jsonl").mkdir()
    (folder / "garbage.jsonl").write_bytes(b"\0" * 5000)
    (folder / "empty.jsonl").touch()
    assert {row.id for row in list_sessions([folder], limit=9)} == {"good", "garbage", "empty"}
    assert [row.id for row in list_sessions([folder], limit=9) if row.title] == ["good"]
    assert [row.id for row in search_sessions([folder], "fine", limit=9)] == ["good"]


def test_search_finds_sessions_in_which_all_words_were_said(folder: Path):
    session(folder, "one", "Fix the Parser in module A", age=3)
    session(folder, "two", "fix the printer", age=2)
    session(folder, "three", "nothing here", age=1)
    found = [row.id for row in search_sessions([folder], "FIX the", limit=9)]
    assert found == ["two", "one"]
    assert [r.id for r in search_sessions([folder], "parser fix", limit=9)] == ["one"]
    assert search_sessions([folder], "absent", limit=9) == []


def test_the_index_is_derived_and_follows_the_logs(folder: Path, monkeypatch):
    session(folder, "one", "alpha")
    session(folder, "two", "beta")
    assert [r.id for r in search_sessions([folder], "alpha", limit=9)] == ["one"]
    read: list[str] = []
    real = listing.read_only

    def counting(path: Path):
        read.append(path.stem)
        return real(path)

    monkeypatch.setattr(listing, "read_only", counting)
    search_sessions([folder], "alpha", limit=9)
    assert read == [], "an index that fits is used"
    log, _ = SessionLog.open(folder / "one.jsonl", FixedClock(1), IdMint(FixedClock(1)))
    log.append(Input([Text("gamma")]), Notice("delta"))
    log.close()
    assert [r.id for r in search_sessions([folder], "gamma", limit=9)] == ["one"]
    assert read == ["one"], "only what changed is read again"
    assert search_sessions([folder], "delta", limit=9) == [], "only what a person said"
    (folder / "two.jsonl").unlink()
    assert search_sessions([folder], "beta", limit=9) == []
    (index,) = [p for p in folder.iterdir() if not p.name.endswith(".jsonl")]
    for broken in (None, b"garbage", b'{"one.jsonl": 5}'):
        index.unlink() if broken is None else index.write_bytes(broken)
        assert [r.id for r in search_sessions([folder], "gamma", limit=9)] == ["one"]


def test_a_folder_that_cannot_be_written_can_still_be_searched(folder: Path, monkeypatch):
    session(folder, "one", "alpha")

    def full(_self: Path, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert [r.id for r in search_sessions([folder], "alpha", limit=9)] == ["one"]
