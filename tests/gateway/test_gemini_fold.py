"""The fold remembers names of calls; it must remember no more than the request at hand says."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from induscode.gateway.gemini.encoder import GeminiEncoder
from induscode.kernel.content import Text, Thinking, ToolCall
from induscode.kernel.request import Message, NeutralRequest
from tests.gateway.conversations import head, part, result

ids = st.sampled_from(["a", "b", "indus-minted-0", "indus-minted-1"])
names = st.sampled_from(["read", "write"])
made = st.builds(
    lambda call, name, mark: ToolCall(call, name, Raw(b"{}"), signature=mark),
    ids,
    names,
    st.sampled_from(["", "c2ln"]),
)
answered = st.one_of(
    made, st.builds(Thinking, st.sampled_from(["", "t"]), st.just("s")), st.just(Text("said"))
)
said = st.one_of(ids.map(lambda call: result(call, "told")), st.just(Text("said")))


def _message(role: Any, wire: str, blocks: list[Any]) -> Message:
    parts = tuple(part(block, block.id if isinstance(block, ToolCall) else "") for block in blocks)
    return Message(role=role, parts=parts, wire=wire, model="m")


messages = st.one_of(
    st.builds(_message, st.just("user"), st.just(""), st.lists(said, max_size=3)),
    st.builds(
        _message,
        st.just("assistant"),
        st.sampled_from(["gemini", "anthropic"]),
        st.lists(answered, max_size=3),
    ),
)
tails = st.builds(_message, st.just("user"), st.just(""), st.lists(said, max_size=2))
moves = st.one_of(
    st.tuples(st.just("grow"), st.lists(messages, max_size=4)),
    st.tuples(st.just("rewrite"), st.lists(messages, max_size=4)),
)


@settings(max_examples=200, deadline=None)
@given(steps=st.lists(st.tuples(moves, tails), max_size=8))
def test_a_fold_makes_the_same_bytes_as_a_fresh_encoder(
    steps: list[tuple[tuple[str, list[Message]], Message]],
) -> None:
    kept, top = GeminiEncoder(), head("s")
    sealed: list[Message] = []
    revision = 0
    for (move, new), tail in steps:
        if move == "rewrite":
            sealed, revision = [], revision + 1
        sealed = sealed + new
        asked = NeutralRequest(head=top, sealed=sealed, tail=tail, revision=revision)
        body = kept.encode(asked)
        assert body == GeminiEncoder().encode(asked)
        json.loads(body.data)
