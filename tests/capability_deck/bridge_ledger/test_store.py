"""The events of a workspace on disk."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

from induscode.capability_deck import (
    BridgeCapability,
    BridgeEntry,
    BridgeLedger,
    BridgeOp,
    EnrollRequest,
    bridge_key,
)
from induscode.capability_deck.bridge_ledger import limits, lines
from induscode.capability_deck.bridge_ledger.events import LedgerEvent
from induscode.capability_deck.bridge_ledger.lines import LineBook
from induscode.capability_deck.bridge_ledger.store import LedgerStore
from induscode.errors import LogCorrupt, LogDown
from tests.capability_deck.bridge_ledger.samples import AT, LAUNCH, Mounted, logs, tool

ROOT = Path(__file__).resolve().parents[3]


def enrolling(what: BridgeCapability) -> Callable[[BridgeLedger], BridgeLedger]:
    return lambda ledger: ledger.enroll(EnrollRequest(what, what.server), AT)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "mcp" / "ledger.jsonl"


def filled(path: Path) -> LedgerStore:
    store, _ = LedgerStore.open(path)
    store.record(enrolling(tool("git", "status", annotations={"title": None, "é": [1.0, 2**70]})))
    store.record(enrolling(tool("git", "log", parameters=None)))
    store.record(lambda ledger: ledger.quarantine(tool("git", "log"), "it looks odd", AT))
    store.record(lambda ledger: ledger.approve(tool("git", "status"), AT))
    store.record(lambda ledger: ledger.withdraw_server("git", AT))
    return store


def test_what_was_recorded_is_there_again(path: Path) -> None:
    store = filled(path)
    again, report = LedgerStore.open(path)
    assert again.ledger == store.ledger
    assert (report.whole, report.sentences) == (True, ())
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.read_bytes().count(b"\n") == 6


def test_nothing_is_created_before_something_is_recorded(path: Path) -> None:
    store, report = LedgerStore.open(path)
    assert (store.ledger, report.whole) == (BridgeLedger.empty(), True)
    assert not path.parent.exists()
    store.record(lambda ledger: ledger.withdraw_server("nobody", AT))
    assert path.read_bytes() == b""


@given(logs)
def test_any_event_is_read_as_it_was_written(log: list[LedgerEvent]) -> None:
    """But for a tool on a retirement, and an enrolment without one, which mean nothing."""
    events = [event for event in log if getattr(event, "capability", None) or event.op != "enroll"]
    writing, reading = LineBook(), LineBook()
    for event in events:
        line = writing.encode(event)
        writing.wrote(event)
        assert line.endswith(b"\n")
        found = reading.read(line[:-1])
        assert not isinstance(found, str), found
        assert (found.op, found.key, found.seq, found.at) == (
            event.op, event.key, event.seq, event.at
        )  # fmt: skip
        if event.op != "retire":
            assert found == event


def test_a_retirement_writes_no_definition() -> None:
    odd = BridgeEntry(BridgeOp.RETIRE, bridge_key("bk_1"), "git", tool(), 1, AT)
    fine = BridgeEntry(BridgeOp.ENROLL, bridge_key("bk_1"), "git", tool(), 2, AT)
    writing, reading = LineBook(), LineBook()
    found: list[LedgerEvent | str] = []
    for event in (odd, fine):
        found.append(reading.read(writing.encode(event)[:-1]))
        writing.wrote(event)
    assert found[1] == fine


def test_an_enrolment_without_a_tool_is_not_written() -> None:
    with pytest.raises(LogCorrupt, match="without a tool"):
        LineBook().encode(BridgeEntry(BridgeOp.ENROLL, bridge_key("bk_1"), "git", None, 1, AT))


def test_a_line_that_gives_a_definition_to_another_server_is_damage(path: Path) -> None:
    store = filled(path)
    book = LineBook()
    for event in store.ledger.log:
        book.wrote(event)
    stolen = BridgeEntry(BridgeOp.ENROLL, bridge_key("bk_1"), "evil", tool(), 7, AT)
    book.wrote(BridgeEntry(BridgeOp.ENROLL, bridge_key("bk_1"), "git", tool(), 7, AT))
    assert book.read(book.encode(stolen)[:-1]) == "its definition is that of another server"


def test_a_definition_is_written_once_and_lines_are_bounded(path: Path) -> None:
    store, _ = LedgerStore.open(path)
    large = tool(description="\x01é" * (limits.DEFINITION_BYTES // 10))
    for _ in range(3):
        store.record(enrolling(large))
    first, *others = path.read_bytes().splitlines()
    assert limits.DEFINITION_BYTES // 2 < len(first) < limits.LINE_BYTES
    assert all(len(other) < 500 for other in others)
    again, _ = LedgerStore.open(path)
    assert again.ledger == store.ledger


def test_a_file_that_was_cut_opens_and_keeps_what_was_cut_off(path: Path) -> None:
    store = filled(path)
    data = path.read_bytes()
    for cut in range(0, len(data) + 1, 17):
        check_cut(path, data[:cut], store.ledger)


def check_cut(path: Path, data: bytes, ledger: BridgeLedger) -> None:
    path.write_bytes(data)
    whole, end = data.count(b"\n"), data.rfind(b"\n") + 1
    store, report = LedgerStore.open(path)
    assert store.ledger == BridgeLedger.from_log(ledger.log[:whole])
    assert path.read_bytes() == data[:end]
    assert report.whole
    kept = path.with_name(f"{path.name}.torn-{end}")
    if end == len(data):
        assert (report.sentences, kept.exists()) == ((), False)
        return
    assert kept.read_bytes() == data[end:]
    assert f"{len(data) - end} bytes cut off, kept in {kept.name}" in report.sentences[0]
    kept.unlink()
    store.record(enrolling(tool("fs", "read")))
    assert LedgerStore.open(path)[0].ledger == store.ledger


def test_a_second_torn_tail_at_the_same_place_does_not_overwrite_the_first(path: Path) -> None:
    filled(path)
    for tail in (b'{"first', b'{"second'):
        with path.open("ab") as file:
            file.write(tail)
        LedgerStore.open(path)
    assert sorted(each.read_bytes() for each in path.parent.glob("*torn*")) == [
        b'{"first',
        b'{"second',
    ]


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda line: line.replace(b"odd", b"0dd"), "its checksum does not match"),
        (lambda line: b"{}", "its checksum does not match"),
        (lambda line: b"x" * (limits.LINE_BYTES + 1), "longer than any event"),
        (lambda line: lines._sealed(b'{"op":"dance","seq":1}'), "it is no event"),
        (lambda line: lines._sealed(b'{"a":' * 90_000 + b"1" + b"}" * 90_000), "it is no event"),
        (
            lambda line: lines._sealed(
                b'{"op":"enroll","seq":3,"at":"","key":"k","server":"s","definition":"d",'
                b'"launch":""}'
            ),
            "names a definition that is not in the file",
        ),
        (
            lambda line: lines._sealed(
                b'{"op":"enroll","seq":3,"at":"","key":"k","server":"s","definition":"d",'
                b'"launch":"","said":{"tool":"t","description":"","parameters":null,'
                b'"annotations":null}}'
            ),
            "not the one that its digest names",
        ),
    ],
    ids=["a bit", "no event", "long", "unknown", "deep", "nothing behind it", "another digest"],
)
def test_a_damaged_line_is_told_and_the_rest_counts(
    path: Path, spoil: Callable[[bytes], bytes], why: str
) -> None:
    store = filled(path)
    rows = path.read_bytes().splitlines()
    rows[2] = spoil(rows[2]).rstrip(b"\n")
    path.write_bytes(b"\n".join([*rows, b""]))
    again, report = LedgerStore.open(path)
    assert again.ledger.log == (*store.ledger.log[:2], *store.ledger.log[3:])
    assert not report.whole
    assert why in report.sentences[0]
    again.record(enrolling(tool("fs", "read")))
    assert again.ledger.log[-1].seq == 7


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda path: path.chmod(0o620), "others may write it"),
        (lambda path: (path.unlink(), path.mkdir()), "directory"),
        (lambda path: (path.unlink(), os.mkfifo(path)), "not a regular file"),
        (lambda path: (path.rename(f"{path}2"), path.symlink_to(f"{path}2")), "symbolic links"),
    ],
    ids=["writable", "folder", "fifo", "link"],
)
def test_a_file_that_others_could_have_written_is_not_used_and_opening_does_not_fail(
    path: Path, spoil: Callable[[Path], object], why: str
) -> None:
    filled(path)
    spoil(path)
    store, report = LedgerStore.open(path)
    assert store.ledger == BridgeLedger.empty()
    assert not report.whole
    assert why in report.sentences[0]
    with pytest.raises(LogDown, match=why):
        store.record(enrolling(tool()))
    assert store.ledger == BridgeLedger.empty()


@pytest.mark.parametrize("call", ["pwrite", "fsync"])
def test_what_the_disk_did_not_take_was_not_recorded(
    path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    store = filled(path)
    before, ledger = path.read_bytes(), store.ledger

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as broken:
        broken.setattr(os, call, full)
        with pytest.raises(LogDown, match="No space left"):
            store.record(enrolling(tool("fs", "read")))
    assert (store.ledger, path.read_bytes()) == (ledger, before)
    store.record(enrolling(tool("fs", "read")))
    assert LedgerStore.open(path)[0].ledger == store.ledger


def test_a_record_is_synced_before_it_is_acknowledged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(path)
    order: list[str] = []
    for name in ("pwrite", "fsync"):
        real = getattr(os, name)

        def noted(*given: object, name: str = name, real: Callable[..., object] = real) -> object:
            order.append(name)
            return real(*given)

        monkeypatch.setattr(os, name, noted)
    store.record(enrolling(tool("fs", "read")))
    assert order == ["pwrite", "fsync"]


def writer(path: Path, server: str, count: int) -> subprocess.Popen[str]:
    """A process that is ready to record, and begins when it is told a line."""
    module = "tests.capability_deck.bridge_ledger.writer"
    process = subprocess.Popen(
        [sys.executable, "-m", module, path, server, str(count)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_two_processes_record_side_by_side_and_lose_nothing(path: Path) -> None:
    each = 150
    running = [writer(path, name, each) for name in ("one", "two")]
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        process.communicate(timeout=50)
        assert process.returncode == 0
    store, report = LedgerStore.open(path)
    assert report.sentences == ()
    assert [event.seq for event in store.ledger.log] == list(range(1, 2 * each + 1))
    assert store.ledger.snapshot.by_server == {"one": each, "two": each}


def test_a_process_that_is_killed_loses_nothing_that_was_acknowledged(path: Path) -> None:
    process = writer(path, "one", 100_000)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    told = -1
    while told < 20:
        told = int(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    rest = process.communicate(timeout=20)[0].split()
    store, report = LedgerStore.open(path)
    assert report.whole
    assert len(store.ledger.log) >= int(rest[-1] if rest else told) + 1


def test_what_another_session_writes_is_taken_in_and_our_way_to_the_server_stays(
    path: Path,
) -> None:
    box = Mounted()
    ours, _ = LedgerStore.open(path)
    bound = tool(runner=box)
    ours.record(enrolling(bound))
    theirs, _ = LedgerStore.open(path)
    theirs.record(enrolling(tool()))
    theirs.record(enrolling(tool("fs", "read")))
    assert ours.refresh().sentences == ()
    first, second = ours.ledger.live_capabilities()
    assert (first.runner, second.runner) == (box, None)
    assert len(ours.ledger.log) == 3
    after = ours.record(lambda ledger: ledger.approve(bound, AT))
    assert after.log[-1].seq == 4
    assert after.snapshot.approved[bound.name].launch == LAUNCH


def test_a_file_that_was_put_back_is_read_anew(path: Path) -> None:
    store = filled(path)
    rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(rows[:2]))
    store.refresh()
    assert len(store.ledger.log) == 2
