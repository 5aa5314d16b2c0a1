from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from msgspec import Raw

from induscode.errors import RequestRejected
from induscode.gateway.anthropic.encoder import AnthropicEncoder
from induscode.kernel.content import Image, Json, Opaque, Text, Thinking, ToolCall
from induscode.kernel.request import Message, NeutralRequest, Part
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import say
from tests.gateway.conversations import (
    READ,
    assistant,
    head,
    request,
    result,
    tool_use,
    user,
)

GOLDENS = Path(__file__).parent / "goldens" / "anthropic-1"
MARK = {"cache_control": {"type": "ephemeral"}}
READ_TOOL: dict[str, Any] = {
    "name": "read",
    "description": "Read a file.",
    "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}},
}


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def encoded(asked: NeutralRequest) -> dict[str, Any]:
    return json.loads(AnthropicEncoder().encode(asked).data)


TABLE: dict[str, tuple[NeutralRequest, dict[str, Any]]] = {
    "a first question": (
        request(head=head("One.", "Two."), tail=user("héllo \u2028 \U0001f600 \x00")),
        {
            "model": "claude-fake",
            "max_tokens": 1024,
            "system": [_text("One.\n\nTwo.", **MARK)],
            "messages": [
                {"role": "user", "content": [_text("héllo \u2028 \U0001f600 \x00", **MARK)]}
            ],
        },
    ),
    "tools without a system prompt": (
        request(head=head(tools=[READ, READ]), tail=user("hi")),
        {
            "model": "claude-fake",
            "max_tokens": 1024,
            "tools": [READ_TOOL, {**READ_TOOL, **MARK}],
            "messages": [{"role": "user", "content": [_text("hi", **MARK)]}],
        },
    ),
    "calls, results, a picture and thinking": (
        request(
            user("look"),
            assistant(
                Thinking("hmm", "c2ln"),
                Opaque("anthropic", Raw(b'{"type":"redacted_thinking","data":"x"}')),
                "I look.",
                tool_use("t1", "read", path="a"),
                tool_use("t2", "read", path="b"),
            ),
            user(result("t1", "A", Image("image/png", b"\x89PNG")), result("t2", is_error=True)),
            assistant("Done."),
            head=head("S.", tools=[READ], thinking="medium", max_output=8192, stop_sequences=["x"]),
            tail=user(Json(Raw(b'{"n": 1.0}')), "again"),
        ),
        {
            "model": "claude-fake",
            "max_tokens": 16384,
            "system": [_text("S.", **MARK)],
            "tools": [READ_TOOL],
            "thinking": {"type": "enabled", "budget_tokens": 8192},
            "stop_sequences": ["x"],
            "messages": [
                {"role": "user", "content": [_text("look")]},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "hmm", "signature": "c2ln"},
                        {"type": "redacted_thinking", "data": "x"},
                        _text("I look."),
                        {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a"}},
                        {"type": "tool_use", "id": "t2", "name": "read", "input": {"path": "b"}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "t1",
                            "content": [
                                _text("A"),
                                {
                                    "type": "image",
                                    "source": {
                                        "type": "base64",
                                        "media_type": "image/png",
                                        "data": "iVBORw==",
                                    },
                                },
                            ],
                        },
                        {
                            "type": "tool_result",
                            "tool_use_id": "t2",
                            "content": [],
                            "is_error": True,
                            **MARK,
                        },
                    ],
                },
                {"role": "assistant", "content": [_text("Done.")]},
                {"role": "user", "content": [_text('{"n": 1.0}'), _text("again", **MARK)]},
            ],
        },
    ),
}


@pytest.mark.parametrize("name", TABLE)
async def test_the_body_says_what_the_vendors_own_client_would_say(name: str) -> None:
    asked, parameters = TABLE[name]
    with AnthropicServer([say("ok")]) as server:
        async with (
            AsyncAnthropic(base_url=server.url, api_key="k", max_retries=0) as client,
            client.messages.stream(**parameters) as stream,
        ):
            await stream.get_final_message()
        theirs = server.requests[0].json
        assert server.requests[0].path == "/v1/messages"

    assert encoded(asked) == theirs


@pytest.mark.parametrize("name", TABLE)
def test_the_bytes_of_a_released_version_never_change(name: str) -> None:
    golden = GOLDENS / f"{name.replace(' ', '-').replace(',', '')}.json"
    assert AnthropicEncoder().encode(TABLE[name][0]).data == golden.read_bytes()


def test_messages_are_the_last_field_and_the_order_is_fixed() -> None:
    asked = request(
        head=head("S", tools=[READ], thinking="low", max_output=4000, zeta=1, alpha=[2]),
        tail=user("x"),
    )
    assert list(encoded(asked)) == [
        "model",
        "max_tokens",
        "stream",
        "system",
        "tools",
        "thinking",
        "alpha",
        "zeta",
        "messages",
    ]  # fmt: skip


def test_json_of_others_is_copied_byte_for_byte() -> None:
    call = ToolCall(id="t", name="n", arguments=Raw(b'{"a": 1.10, "b":1e2}'))
    data = AnthropicEncoder().encode(request(assistant(call), head=head("s"), tail=user("x"))).data
    assert b'"input":{"a": 1.10, "b":1e2}' in data


def test_a_call_goes_out_under_its_wire_id() -> None:
    call = ToolCall(id="theirs", name="n", arguments=Raw(b"{}"))
    message = Message(role="assistant", parts=(Part(call, "e", "m", call="ours"),))
    body = encoded(request(message, head=head("s"), tail=user("x")))
    assert body["messages"][0]["content"][0]["id"] == "ours"


def test_thinking_and_unknown_blocks_go_back_only_to_the_wire_they_came_from() -> None:
    blocks = (Thinking("t", "sig"), Opaque("anthropic", Raw(b'{"type":"x"}')), "said")
    foreign = encoded(request(assistant(*blocks, wire="openai"), head=head("s"), tail=user("x")))
    assert foreign["messages"][0]["content"] == [_text("said")]
    own = encoded(request(assistant(*blocks), head=head("s"), tail=user("x")))
    assert [block["type"] for block in own["messages"][0]["content"]] == ["thinking", "x", "text"]


def test_thinking_without_a_signature_is_left_out() -> None:
    body = encoded(request(assistant(Thinking("t"), "said"), head=head("s"), tail=user("x")))
    assert body["messages"][0]["content"] == [_text("said")]


def test_no_message_and_no_text_block_is_ever_empty() -> None:
    body = encoded(
        request(
            user(""), assistant(Thinking("t"), Text("")), head=head("s"), tail=user("", "x", "")
        )
    )
    assert [message["content"] for message in body["messages"]] == [
        [_text("(no text)", **MARK)],
        [_text("(no text)")],
        [_text("x", **MARK)],
    ]


def test_marks_stand_on_the_last_two_user_messages_only() -> None:
    talk = [message for at in range(5) for message in (user(f"q{at}"), assistant(f"a{at}"))]
    body = encoded(request(*talk, head=head("s"), tail=user("last")))
    marked = [
        at
        for at, message in enumerate(body["messages"])
        if "cache_control" in message["content"][-1]
    ]
    assert marked == [8, 10]


@pytest.mark.parametrize(
    ("level", "asked", "tokens", "budget"),
    [("low", 2048, 4096, 2048), ("low", 2049, 2049, 2048), ("high", 64000, 64000, 24576)],
)
def test_thinking_always_leaves_room_for_the_answer(
    level: str, asked: int, tokens: int, budget: int
) -> None:
    body = encoded(request(head=head("s", thinking=level, max_output=asked), tail=user("x")))
    assert (body["max_tokens"], body["thinking"]["budget_tokens"]) == (tokens, budget)


def test_extra_fields_may_replace_parameters_but_not_the_conversation() -> None:
    body = encoded(request(head=head("s", max_tokens=5), tail=user("x")))
    assert body["max_tokens"] == 5
    with pytest.raises(RequestRejected, match="'messages' is part of every request"):
        encoded(request(head=head("s", messages=[]), tail=user("x")))
    with pytest.raises(RequestRejected, match="no thinking level 'huge'"):
        encoded(request(head=head("s", thinking="huge"), tail=user("x")))
