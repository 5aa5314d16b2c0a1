"""A damaged middle is named once by a quarantine entry; everything else goes on."""

import functools
from pathlib import Path

import pytest

from induscode.gateway.encoders import encoder_for
from induscode.kernel.content import Text
from induscode.session.entries import Input, ModelChoice, Quarantine, Request, SessionStart
from induscode.session.fork import fork_log
from induscode.session.log import read_only
from induscode.session.reader import Scan
from induscode.session.replay import Verdict, replay
from induscode.session.why import request_views
from tests.requirements import requirement
from tests.session.damage import lines, spans, without, zeroed
from tests.session.recording import Recording, fold, reopen
from tests.session.samples import everything, small


def quarantines(path: Path) -> int:
    return sum(isinstance(entry, Quarantine) for entry in read_only(path).entries)


@requirement("invariant.04.opening-never-fails", "invariant.04.damaged-middle")
def test_a_zeroed_window_anywhere_in_a_log_is_quarantined_once(quick_home: Path):
    it = small(quick_home / "origin")
    it.log.close()
    data = it.path.read_bytes()
    path = quick_home / "hurt.jsonl"
    for offset in range(len(data) - 1):
        path.write_bytes(zeroed(data, offset, 64))
        check_hurt(it, path, data, offset, 64)
        for kept in quick_home.glob("hurt.jsonl.torn*"):
            kept.unlink()


@requirement("invariant.04.opening-never-fails", "invariant.04.unverifiable")
def test_a_zeroed_sector_anywhere_in_a_log_of_all_kinds_is_survived(quick_home: Path):
    it = everything(quick_home / "origin")
    it.log.close()
    data = it.path.read_bytes()
    for offset in range(0, len(data), 512):
        path = quick_home / f"hurt-{offset}.jsonl"
        path.write_bytes(zeroed(data, offset, 512))
        check_hurt(it, path, data, offset, 512)
        check_fork(it, path, quick_home / f"fork-{offset}.jsonl")


def check_hurt(it: Recording, path: Path, data: bytes, offset: int, length: int) -> None:
    stop = offset + length
    # A line is lost with one of its bytes, or with the newline before it.
    hit = [i for i, (start, end) in enumerate(spans(data)) if start < stop and end > offset]
    if stop in {start for start, _ in spans(data)}:
        hit.append(hit[-1] + 1)
    torn = stop >= len(data)
    log, report = reopen(path)
    left = [entry for i, entry in enumerate(it.log.entries) if i not in hit]
    assert [e.id for e in log.entries[: len(left)]] == [e.id for e in left]
    added = 0 if torn else 1
    assert len(report.damages) == added
    assert bool(report.torn_bytes) is torn
    assert report.sentences()
    assert len(log.entries) == len(left) + added
    log.append(Input([Text("go on")]))
    log.close()
    before = path.read_bytes()
    again, clean = reopen(path, later=120_000)
    again.close()
    assert clean.sentences() == []
    assert path.read_bytes() == before
    check_replay(it, path, hit, torn=torn)


def check_replay(it: Recording, path: Path, hit: list[int], *, torn: bool) -> None:
    report = replay(read_only(path), it.blobs, encoder_for)
    assert report.passed is torn
    lost = {it.log.entries[i].id for i in hit}
    first_lost = it.log.entries[hit[0]].id
    for check in report.checks:
        if check.request < first_lost:
            assert check.verdict is Verdict.PASS
        elif seen(it)[check.request] & lost:
            assert check.verdict is Verdict.UNVERIFIABLE
            assert check.detail
        else:
            assert check.verdict is not Verdict.MISMATCH


@functools.cache
def seen(it: Recording) -> dict[str, set[str]]:
    """Which entries each request of the unhurt log showed the model."""
    views = request_views(Scan(it.log.entries, [], 0, 0), it.blobs)
    shown = {view.request.id: {piece.entry for piece in view.pieces} for view in views}
    models = [entry.id for entry in it.log.entries if isinstance(entry, ModelChoice)]
    for request, entries in shown.items():
        entries.add(max(model for model in models if model < request))
    return shown


def check_fork(it: Recording, path: Path, target: Path) -> None:
    fork_log(path, target)
    log, report = reopen(target, later=180_000)
    assert report.sentences() == []
    assert isinstance(log.entries[0], SessionStart)
    log.append(Input([Text("on the fork")]))
    assert fold(log.path_entries(), it.blobs).request().messages()[-1].parts[-1].block == Text(
        "on the fork"
    )
    log.close()
    checks = replay(read_only(target), it.blobs, encoder_for).checks
    assert Verdict.MISMATCH not in {check.verdict for check in checks}


@requirement("log.pitfall.02-damaged-middle-bridged")
def test_the_entry_behind_a_damaged_one_follows_the_one_before_it(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    rows = lines(it.path)
    rows[4] = b"x" * len(rows[4])
    it.path.write_bytes(b"\n".join(rows) + b"\n")
    log, report = reopen(it.path)
    wanted = [e.id for i, e in enumerate(it.log.entries) if i != 4]
    assert [entry.id for entry in log.path_entries()][:-1] == wanted
    named = log.entries[-1]
    assert isinstance(named, Quarantine)
    start, end = spans(it.path.read_bytes())[4]
    assert (named.offset, named.length, named.after_seq) == (start, end - start, 4)
    assert named.parent == it.log.entries[-1].id
    assert report.damages[0].sha256 == named.sha256


@pytest.mark.parametrize("index", range(11))
@requirement("invariant.04.damaged-middle")
def test_a_deleted_line_is_found_reported_once_and_bridged(quick_home: Path, index: int):
    it = small(quick_home)
    it.log.close()
    without(it.path, index)
    log, report = reopen(it.path)
    log.close()
    if index == len(it.log.entries) - 1:  # nothing after it shows that it is missing
        assert report.damages == ()
        return
    assert [d.length for d in report.damages] == [0]
    assert "1 entries before number" in report.damages[0].reason
    assert reopen(it.path)[1].damages == ()


def test_damage_that_grows_is_quarantined_again(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    for index in (4, 5):
        rows = lines(it.path)
        rows[index] = b"x" * len(rows[index])
        it.path.write_bytes(b"\n".join(rows) + b"\n")
        log, report = reopen(it.path, later=60_000 * index)
        log.close()
        assert len(report.damages) == 1
    assert quarantines(it.path) == 2


def test_requests_made_after_the_quarantine_pass_because_they_never_saw_what_is_lost(
    quick_home: Path,
):
    it = small(quick_home)
    it.log.close()
    rows = lines(it.path)
    rows[3] = b"x" * len(rows[3])
    it.path.write_bytes(b"\n".join(rows) + b"\n")
    it.log, _ = reopen(it.path)
    it.follow()
    it.say("once more")
    it.ask("Here I am.")
    it.log.close()
    report = replay(read_only(it.path), it.blobs, encoder_for)
    assert [c.verdict.value for c in report.checks] == ["UNVERIFIABLE", "UNVERIFIABLE", "PASS"]
    assert not report.passed
    assert report.checks[0].detail


def test_a_fork_of_a_log_that_was_never_opened_since_its_damage_names_the_loss(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    rows = lines(it.path)
    rows[0] = rows[3] = b"x"
    it.path.write_bytes(b"\n".join(rows) + b"\n")
    fork = read_only(fork_log(it.path, quick_home / "fork.jsonl"))
    assert isinstance(fork.entries[0], SessionStart)
    assert fork.entries[0].origin is not None
    assert sum(isinstance(e, Quarantine) for e in fork.entries) == 2
    verdicts = [c.verdict for c in replay(fork, it.blobs, encoder_for).checks]
    assert verdicts == [Verdict.UNVERIFIABLE, Verdict.UNVERIFIABLE]
    assert sum(isinstance(e, Request) for e in fork.entries) == 2
