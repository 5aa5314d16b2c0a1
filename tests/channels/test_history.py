"""The file that remembers what was typed."""

import stat
from pathlib import Path

from induscode.channels.history import HISTORY_ENTRIES, History


def test_messages_of_several_lines_come_back_whole_and_in_order(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "history"
    first = History(file)
    for message in ("one", "two\nlines", "two\nlines", "", " private", "x" * 20_000, "last"):
        first.add(message)

    assert History(file).load() == ["one", "two\nlines", "last"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_file_stays_bounded_and_keeps_the_newest(tmp_path: Path) -> None:
    file = tmp_path / "history"
    history = History(file)
    for number in range(HISTORY_ENTRIES + 500):
        history.add(f"message {number}")
    kept = History(file).load()

    assert len(kept) == HISTORY_ENTRIES
    assert kept[-1] == f"message {HISTORY_ENTRIES + 499}"
    assert len(file.read_bytes().splitlines()) == HISTORY_ENTRIES
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["history"]


def test_a_history_that_cannot_be_used_is_none_at_all(tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(b'\xff\n{"a":1}\n"good"\n"cut')
    (tmp_path / "folder").mkdir()

    assert History(tmp_path / "broken").load() == ["good"]
    assert History(tmp_path / "folder").load() == []
    assert History(tmp_path / "folder").add("kept for this run only")


def test_what_is_kept_is_cleaned_first(tmp_path: Path) -> None:
    file = tmp_path / "history"
    history = History(file, lambda text: text.replace("hunter22", "[redacted]"))

    assert history.add("use hunter22")

    assert History(file).load() == ["use [redacted]"]
