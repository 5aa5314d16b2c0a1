from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw

from induscode.errors import RequestRejected
from induscode.kernel.content import Opaque, Text, Thinking, ToolCall
from induscode.kernel.request import Message, NeutralRequest, Part
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_steps import Step, calls, say
from tests.gateway.conversations import READ, assistant, head, part, request, user
from tests.gateway.openai_conversations import TABLE, item
from tests.gateway.openai_rig import (
    CHAT,
    RESPONSES,
    WIRES,
    answered,
    encoder_of,
    sent_by_vendor,
    vendor,
)

GOLDENS = Path(__file__).parent / "goldens"
REASONING = b'{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"e"}'

RESPONSES_ORDER = "model stream store instructions tools max_output_tokens reasoning include input"


def encoded(wire: str, asked: NeutralRequest) -> dict[str, Any]:
    return json.loads(encoder_of(wire).encode(asked).data)


def items_of(*messages: Message) -> list[dict[str, Any]]:
    return encoded(RESPONSES, request(*messages, head=head()))["input"]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", TABLE)
async def test_the_body_says_what_the_vendors_own_client_would_say(wire: str, name: str) -> None:
    row = TABLE[name]
    theirs = await sent_by_vendor(wire, row.chat if wire == CHAT else row.responses)
    assert encoded(wire, row.asked(wire)) == theirs


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", TABLE)
def test_the_bytes_of_a_released_version_never_change(wire: str, name: str) -> None:
    golden = GOLDENS / f"{wire}-1" / f"{name.replace(' ', '-').replace(',', '')}.json"
    assert encoder_of(wire).encode(TABLE[name].asked(wire)).data == golden.read_bytes()


def _without_names(item: dict[str, Any]) -> dict[str, Any]:
    """An item as a client that stores nothing on the other side needs it: reasoning as it is, all
    else without the server's names and states."""
    if item["type"] == "reasoning":
        return item
    kept = {key: value for key, value in item.items() if key not in ("id", "status")}
    if "content" in kept:
        kept["content"] = [
            {key: value for key, value in piece.items() if key in ("type", "text")}
            for piece in kept["content"]
        ]
    return kept


@pytest.mark.parametrize(
    "step",
    [
        say("Hello.", phase="final_answer"),
        say("Hello.", thinking="Let me see."),
        calls(("read", '{"path":"a"}'), ("read", '{"n":1.0}'), text="Both.", thinking="Two."),
    ],
)
async def test_an_answer_goes_back_as_the_vendors_own_client_would_return_it(step: Step) -> None:
    with OpenAIServer([step, say("ok")]) as server:
        async with vendor(server) as client:
            async with client.responses.stream(model="gpt-x", input="x") as stream:
                final = await stream.get_final_response()
            returned = [each.model_dump(exclude_unset=True) for each in final.output]
            again: Any = returned
            await client.responses.create(model="gpt-x", input=again)
        theirs = [_without_names(each) for each in server.requests[1].json["input"]]
    for each in theirs:
        each.pop("parsed_arguments", None)

    ours = await answered(RESPONSES, step)
    parts = tuple(part(block, getattr(block, "id", "")) for block in ours.content)
    message = Message(role="assistant", parts=parts, wire=RESPONSES, model="gpt-x")
    assert items_of(message) == theirs


@pytest.mark.parametrize(
    ("wire", "order"),
    [
        (CHAT, "model stream stream_options tools max_tokens reasoning_effort messages"),
        (
            RESPONSES,
            "model stream store instructions tools max_output_tokens reasoning include input",
        ),
    ],
)
def test_the_conversation_is_the_last_field_and_the_order_is_fixed(wire: str, order: str) -> None:
    *ours, last = order.split()
    top = head("S", tools=[READ], thinking="low", zeta=1, alpha=[2])
    fields = list(encoded(wire, request(head=top, tail=user("x"))))
    assert fields == [*ours, "alpha", "zeta", last]


@pytest.mark.parametrize("wire", WIRES)
def test_json_of_others_is_copied_byte_for_byte(wire: str) -> None:
    call = ToolCall(id="t", name="n", arguments=Raw(b'{"a": 1.10, "b":1e2}'))
    asked = request(assistant(call), head=head("s", tools=[READ]), tail=user("x"))
    data = encoder_of(wire).encode(asked).data
    assert b'"arguments":"{\\"a\\": 1.10, \\"b\\":1e2}"' in data
    assert b'"parameters":' + bytes(READ.parameters) in data


@pytest.mark.parametrize("wire", WIRES)
def test_a_call_goes_out_under_its_wire_id(wire: str) -> None:
    call = ToolCall(id="theirs", name="n", arguments=Raw(b"{}"))
    message = Message(role="assistant", parts=(Part(call, "e", "m", call="ours"),))
    data = encoder_of(wire).encode(request(message, head=head("s"), tail=user("x"))).data
    assert b'"ours"' in data
    assert b"theirs" not in data


@pytest.mark.parametrize("wire", WIRES)
def test_what_a_wire_cannot_carry_leaves_no_trace_and_no_empty_message(wire: str) -> None:
    foreign = assistant(Thinking("t"), Opaque("anthropic", Raw(b'{"type":"x"}')), Text(""))
    body = encoded(wire, request(user(""), foreign, head=head(), tail=user()))
    said = body["messages" if wire == CHAT else "input"]
    texts = ["(no text)"] * 3
    if wire == CHAT:
        assert [message["content"] for message in said] == texts
    else:
        assert [message["content"][0]["text"] for message in said] == texts
    assert [message["role"] for message in said] == ["user", "assistant", "user"]


def test_items_of_the_provider_go_back_only_to_the_wire_they_came_from() -> None:
    blocks = (Opaque(RESPONSES, Raw(REASONING)), Opaque(RESPONSES, Raw(b'{"type":"new"}')), "said")
    assert items_of(assistant(*blocks, wire="anthropic")) == [item("assistant", "said")]
    own = items_of(assistant(*blocks, wire=RESPONSES))
    assert [each["type"] for each in own] == ["reasoning", "new", "message"]


@pytest.mark.parametrize(
    "blocks",
    [
        ("said", Opaque(RESPONSES, Raw(REASONING))),
        (Opaque(RESPONSES, Raw(b'{"type":"reasoning","id":"rs","summary":[]}')), "said"),
        (Opaque(RESPONSES, Raw(b'{"type":"reasoning","encrypted_content":null}')), "said"),
    ],
)
def test_reasoning_that_the_api_would_refuse_is_left_out(blocks: tuple[Any, ...]) -> None:
    """Without its content it names an item that was never stored; at the end nothing follows it."""
    assert items_of(assistant(*blocks, wire=RESPONSES)) == [item("assistant", "said")]


def test_a_phase_belongs_to_the_message_that_follows_it() -> None:
    phase = Opaque(RESPONSES, Raw(b'{"phase":"final_answer"}'))
    first, second = items_of(assistant("so far", phase, "at last", wire=RESPONSES))
    assert "phase" not in first
    assert second == {**item("assistant", "at last"), "phase": "final_answer"}


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        (CHAT, "messages"),
        (CHAT, "n"),
        (RESPONSES, "input"),
        (RESPONSES, "instructions"),
        (RESPONSES, "previous_response_id"),
    ],
)
def test_extra_fields_cannot_touch_the_conversation(wire: str, name: str) -> None:
    with pytest.raises(RequestRejected, match=f"'{name}' is part of every request"):
        encoded(wire, request(head=head(**{name: 1}), tail=user("x")))


@pytest.mark.parametrize("wire", WIRES)
def test_a_thinking_level_nobody_knows_is_refused(wire: str) -> None:
    with pytest.raises(RequestRejected, match="no thinking level 'huge'"):
        encoded(wire, request(head=head("s", thinking="huge"), tail=user("x")))


def test_extra_fields_may_replace_parameters() -> None:
    body = encoded(CHAT, request(head=head(max_completion_tokens=5), tail=user("x")))
    assert body["max_completion_tokens"] == 5
    assert "max_tokens" not in body
    body = encoded(RESPONSES, request(head=head(store=True), tail=user("x")))
    assert body["store"] is True
    assert list(body)[:3] == ["model", "stream", "store"]
