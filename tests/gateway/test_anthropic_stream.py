from __future__ import annotations

import json
from typing import Any

import pytest

from induscode.errors import (
    ContextTooLong,
    KeyRefused,
    Overloaded,
    ProviderError,
    QuotaExceeded,
    RequestRejected,
    StreamBroken,
)
from induscode.gateway.anthropic.stream import AnswerDecoder
from induscode.kernel.content import Opaque, Text, Thinking, ToolCall
from induscode.kernel.model import Answer, StopReason
from tests.fakes.anthropic_steps import Block, Step, calls, say
from tests.gateway.conversations import Heard
from tests.requirements import requirement


def event(kind: str, **fields: Any) -> bytes:
    return json.dumps({"type": kind, **fields}).encode()


def payloads(step: Step) -> list[bytes]:
    return [
        frame.partition(b"data: ")[2].removesuffix(b"\n\n") for frame in step.frames(1, "claude-x")
    ]


def decoded(events: list[bytes], heard: Heard | None = None) -> Answer:
    decoder = AnswerDecoder(heard or Heard())
    for data in events:
        decoder.event(data)
    return decoder.answer()


def block(start: dict[str, Any], *deltas: dict[str, Any]) -> Step:
    return Step((Block(start, deltas),))


def test_text_and_thinking_come_as_they_are_said_and_whole_at_the_end() -> None:
    heard = Heard()
    answer = decoded(payloads(say("Hello there", thinking="let me see", chunk=4)), heard)
    assert answer.content == (Thinking("let me see", "c2lnbmF0dXJl"), Text("Hello there"))
    assert heard.texts == ["Hell", "o th", "ere"]
    assert "".join(heard.thoughts) == "let me see"
    assert (answer.stop, answer.model, answer.id) == (StopReason.END, "claude-x", "msg_0001")


def test_calls_keep_the_bytes_of_their_arguments() -> None:
    written = '{"path": "a.py", "n": 1.10}'
    answer = decoded(payloads(calls(("read", written), ("ls", {}), ("ls", ""), chunk=3)))
    assert answer.stop is StopReason.TOOLS
    made = [part for part in answer.content if isinstance(part, ToolCall)]
    assert [bytes(call.arguments) for call in made] == [b'{"path":"a.py","n":1.10}', b"{}", b"{}"]
    assert [call.broken for call in made] == [None, None, None]
    assert len({call.id for call in made}) == 3


@pytest.mark.parametrize(
    "written",
    ['{"a": 1', '{"a": 1, "a": 2}', "[1]", '"x"', '{"a": NaN}', '{"a": 1e999}', '{"a": "\\ud800"}'],
)
def test_arguments_that_are_not_one_clean_object_make_a_broken_call(written: str) -> None:
    answer = decoded(payloads(calls(("read", written))))
    call = answer.content[0]
    assert isinstance(call, ToolCall)
    assert (call.broken, bytes(call.arguments)) == (written, b"{}")


def test_a_call_whose_arguments_came_with_its_opening_is_understood() -> None:
    start = {"type": "tool_use", "id": "t", "name": "read", "input": {"path": "x"}}
    call = decoded(payloads(block(start))).content[0]
    assert isinstance(call, ToolCall)
    assert call.decoded() == {"path": "x"}


@requirement("log.pitfall.09-unknown-blocks-kept")
def test_unknown_blocks_are_kept_raw_and_in_order() -> None:
    pieces = ('{"q":', "1.0}")
    deltas = tuple({"type": "input_json_delta", "partial_json": piece} for piece in pieces)
    step = Step((
        Block({"type": "redacted_thinking", "data": "abc"}),
        Block({"type": "text", "text": "between"}),
        Block({"type": "server_tool_use", "id": "s", "name": "web", "input": {}}, deltas),
    ))  # fmt: skip
    first, text, last = decoded(payloads(step)).content
    assert isinstance(first, Opaque)
    assert bytes(first.raw) == b'{"type":"redacted_thinking","data":"abc"}'
    assert text == Text("between")
    assert isinstance(last, Opaque)
    assert bytes(last.raw) == b'{"type":"server_tool_use","id":"s","name":"web","input":{"q":1.0}}'


def test_usage_is_counted_once() -> None:
    first = {
        "input_tokens": 5,
        "output_tokens": 1,
        "cache_read_input_tokens": 7,
        "cache_creation_input_tokens": None,
    }
    last = {
        "output_tokens": 30,
        "input_tokens": 6,
        "output_tokens_details": {"thinking_tokens": 9},
    }
    events = [
        event("message_start", message={"usage": first}),
        event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 20}),
        event("message_delta", delta={}, usage=last),
        event("message_stop"),
    ]
    usage = decoded(events).usage
    assert (usage.input, usage.output, usage.cache_read, usage.cache_write) == (6, 30, 7, 0)
    assert usage.reasoning == 9


@pytest.mark.parametrize(
    ("told", "stop"),
    [
        ("end_turn", StopReason.END),
        ("stop_sequence", StopReason.END),
        ("tool_use", StopReason.TOOLS),
        ("max_tokens", StopReason.LENGTH),
        ("model_context_window_exceeded", StopReason.LENGTH),
        ("refusal", StopReason.REFUSAL),
        ("pause_turn", StopReason.PAUSE),
        ("something_new", StopReason.END),
    ],
)
def test_every_reason_to_stop_has_a_meaning(told: str, stop: StopReason) -> None:
    assert decoded(payloads(say("x", stop_reason=told))).stop is stop


@pytest.mark.parametrize(
    ("kind", "message", "error"),
    [
        ("overloaded_error", "Overloaded", Overloaded),
        ("api_error", "Internal", Overloaded),
        ("rate_limit_error", "slow down", QuotaExceeded),
        ("authentication_error", "no", KeyRefused),
        ("invalid_request_error", "bad", RequestRejected),
        ("invalid_request_error", "prompt is too long: 9 > 8", ContextTooLong),
        ("new_error", "odd\nthing", StreamBroken),
    ],
)
def test_an_error_event_becomes_the_error_it_tells_of(
    kind: str, message: str, error: type[ProviderError]
) -> None:
    decoder = AnswerDecoder(Heard())
    with pytest.raises(error) as caught:
        decoder.event(event("error", error={"type": kind, "message": message}))
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)


def test_events_nobody_knows_yet_are_passed_over() -> None:
    odd = [
        event("ping"),
        event("novelty", delta=7, index="x"),
        event("content_block_stop", index=9),
    ]
    assert decoded([*odd, *payloads(say("still here"))]).content == (Text("still here"),)


@pytest.mark.parametrize(
    "data",
    [
        b"{not json",
        b"[]",
        b'{"no":"type"}',
        b"[" * 100_000,
        event("content_block_delta", index=3, delta={"type": "text_delta", "text": "x"}),
        event("content_block_start", index=0, content_block=[1]),
        event("content_block_delta", index="0"),
    ],
)
def test_what_is_not_the_format_breaks_the_stream(data: bytes) -> None:
    with pytest.raises(StreamBroken):
        decoded([data])


@pytest.mark.parametrize(
    ("sent", "seen"),
    [(b"a\\ud83db", "a\ufffdb"), (b"a\xffb", "a\ufffdb"), (b"\\ud83d\\ude00", "\U0001f600")],
)
def test_text_that_cannot_be_encoded_is_replaced(sent: bytes, seen: str) -> None:
    events = payloads(say(""))
    opened = event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    delta = (
        b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"%b"}}' % sent
    )
    answer = decoded([events[0], opened, delta, *events[1:]])
    assert answer.content == (Text(seen),)


def test_a_stream_without_an_end_is_broken_and_leaves_what_had_arrived() -> None:
    decoder = AnswerDecoder(Heard())
    assert decoder.partial() is None
    whole = payloads(calls(("read", {"path": "x"}), text="so far", thinking="hm"))
    for data in whole[: whole.index(event("message_stop").replace(b": ", b":"))]:
        decoder.event(data)
    with pytest.raises(StreamBroken, match="before it was complete"):
        decoder.answer()
    partial = decoder.partial()
    assert partial is not None
    assert partial.stop is StopReason.PARTIAL
    assert [type(part) for part in partial.content] == [Thinking, Text, ToolCall]


def test_thinking_that_was_cut_before_its_signature_is_not_kept() -> None:
    decoder = AnswerDecoder(Heard())
    for data in payloads(say("never", thinking="a long thought", chunk=4))[:5]:
        decoder.event(data)
    partial = decoder.partial()
    assert partial is not None
    assert partial.content == ()
