"""Replay proves every request from the log alone, and names what differs."""

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from induscode.gateway.encoders import encoder_for
from induscode.kernel.content import Text
from induscode.kernel.jsontext import canonical
from induscode.session.blobs import BlobStore
from induscode.session.line import encode_fields
from induscode.session.log import read_only
from induscode.session.replay import ReplayReport, Verdict, replay
from tests.requirements import requirement
from tests.session.damage import lines, resealed, without
from tests.session.recording import Recording, call, reopen
from tests.session.samples import everything, small


def replayed(path: Path, blobs: BlobStore) -> ReplayReport:
    return replay(read_only(path), blobs, encoder_for)


def verdicts(report: ReplayReport) -> list[str]:
    return [check.verdict.value for check in report.checks]


@requirement("invariant.01.model-visible-means-logged")
def test_every_request_of_a_session_with_every_kind_of_entry_passes(quick_home: Path):
    it = everything(quick_home)
    it.log.close()
    report = replayed(it.path, BlobStore(quick_home / "blobs"))
    assert report.passed
    assert verdicts(report) == ["PASS"] * 7


def change_text(fields: dict[str, Any]) -> bool:
    """Change one thing that the model reads, whatever the entry is; False if there is none."""
    match fields["type"]:
        case "model":
            fields["model"] += "x"
        case "briefing":
            span = fields["spans"][0]
            span["text"] = span["text"] + "x"
        case "notice":
            fields["text"] += "x"
        case "interrupted":
            fields["text"] += "x"
        case "compaction":
            fields["summary"] += "x"
        case "amendment" if fields.get("operations") and fields["operations"][0].get("content"):
            fields["operations"][0]["content"][0]["text"] += "x"
        case "amendment" if fields.get("parameters"):
            fields["parameters"]["thinking"] = "high"
        case "input" | "response" | "result":
            texts = [b for b in fields["content"] if "text" in b]
            if not texts:
                fields["content"].append({"type": "text", "text": "x"})
            else:
                texts[-1]["text"] += "x"
        case _:
            return False
    return True


@requirement("invariant.01.mismatch-named", "log.pitfall.01-checksum-exact-bytes")
def test_changing_any_entry_that_the_model_saw_is_found_with_its_path_and_its_id(quick_home: Path):
    it = everything(quick_home)
    it.log.close()
    original = it.path.read_bytes()
    changed = 0
    for index, row in enumerate(json.loads(line) for line in lines(it.path)):
        if not change_text(copy.deepcopy(row)) or unseen(row, it):
            continue
        it.path.write_bytes(original)
        resealed(it.path, index, change_text)
        report = replayed(it.path, it.blobs)
        assert not report.passed, row["type"]
        first = next(check for check in report.checks if check.verdict is not Verdict.PASS)
        assert first.verdict is Verdict.MISMATCH
        assert first.where, row["type"]
        assert first.entry in {row["id"], *targets(row)}, (row["type"], first)
        assert all(c.verdict is Verdict.PASS for c in report.checks if c.request < row["id"])
        changed += 1
    assert changed >= 15


def unseen(row: dict[str, Any], it: Recording) -> bool:
    """Partial answers, answers to side requests, and entries after the last request."""
    sides = [e.id for e in it.log.entries if getattr(e, "purpose", "turn") != "turn"]
    last = [e.id for e in it.log.entries if type(e).__name__ == "Request"][-1]
    return row.get("stop") == "partial" or row.get("request") in sides or row["id"] > last


def targets(row: dict[str, Any]) -> list[str]:
    """An amended piece stands under the entry it amends."""
    return [operation["target"] for operation in row.get("operations", [])]


@requirement("invariant.01.replay-every-step")
def test_deleting_any_entry_makes_the_replay_fail(quick_home: Path):
    it = everything(quick_home)
    it.log.close()
    original = it.path.read_bytes()
    for index in range(len(it.log.entries) - 1):
        it.path.write_bytes(original)
        without(it.path, index)
        assert not replayed(it.path, it.blobs).passed


def test_deleting_an_entry_and_hiding_the_gap_makes_the_replay_fail(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    original = [json.loads(line) for line in lines(it.path)]
    for index, gone in enumerate(original[:-1]):
        if not change_text(copy.deepcopy(gone)):
            continue
        without(it.path, index)
        for at in range(len(original) - 1):
            resealed(it.path, at, lambda fields, at=at: fields.update(seq=at + 1))
        report = replayed(it.path, it.blobs)
        assert not report.damages
        assert not report.passed, gone["type"]
        restore(it.path, original)


def restore(path: Path, rows: list[dict[str, Any]]) -> None:
    kept = [{k: v for k, v in row.items() if k != "sum"} for row in rows]
    path.write_bytes(b"".join(encode_fields(row) for row in kept))


@requirement("log.pitfall.12-retries-are-requests")
def test_a_retry_passes_exactly_when_it_repeats_its_first_attempt(quick_home: Path):
    it = Recording(quick_home)
    it.start()
    it.say("go")
    first = it.request()
    it.answer(it.retry(first), "Done.")
    it.log.close()
    assert verdicts(replayed(it.path, it.blobs)) == ["PASS", "PASS"]
    resealed(it.path, 4, lambda fields: fields.update(body_sha256="0" * 64))
    report = replayed(it.path, it.blobs)
    assert verdicts(report) == ["PASS", "MISMATCH"]
    assert "does not repeat" in report.checks[1].detail
    resealed(it.path, 4, lambda fields: fields.update(retry_of="gone"))
    assert verdicts(replayed(it.path, it.blobs)) == ["PASS", "UNVERIFIABLE"]


@requirement("log.pitfall.15-replay-every-branch")
def test_every_branch_is_replayed_and_a_change_on_a_left_one_is_found(quick_home: Path):
    it = Recording(quick_home)
    it.start()
    start = it.log.head
    for word in ("one", "two", "three"):
        it.log.branch(start)
        said = it.say(f"way {word}")
        it.follow()
        answer = it.ask(call("a"))
        it.result(answer, 0, word)
        it.ask(f"Done {word}.")
        if word == "one":
            left = said
    it.log.close()
    report = replayed(it.path, it.blobs)
    assert report.passed
    assert len(report.checks) == 6
    index = it.log.entries.index(left)
    resealed(it.path, index, change_text)
    report = replayed(it.path, it.blobs)
    assert verdicts(report) == ["MISMATCH"] * 2 + ["PASS"] * 4
    assert report.checks[0].entry == left.id


@requirement("turn.rewind-is-a-branch")
def test_a_rewind_appends_and_can_be_undone(quick_home: Path):
    it = Recording(quick_home)
    it.start()
    it.say("one")
    it.ask("First.")
    early = it.log.head
    it.say("two")
    it.ask("Second.")
    late = it.log.head
    before = it.path.read_bytes()
    it.log.branch(early)
    it.say("another two")
    it.follow()
    assert it.path.read_bytes().startswith(before)
    assert [line for _, line in it.texts()] == [["one"], ["First."], ["another two"]]
    it.ask("Other.")
    it.log.branch(late)
    it.say("three")
    it.follow()
    assert [line for _, line in it.texts()] == [
        ["one"],
        ["First."],
        ["two"],
        ["Second."],
        ["three"],
    ]
    it.log.close()
    log, _ = reopen(it.path)
    assert [e.id for e in log.path_entries()] == [e.id for e in it.log.path_entries()]
    assert replayed(it.path, it.blobs).passed


def test_an_encoder_that_this_version_does_not_have_is_unverifiable(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    report = replay(read_only(it.path), it.blobs, lambda _version: None)
    assert verdicts(report) == ["UNVERIFIABLE"] * 2
    assert "neutral/1" in report.checks[0].detail


def test_an_encoder_that_changed_is_told_from_a_log_that_changed(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    for index in (4, 9):
        resealed(it.path, index, lambda fields: fields.update(body_sha256="0" * 64))
    report = replayed(it.path, it.blobs)
    assert verdicts(report) == ["MISMATCH"] * 2
    assert {check.where for check in report.checks} == {""}
    assert "no longer makes the same bytes" in report.checks[0].detail


@requirement("invariant.04.unverifiable")
def test_content_that_is_gone_makes_its_requests_unverifiable(quick_home: Path):
    it = Recording(quick_home)
    it.start()
    it.say("before")
    it.ask("Yes.")
    it.say(Text("long " * 20_000))
    it.ask("Indeed.")
    it.log.close()
    shutil.rmtree(quick_home / "blobs")
    report = replayed(it.path, it.blobs)
    assert verdicts(report) == ["PASS", "UNVERIFIABLE"]
    assert "blob" in report.checks[1].detail
    assert report.checks[1].where == "messages[2].content[0]"


@pytest.mark.parametrize("index", [0, 1])
def test_a_session_whose_first_entries_are_lost_replays_without_an_error(
    quick_home: Path, index: int
):
    it = small(quick_home)
    it.log.close()
    without(it.path, index)
    assert verdicts(replayed(it.path, it.blobs)) == [["PASS"] * 2, ["UNVERIFIABLE"] * 2][index]


def test_replay_reads_no_stored_body(quick_home: Path):
    it = small(quick_home)
    body = canonical({"body": 1})
    assert body not in it.path.read_bytes()
    assert not (quick_home / "blobs").exists(), "nothing but the entries"
    assert replayed(it.path, it.blobs).passed
