"""The golden logs: whoever changes how they are read, changes them in plain sight."""

import json
import shutil
from pathlib import Path

import pytest

from induscode.gateway.encoders import encoder_for
from induscode.session.blobs import BlobStore
from induscode.session.entries import FORMAT_VERSION, Foreign, KnownEntry, Request, SessionStart
from induscode.session.line import encode_line
from induscode.session.log import read_only
from induscode.session.replay import replay
from tests.requirements import requirement
from tests.session.damage import lines
from tests.session.golden import (
    BLOBS,
    GOLDENS,
    LOG,
    REQUESTS,
    golden_name,
    record,
    released,
    requests,
)
from tests.session.recording import reopen


@pytest.fixture
def golden(quick_home: Path) -> Path:
    shutil.copyfile(LOG, quick_home / LOG.name)
    return quick_home / LOG.name


def test_it_opens_without_a_word_and_is_not_changed_by_it(golden: Path):
    log, report = reopen(golden, later=10**9)
    assert report.sentences() == []
    assert len(log.entries) == len(lines(LOG))
    log.close()
    assert golden.read_bytes() == LOG.read_bytes()


@requirement("log.format-version")
def test_it_holds_every_kind_of_entry_and_says_its_version():
    found = read_only(LOG).entries
    kinds = {type(entry) for entry in found}
    assert kinds == {*KnownEntry.__args__, Foreign}
    assert isinstance(found[0], SessionStart)
    assert found[0].format == FORMAT_VERSION == 1
    page = (LOG.parents[2] / "docs" / "session-log.md").read_text(encoding="utf-8")
    assert f"Format version: {FORMAT_VERSION}" in page


def test_it_projects_to_what_is_stored_beside_it():
    assert requests(LOG, BLOBS) == json.loads(REQUESTS.read_text(encoding="utf-8"))


@requirement("invariant.01.model-visible-means-logged")
def test_every_request_replays_under_the_encoder_that_made_it():
    report = replay(read_only(LOG), BlobStore(BLOBS), encoder_for)
    assert [check.verdict.value for check in report.checks] == ["PASS"] * 8
    assert report.passed


@requirement("invariant.01.encoders-stay-runnable")
@pytest.mark.parametrize("version", released())
def test_the_golden_log_of_each_released_encoder_replays(version: str):
    path = GOLDENS / f"{golden_name(version)}.jsonl"
    assert path.exists(), "run: python -m tests.session.golden"
    found = read_only(path)
    report = replay(found, BlobStore(BLOBS), encoder_for)
    assert [check.verdict.value for check in report.checks] == ["PASS"] * 4
    assert report.passed
    used = {entry.encoder for entry in found.entries if isinstance(entry, Request)}
    assert used == {version}


def test_no_golden_log_is_of_an_encoder_that_is_gone():
    assert {p.stem for p in GOLDENS.glob("encoder-*.jsonl")} == set(map(golden_name, released()))


def test_its_entries_are_written_today_as_they_were_then():
    assert [encode_line(entry)[:-1] for entry in read_only(LOG).entries] == lines(LOG)


def test_it_is_what_the_recorder_makes(quick_home: Path):
    assert record(quick_home).read_bytes() == LOG.read_bytes()
