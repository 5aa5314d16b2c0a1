from __future__ import annotations

import hashlib
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from induscode.gateway import encoder_for
from induscode.gateway.anthropic.encoder import AnthropicEncoder
from induscode.kernel.content import Image, Json, Opaque, Text, Thinking, ToolCall
from induscode.kernel.request import Head, Message, NeutralRequest
from tests.gateway.conversations import (
    READ,
    assistant,
    head,
    part,
    request,
    result,
    tool_use,
    user,
)

VERSIONS = ["anthropic/1", "gemini/1", "neutral/1"]

texts = st.text(max_size=12)
raws = st.sampled_from([b"{}", b'{"a":1.0}', b'{"path":"x","n":[1,2]}']).map(Raw)
said = st.one_of(
    texts.map(Text),
    raws.map(Json),
    st.builds(Image, st.just("image/png"), st.binary(max_size=4)),
)
answered = st.one_of(
    texts.map(Text),
    st.builds(Thinking, texts, texts),
    st.builds(ToolCall, texts, texts, raws),
    st.builds(Opaque, st.sampled_from(["anthropic", "other"]), raws),
)
results = st.builds(
    lambda call, content, wrong: result(call, *content, is_error=wrong),
    texts,
    st.lists(said, max_size=2),
    st.booleans(),
)


def _message(role: str, wire: str, blocks: list[object]) -> Message:
    parts = tuple(part(block, "c1") for block in blocks)
    return Message(role=role, parts=parts, wire=wire, model="m")  # pyright: ignore[reportArgumentType] drawn


messages = st.one_of(
    st.builds(
        _message, st.just("user"), st.just(""), st.lists(st.one_of(said, results), max_size=3)
    ),
    st.builds(
        _message,
        st.just("assistant"),
        st.sampled_from(["anthropic", "other"]),
        st.lists(answered, max_size=3),
    ),
)
tails = st.one_of(
    st.none(), st.builds(_message, st.just("user"), st.just(""), st.lists(said, max_size=2))
)
heads = st.builds(
    lambda spans, thinking: head(*spans, tools=[READ], thinking=thinking),
    st.lists(texts, max_size=2),
    st.sampled_from(["off", "low"]),
)
moves = st.one_of(
    st.tuples(st.just("grow"), st.lists(messages, max_size=4)),
    st.tuples(st.just("head"), heads),
    st.tuples(st.just("rewrite"), st.lists(messages, max_size=4)),
    st.tuples(st.just("cut"), st.integers(0, 3)),
)


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=150, deadline=None)
@given(start=heads, steps=st.lists(st.tuples(moves, tails), max_size=8))
def test_a_fold_makes_the_same_bytes_and_digest_as_a_fresh_encoder(
    version: str, start: Head, steps: list[tuple[tuple[str, object], Message | None]]
) -> None:
    kept = encoder_for(version)
    assert kept is not None
    now, sealed, revision = start, list[Message](), 0
    for (move, value), tail in steps:
        match move, value:
            case "grow", list():
                sealed += value
            case "rewrite", list():
                sealed, revision = value, revision + 1
            case "cut", int():
                sealed = sealed[: len(sealed) - value] if value else sealed
            case _, Head():
                now = value
            case _:
                raise AssertionError(move)
        asked = NeutralRequest(head=now, sealed=sealed, tail=tail, revision=revision)
        body = kept.encode(asked)
        fresh = encoder_for(version)
        assert fresh is not None
        assert body == fresh.encode(asked)
        assert body.sha256 == hashlib.sha256(body.data).hexdigest()
        json.loads(body.data)


def test_every_released_version_is_known_and_no_other() -> None:
    for version in VERSIONS:
        encoder = encoder_for(version)
        assert encoder is not None
        assert encoder.version == version
    assert encoder_for("anthropic/99") is None


def test_the_cost_of_a_step_does_not_grow_with_the_conversation() -> None:
    encoder = AnthropicEncoder()
    top = head("You are a careful agent. " * 100, tools=[READ])
    sealed: list[Message] = []

    def steps(count: int) -> float:
        fastest = 1.0
        for _ in range(count):
            at = len(sealed)
            sealed.append(user(result(f"c{at}", "x" * 700)))
            sealed.append(assistant("next", tool_use(f"c{at + 2}", "read", path="src/file.py")))
            asked = request(head=top, tail=user(result(f"c{at + 2}", "y" * 700)))
            asked = NeutralRequest(head=top, sealed=sealed, tail=asked.tail, revision=0)
            begun = time.process_time()
            encoder.encode(asked)
            fastest = min(fastest, time.process_time() - begun)
        return fastest

    early = steps(50)
    steps(400)
    late = steps(50)
    assert late < early + 0.0005, "a step may pay for copying the body, for nothing else"


@pytest.mark.parametrize("version", VERSIONS)
def test_text_that_cannot_be_encoded_is_replaced_not_refused(version: str) -> None:
    encoder = encoder_for(version)
    assert encoder is not None
    body = encoder.encode(request(head=head("a\ud800"), tail=user("b\udfff")))
    assert body.data.decode().count("\ufffd") == 2


def test_the_neutral_body_is_canonical_and_carries_no_provenance() -> None:
    encoder = encoder_for("neutral/1")
    assert encoder is not None
    top = head("Be brief.", tools=[READ], temperature=0.5)
    data = encoder.encode(
        request(
            user("hi"),
            assistant(tool_use("c1", "read", path="x")),
            head=top,
            tail=user(result("c1", "ok")),
        )
    ).data
    assert data == (
        b'{"head":{"extra":{"temperature":0.5},"max_output":1024,"model":"claude-fake",'
        b'"system":[{"name":"s0","text":"Be brief."}],"thinking":"off","tools":[{"description":'
        b'"Read a file.","name":"read","parameters":{"type":"object","properties":{"path":'
        b'{"type":"string"}}}}]},"messages":[{"content":[{"text":"hi","type":"text"}],"role":'
        b'"user"},{"content":[{"arguments":{"path": "x"},"id":"c1","name":"read","type":'
        b'"tool_call"}],"role":"assistant"},{"content":[{"call":"c1","content":[{"text":"ok",'
        b'"type":"text"}],"is_error":false,"type":"result"}],"role":"user"}]}'
    )
