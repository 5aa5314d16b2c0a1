from __future__ import annotations

import hashlib
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from induscode.kernel.content import Image, Json, Opaque, Text, Thinking, ToolCall
from induscode.kernel.request import Head, Message, NeutralRequest
from tests.gateway.conversations import READ, assistant, head, part, request, result, tool_use, user
from tests.gateway.openai_rig import RESPONSES, WIRES, encoder_of

texts = st.text(max_size=12)
raws = st.sampled_from([b"{}", b'{"a":1.0}', b'{"path":"x","n":[1,2]}']).map(Raw)
items = st.sampled_from([
    b'{"type":"reasoning","encrypted_content":"e"}',
    b'{"type":"reasoning","summary":[]}',
    b'{"type":"reasoning","content":7}',
    b'{"phase":"commentary"}',
    b'{"type":"web_search_call","id":"ws"}',
    b"{}",
]).map(Raw)  # fmt: skip
said = st.one_of(
    texts.map(Text),
    raws.map(Json),
    st.builds(Image, st.just("image/png"), st.binary(max_size=4)),
)
answered = st.one_of(
    texts.map(Text),
    st.builds(Thinking, texts, texts),
    st.builds(ToolCall, texts, texts, raws),
    st.builds(Opaque, st.sampled_from([RESPONSES, "other"]), items),
)
results = st.builds(
    lambda call, content, wrong: result(call, *content, is_error=wrong),
    texts,
    st.lists(said, max_size=2),
    st.booleans(),
)


def _user(blocks: list[object]) -> Message:
    return Message(role="user", parts=tuple(part(block) for block in blocks))


def _assistant(wire: str, blocks: list[object]) -> Message:
    parts = tuple(part(block, "c1") for block in blocks)
    return Message(role="assistant", parts=parts, wire=wire, model="m")


users = st.builds(_user, st.lists(st.one_of(said, results), max_size=4))
assistants = st.builds(
    _assistant, st.sampled_from([RESPONSES, "other"]), st.lists(answered, max_size=4)
)
messages = st.one_of(users, assistants)
heads = st.builds(
    lambda spans, thinking, tools: head(*spans, tools=tools, thinking=thinking),
    st.lists(texts, max_size=2),
    st.sampled_from(["off", "high"]),
    st.sampled_from([[], [READ]]),
)
moves = st.one_of(
    st.tuples(st.just("grow"), st.lists(messages, max_size=4)),
    st.tuples(st.just("head"), heads),
    st.tuples(st.just("rewrite"), st.lists(messages, max_size=4)),
    st.tuples(st.just("cut"), st.integers(0, 3)),
)


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=150, deadline=None)
@given(start=heads, steps=st.lists(st.tuples(moves, st.none() | users), max_size=8))
def test_a_fold_makes_the_same_bytes_and_digest_as_a_fresh_encoder(
    wire: str, start: Head, steps: list[tuple[tuple[str, object], Message | None]]
) -> None:
    kept = encoder_of(wire)
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
        assert body == encoder_of(wire).encode(asked)
        assert body.sha256 == hashlib.sha256(body.data).hexdigest()
        json.loads(body.data)


@pytest.mark.parametrize("wire", WIRES)
def test_text_that_cannot_be_encoded_is_replaced_not_refused(wire: str) -> None:
    body = encoder_of(wire).encode(request(head=head("a\ud800"), tail=user("b\udfff")))
    assert body.data.decode().count("\ufffd") == 2


@pytest.mark.parametrize("wire", WIRES)
def test_the_cost_of_a_step_does_not_grow_with_the_conversation(wire: str) -> None:
    encoder = encoder_of(wire)
    top = head("You are a careful agent. " * 100, tools=[READ])
    sealed: list[Message] = []

    def steps(count: int) -> float:
        fastest = 1.0
        for _ in range(count):
            at = len(sealed)
            sealed.append(user(result(f"c{at}", "x" * 700)))
            sealed.append(assistant("next", tool_use(f"c{at + 2}", "read", path="src/file.py")))
            tail = user(result(f"c{at + 2}", "y" * 700))
            asked = NeutralRequest(head=top, sealed=sealed, tail=tail, revision=0)
            begun = time.process_time()
            encoder.encode(asked)
            fastest = min(fastest, time.process_time() - begun)
        return fastest

    early = steps(50)
    steps(400)
    assert steps(50) < early + 0.0005, "a step may pay for copying the body, for nothing else"
