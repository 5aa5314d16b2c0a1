"""Fifty calls: what was sent is what the log says, and the log cannot be altered unnoticed."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from induscode.gateway.encoders import encoder_for
from induscode.session.blobs import BlobStore
from induscode.session.log import read_only
from induscode.session.replay import ReplayReport, Verdict, replay
from tests.cli.home import Home
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import call, say
from tests.requirements import requirement

CALLS = 50
VISIBLE = ("briefing", "toolset", "model", "input", "response", "result")
SAMPLES = 60
SAID = {
    "briefing": rb"Your name is indus",
    "input": rb"do fifty",
    "response": rb"echo call|story",
    "result": rb"call \d|Once upon",
}
"""Words of each kind of entry that are content, never structure."""


class Recorded:
    def __init__(self, root: Path) -> None:
        self.home = Home(root)
        (self.home.work / "story.txt").write_text("Once upon a time.\n" * 3)
        with AnthropicServer([*_steps(), say("All fifty.")]) as server:
            self.home.url = server.url
            self.ran = self.home.run("-p", "do fifty things", "--json", "--mode", "full")
        self.digests = server.digests
        (self.log,) = self.home.logs()
        self.lines = self.log.read_bytes().splitlines(keepends=True)

    def replay(self, lines: list[bytes], path: Path) -> ReplayReport:
        path.write_bytes(b"".join(lines))
        return replay(read_only(path), BlobStore(self.home.indus / "blobs"), encoder_for)


def _steps() -> list[object]:
    made = []
    for n in range(CALLS):
        if n % 2:
            made.append(call("read", path="story.txt", offset=1 + n % 3))
        else:
            made.append(call("bash", command=f"echo call {n}"))
    return made


@pytest.fixture(scope="module")
def fifty(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return Recorded(tmp_path_factory.mktemp("fifty"))


@requirement("log.request-digest")
def test_the_server_received_what_the_log_says_in_order(fifty: Recorded) -> None:
    assert fifty.ran.code == 0, fifty.ran.err
    assert fifty.ran.result["text"] == "All fifty."
    assert fifty.ran.result["steps"] == CALLS + 1
    results = fifty.home.entries("result")
    assert [row["outcome"] for row in results] == ["ok"] * CALLS
    logged = [row["body_sha256"] for row in fifty.home.entries("request")]
    assert len(logged) == CALLS + 1
    assert logged == fifty.digests


@requirement("invariant.01.replay-every-step")
def test_replay_passes_all_of_them(fifty: Recorded) -> None:
    ran = fifty.home.run("replay", "last")
    assert ran.code == 0
    assert ran.out.count("PASS  request") == CALLS + 1
    assert f"{CALLS + 1} of {CALLS + 1} requests" in ran.out
    checks = json.loads(fifty.home.run("replay", "last", "--json").out)
    assert checks["passed"] is True
    assert len(checks["checks"]) == CALLS + 1


def samples(lines: list[bytes]) -> list[tuple[int, int]]:
    """Positions (line, byte) spread over all entries that the model saw."""
    seen = [
        (number, at)
        for number, line in enumerate(lines)
        if json.loads(line)["type"] in VISIBLE
        for at in range(len(line) - 1)
    ]
    step = len(seen) // SAMPLES
    return seen[step // 2 :: step][:SAMPLES]


def flipped(line: bytes, at: int) -> bytes:
    changed = bytes([line[at] ^ 1])
    return line[:at] + (changed if changed != b"\n" else b"~") + line[at + 1 :]


@requirement("log.pitfall.01-checksum-exact-bytes")
def test_a_changed_byte_of_what_the_model_saw_is_found(fifty: Recorded, tmp_path: Path) -> None:
    found = samples(fifty.lines)
    assert len(found) == SAMPLES
    for number, at in found:
        lines = [*fifty.lines]
        lines[number] = flipped(lines[number], at)
        assert not fifty.replay(lines, tmp_path / "log.jsonl").passed, (number, at)


def test_a_changed_byte_makes_the_command_exit_1(fifty: Recorded, tmp_path: Path) -> None:
    number, at = samples(fifty.lines)[SAMPLES // 2]
    lines = [*fifty.lines]
    lines[number] = flipped(lines[number], at)
    fifty.log.write_bytes(b"".join(lines))
    try:
        ran = fifty.home.run("replay", "last")
    finally:
        fifty.log.write_bytes(b"".join(fifty.lines))
    assert ran.code == 1
    assert "UNVERIFIABLE" in ran.out
    assert "FAIL" in ran.out


def resealed(line: bytes) -> bytes:
    """The line with a checksum that fits what it says now: a forgery, not an accident."""
    text = line[: line.rindex(b',"sum":"')]
    return b'%b,"sum":"%b"}\n' % (text, hashlib.sha256(text).hexdigest()[:16].encode())


@requirement("invariant.01.mismatch-named")
def test_a_forged_entry_is_a_mismatch_that_names_it(fifty: Recorded, tmp_path: Path) -> None:
    forged = 0
    for number, line in enumerate(fifty.lines):
        entry = json.loads(line)
        said = re.search(SAID.get(entry["type"], rb"(?!)"), line)
        if said is None or b"All fifty" in line:  # the last answer was shown by no request
            continue
        lines = [*fifty.lines]
        lines[number] = resealed(line.replace(said[0], said[0].swapcase()))
        report = fifty.replay(lines, tmp_path / "log.jsonl")
        bad = [check for check in report.checks if check.verdict is not Verdict.PASS]
        assert {check.verdict for check in bad} == {Verdict.MISMATCH}, entry
        assert bad[0].entry == entry["id"], (entry, bad[0])
        assert bad[0].where
        forged += 1
    assert forged == 2 * CALLS + 2


def test_a_forged_digest_is_found_too(fifty: Recorded, tmp_path: Path) -> None:
    number = next(i for i, line in enumerate(fifty.lines) if b'"type":"request"' in line)
    digest = json.loads(fifty.lines[number])["body_sha256"].encode()
    lines = [*fifty.lines]
    lines[number] = resealed(lines[number].replace(digest, digest[::-1]))
    report = fifty.replay(lines, tmp_path / "log.jsonl")
    assert [check.verdict for check in report.checks].count(Verdict.MISMATCH) == 1


def test_an_entry_that_is_gone_is_found(fifty: Recorded, tmp_path: Path) -> None:
    for number, line in enumerate(fifty.lines):
        kind = json.loads(line)["type"]
        if kind not in VISIBLE or b"All fifty" in line:
            continue
        lines = fifty.lines[:number] + fifty.lines[number + 1 :]
        assert not fifty.replay(lines, tmp_path / "log.jsonl").passed, kind
