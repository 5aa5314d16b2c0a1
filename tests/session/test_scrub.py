"""No secret gets past the log and the blob store, whoever brought it there."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import Raw

from induscode.kernel.clock import SystemClock
from induscode.kernel.content import Image, Json, Opaque, Text, Thinking, ToolCall
from induscode.kernel.ids import IdMint
from induscode.kernel.jsontext import digest
from induscode.kernel.model import StopReason, Usage
from induscode.kernel.request import Parameters
from induscode.kernel.scrubbing import scrub_json
from induscode.policy.redaction import Secrets
from induscode.session.entries import (
    Amendment,
    Approval,
    Briefing,
    Compaction,
    Entry,
    Hook,
    Input,
    Intent,
    Interrupted,
    KnownEntry,
    ModelChoice,
    Notice,
    Operation,
    Request,
    Response,
    Result,
    SessionStart,
    StoredSpan,
)
from induscode.session.log import read_only
from induscode.session.store import SessionStore
from induscode.session.storing import INLINE_LIMIT, load_said, store_said

KEY = "sk-canary-9f2c41d7e8"
MARK = "[redacted: MY_KEY]"
TEXT = f"before {KEY} after"
CLEAN = f"before {MARK} after"


def store(home: Path, *more: tuple[str, str]) -> SessionStore:
    clock = SystemClock()
    return SessionStore(home, clock, IdMint(clock), Secrets([("MY_KEY", KEY), *more]))


def answer() -> Response:
    return Response(
        request="r",
        content=[
            Text(TEXT),
            Thinking(TEXT, "c2ln"),
            Thinking("harmless", "c2ln"),
            ToolCall("id", f"t_{KEY}", Raw(b'{"a":1.50,"b":["' + KEY.encode() + b'"]}')),
            ToolCall("id", "t", Raw(b"{}"), broken=f'{{"x": "{KEY}'),
            Opaque("w", Raw(b'{"z":"' + KEY.encode() + b'"}')),
        ],
        stop=StopReason.TOOLS,
        usage=Usage(),
        wire="w",
        model="m",
        error=TEXT,
        notes=[TEXT],
    )


ENTRIES: list[KnownEntry] = [
    SessionStart(format=1, session="s", workspace=f"/{KEY}", cwd=f"/{KEY}", indus="1"),
    ModelChoice(provider="p", model=f"m-{KEY}", wire="w", parameters=Parameters(1), reason=TEXT),
    Input(content=[Text(TEXT), Json(Raw(b'{"k":"' + KEY.encode() + b'"}'))]),
    Notice(text=TEXT),
    Request(body_sha256="0", body_bytes=1, encoder="e", reason=TEXT),
    answer(),
    Intent(call="c", tool="t", arguments_sha256="0", effects=True, arguments={"a": [TEXT]}),
    Result(
        call="c", tool=KEY, content=[Text(TEXT)], outcome="ok", display=TEXT, details={KEY: [TEXT]}
    ),
    Interrupted(call="c", tool="t", started=True, text=TEXT),
    Approval(call="c", tool="t", question=TEXT, answer="no", reason=TEXT),
    Hook(point="p", decision="deny", reason=TEXT),
    Amendment(operations=[Operation("append", "x", [Text(TEXT)], after="0")]),
    Compaction(first="a", last="b", summary=TEXT, pinned=[]),
    Briefing(spans=[StoredSpan("append", "b", digest(TEXT.encode()), len(TEXT), text=TEXT)]),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: type(entry).__name__)
def test_an_entry_is_written_and_remembered_without_the_secret(
    tmp_path: Path, entry: KnownEntry
) -> None:
    followed: list[Entry] = []
    log = store(tmp_path).create(tmp_path)
    log.follow(followed.append)
    [recorded] = log.append(entry, by="test")
    log.close()

    on_disk = read_only(log.path).entries
    assert KEY.encode() not in log.path.read_bytes()
    assert MARK.encode() in log.path.read_bytes()
    assert on_disk == [recorded] == followed == log.entries


def test_what_is_taken_out_of_an_answer_leaves_the_rest_byte_for_byte(tmp_path: Path) -> None:
    log = store(tmp_path).create(tmp_path)
    [recorded] = log.append(answer(), by="test")
    assert isinstance(recorded, Response)
    calls = [block for block in recorded.content if isinstance(block, ToolCall)]
    thoughts = [block for block in recorded.content if isinstance(block, Thinking)]
    assert bytes(calls[0].arguments) == b'{"a":1.50,"b":["' + MARK.encode() + b'"]}'
    assert calls[1].broken == f'{{"x": "{MARK}'
    # A signature of words that were changed is of no use; the other one stays.
    assert [thought.signature for thought in thoughts] == ["", "c2ln"]
    log.close()


def test_digest_and_size_of_a_briefing_fit_what_is_written(tmp_path: Path) -> None:
    log = store(tmp_path).create(tmp_path)
    [recorded] = log.append(ENTRIES[-1], by="test")
    assert isinstance(recorded, Briefing)
    [span] = recorded.spans
    assert span.text == CLEAN
    assert (span.sha256, span.size) == (digest(CLEAN.encode()), len(CLEAN))
    log.close()


def test_our_own_words_stay_even_if_they_are_somebodys_password(tmp_path: Path) -> None:
    held = store(tmp_path, ("A", "anthropic-messages"), ("B", "deadbeef"), ("C", "12345678"))
    log = held.create(tmp_path)
    wire = "anthropic-messages"
    details = {"size": 12345678, "ok": True}
    entries: list[KnownEntry] = [
        ModelChoice(provider="p", model="m", wire=wire, parameters=Parameters(12345678)),
        Request(body_sha256="deadbeef" * 8, body_bytes=12345678, encoder=wire),
        Result(call="c", tool="t", content=[], outcome="ok", details=details),
    ]
    model, request, result = log.append(*entries, by="test")
    log.close()
    assert isinstance(model, ModelChoice)
    assert isinstance(request, Request)
    assert isinstance(result, Result)
    assert (model.wire, model.parameters.max_output) == (wire, 12345678)
    assert (request.body_sha256, request.body_bytes) == ("deadbeef" * 8, 12345678)
    assert result.details == {"size": "[redacted: C]", "ok": True}
    assert read_only(log.path).entries == [model, request, result]


def test_a_blob_holds_no_secret_and_is_named_by_what_it_holds(tmp_path: Path) -> None:
    blobs = store(tmp_path).blobs
    assert blobs.put(TEXT.encode()) == digest(CLEAN.encode())
    assert blobs.get(blobs.put(TEXT.encode())) == blobs.fit(TEXT.encode()) == CLEAN.encode()


def test_sizes_of_stored_content_fit_what_is_stored(tmp_path: Path) -> None:
    blobs = store(tmp_path).blobs
    long = TEXT * (INLINE_LIMIT // len(TEXT) + 1)
    stored = store_said([Text(long), Image("image/png", TEXT.encode())], blobs)
    loaded = load_said(stored, blobs)
    assert loaded == (Text(long.replace(KEY, MARK)), Image("image/png", CLEAN.encode()))
    sizes = [getattr(block, "size", None) for block in stored]
    assert sizes == [len(long.replace(KEY, MARK)), len(CLEAN)]


def test_json_that_somebody_wrote_stays_json() -> None:
    known = Secrets([("N", "12345678"), ("Q", '":"x","y'), ("S", KEY)])
    source = b'{ "n":12345678, "m":1.0e5,"x":"x","y":"12345678\\n", "k\\u0065y":"' + (
        KEY.encode() + b'"}'
    )
    assert scrub_json(source, known) == (
        b'{ "n":"[redacted: N]", "m":1.0e5,"x":"x","y":"[redacted: N]\\n",'
        b' "k\\u0065y":"[redacted: S]"}'
    )
