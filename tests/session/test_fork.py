"""A fork is a new log of its own that names where it comes from."""

import json
from pathlib import Path

import pytest

from induscode.errors import LogDown, SessionNotFound
from induscode.gateway.encoders import encoder_for
from induscode.session.entries import Foreign, SessionStart
from induscode.session.fork import fork_log
from induscode.session.log import read_only
from induscode.session.replay import replay
from tests.requirements import requirement
from tests.session.damage import lines
from tests.session.recording import Recording, fold, reopen, texts
from tests.session.samples import everything, foreign_line, small


@requirement("turn.fork-self-contained")
def test_a_fork_names_its_origin_and_lives_without_it(quick_home: Path):
    it = everything(quick_home)
    it.log.close()
    before = it.path.read_bytes()
    target = fork_log(it.path, quick_home / "other" / "fork.jsonl")
    assert it.path.read_bytes() == before
    it.path.unlink()
    log, report = reopen(target)
    assert report.sentences() == []
    start = log.entries[0]
    assert isinstance(start, SessionStart)
    assert start.session == "fork"
    assert start.origin is not None
    assert (start.origin.session, start.origin.entry) == ("session", it.log.head)
    assert [e.id for e in log.entries] == [e.id for e in it.log.entries]
    assert log.entries[1:-1] == it.log.entries[1:-1]
    assert replay(read_only(target), it.blobs, encoder_for).passed
    shown = texts(fold(log.path_entries(), it.blobs).request())
    assert shown == texts(fold(it.log.entries, it.blobs).request())


def test_a_forked_session_goes_on_and_replays(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    target = fork_log(it.path, quick_home / "fork.jsonl")
    it.log, _ = reopen(target)
    it.follow()
    it.say("on the fork")
    it.ask("Yes.")
    it.log.close()
    report = replay(read_only(target), it.blobs, encoder_for)
    assert report.passed
    assert len(report.checks) == 3


def test_a_fork_at_an_entry_ends_there(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    at = it.log.entries[5].id
    found = read_only(fork_log(it.path, quick_home / "fork.jsonl", at=at))
    assert [e.id for e in found.entries] == [e.id for e in it.log.entries[:6]]
    start = found.entries[0]
    assert isinstance(start, SessionStart)
    assert start.origin is not None
    assert start.origin.entry == at


def test_a_fork_of_a_branch_leaves_the_others_behind(quick_home: Path):
    it = Recording(quick_home)
    it.start()
    root = it.log.head
    left = it.say("left behind")
    it.log.branch(root)
    kept = it.say("kept")
    it.log.close()
    found = read_only(fork_log(it.path, quick_home / "fork.jsonl"))
    assert [e.id for e in found.entries] == [it.log.entries[0].id, root, kept.id]
    assert [e.seq for e in found.entries] == [1, 2, 3]
    at_left = read_only(fork_log(it.path, quick_home / "fork2.jsonl", at=left.id))
    assert at_left.entries[-1].id == left.id


def test_a_fork_keeps_entries_of_types_that_this_version_does_not_know(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    line = foreign_line(it.path, kind="weather", visible=True, text="rain")
    with it.path.open("ab") as file:
        file.write(line)
    target = fork_log(it.path, quick_home / "fork.jsonl")
    entry = read_only(target).entries[-1]
    assert isinstance(entry, Foreign)
    assert b'"payload":{"n":1.5' in bytes(entry.fields)
    assert json.loads(lines(target)[-1])["text"] == "rain"


def test_an_unknown_entry_or_an_existing_target_is_told(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    with pytest.raises(SessionNotFound, match="has no entry"):
        fork_log(it.path, quick_home / "fork.jsonl", at="nowhere")
    assert not (quick_home / "fork.jsonl").exists()
    with pytest.raises(LogDown, match="File exists"):
        fork_log(it.path, it.path)
    assert len(read_only(it.path).entries) == len(it.log.entries)


def test_a_fork_of_nothing_is_an_empty_session_with_an_origin(quick_home: Path):
    source = quick_home / "empty.jsonl"
    source.touch()
    (start,) = read_only(fork_log(source, quick_home / "fork.jsonl")).entries
    assert isinstance(start, SessionStart)
    assert start.origin is not None
    assert start.origin.session == "empty"
