from __future__ import annotations

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
from induscode.kernel.content import Text, Thinking, ToolCall
from induscode.kernel.model import Answer, StopReason, Usage
from tests.fakes.openai_chat_frames import chat_frame
from tests.fakes.openai_steps import Step, calls, say
from tests.gateway.conversations import Heard
from tests.gateway.openai_rig import CHAT, decoded, decoder_of, stream_of

DONE = b"data: [DONE]\n\n"
END = chat_frame({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})


def delta(**fields: Any) -> bytes:
    return chat_frame({"choices": [{"index": 0, "delta": fields}]})


def call_delta(index: int | None = None, call_id: str | None = None, **function: Any) -> bytes:
    told: dict[str, Any] = {"function": function}
    if index is not None:
        told["index"] = index
    if call_id is not None:
        told["id"] = call_id
    return delta(tool_calls=[told])


def made_of(*frames: bytes) -> Answer:
    return decoded(CHAT, [*frames, END, DONE])


def calls_of(answer: Answer) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (call.id, call.name, call.decoded())
        for call in answer.content
        if isinstance(call, ToolCall)
    ]


def test_text_and_reasoning_come_as_they_are_said_and_whole_at_the_end() -> None:
    heard = Heard()
    answer = decoded(CHAT, [stream_of(CHAT, say("Hello there", thinking="hm hm", chunk=4))], heard)
    assert answer.content == (Thinking("hm hm"), Text("Hello there"))
    assert heard.texts == ["Hell", "o th", "ere"]
    assert heard.thoughts == ["hm h", "m"]
    assert (answer.stop, answer.model, answer.id) == (StopReason.END, "gpt-x", "chatcmpl-0001")


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_content": "why"},
        {"reasoning": "why"},
        {"reasoning": "why", "reasoning_content": "why"},
        {"reasoning_content": "why", "reasoning": {"odd": 1}},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "why"}]}]},
    ],
)
def test_reasoning_is_understood_under_every_name_and_once(fields: dict[str, Any]) -> None:
    assert made_of(delta(**fields), delta(content="so")).content == (Thinking("why"), Text("so"))


def test_content_may_be_a_list_of_pieces() -> None:
    pieces = [{"type": "text", "text": "a"}, {"type": "reference", "ids": [1]}]
    assert made_of(delta(content=pieces), delta(content="b")).content == (Text("ab"),)


def test_calls_keep_the_bytes_of_their_arguments() -> None:
    written = '{"path": "a.py", "n": 1.10}'
    answer = decoded(CHAT, [stream_of(CHAT, calls(("read", written), ("ls", ""), chunk=3))])
    made = [part for part in answer.content if isinstance(part, ToolCall)]
    assert [bytes(call.arguments) for call in made] == [b'{"path":"a.py","n":1.10}', b"{}"]
    assert answer.stop is StopReason.TOOLS


@pytest.mark.parametrize("written", ['{"a": 1', '{"a": 1, "a": 2}', "[1]", '{"a": NaN}'])
def test_arguments_that_are_not_one_clean_object_make_a_broken_call(written: str) -> None:
    call = decoded(CHAT, [stream_of(CHAT, calls(("read", written)))]).content[0]
    assert isinstance(call, ToolCall)
    assert (call.broken, bytes(call.arguments)) == (written, b"{}")


@pytest.mark.parametrize(
    "frames",
    [
        [call_delta(0, name="a", arguments='{"n":1}'), call_delta(1, name="b", arguments="{}")],
        [call_delta(None, name="a", arguments='{"n":1}'), call_delta(None, name="b")],
        [call_delta(None, "", name="a", arguments={"n": 1}), call_delta(None, name="b")],
        [
            call_delta(0, name="a", arguments='{"n"'),
            call_delta(0, name="a", arguments=":1}"),
            call_delta(1, name="b", arguments=None),
        ],
    ],
)
def test_calls_without_ids_or_indices_are_told_apart_and_named_in_order(
    frames: list[bytes],
) -> None:
    answer = made_of(*frames)
    assert calls_of(answer) == [("call_1", "a", {"n": 1}), ("call_2", "b", {})]
    assert answer.stop is StopReason.TOOLS, "although the server said stop"


def test_calls_that_all_have_the_index_0_are_told_apart_by_their_ids() -> None:
    answer = made_of(
        call_delta(0, "x", name="a", arguments='{"n"'),
        call_delta(0, "x", arguments=":1}"),
        call_delta(0, "y", name="a", arguments="{}"),
    )
    assert calls_of(answer) == [("x", "a", {"n": 1}), ("y", "a", {})]


@pytest.mark.parametrize(
    ("told", "stop"),
    [
        ("stop", StopReason.END),
        ("length", StopReason.LENGTH),
        ("model_length", StopReason.LENGTH),
        ("content_filter", StopReason.REFUSAL),
        ("tool_calls", StopReason.END),
        ("function_call", StopReason.END),
        ("something_new", StopReason.END),
    ],
)
def test_every_reason_to_stop_has_a_meaning(told: str, stop: StopReason) -> None:
    end = chat_frame({"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": told}]})
    assert decoded(CHAT, [end]).stop is stop


def test_a_server_that_does_not_count_or_close_is_understood() -> None:
    answer = decoded(CHAT, [stream_of(CHAT, Step(text="hi", usage=None))])
    assert (answer.content, answer.usage) == ((Text("hi"),), Usage())
    assert decoded(CHAT, [delta(content="hi"), END]).content == (Text("hi"),)


def test_usage_is_the_last_one_told_under_every_name() -> None:
    early = {"prompt_tokens": 1, "completion_tokens": 1}
    late = {"prompt_tokens": 90, "completion_tokens": 8, "prompt_cache_hit_tokens": 60}
    frames = [chat_frame({"choices": [], "usage": told}) for told in (early, late)]
    assert made_of(*frames).usage == Usage(input=30, output=8, cache_read=60)


def test_other_choices_and_unknown_fields_are_passed_over() -> None:
    other = chat_frame({"choices": [{"index": 1, "delta": {"content": "no"}}], "x": {"y": [1]}})
    keepalive = chat_frame({"choices": None})
    assert made_of(other, keepalive, delta(content="yes", audio=None)).content == (Text("yes"),)


@pytest.mark.parametrize(
    ("error", "family"),
    [
        ({"message": "Overloaded", "code": 502}, Overloaded),
        ({"message": "slow", "code": 429}, QuotaExceeded),
        ({"message": "slow", "type": "rate_limit_exceeded", "code": None}, QuotaExceeded),
        ({"message": "no", "type": "x", "code": "invalid_api_key"}, KeyRefused),
        ({"message": "m", "code": "context_length_exceeded"}, ContextTooLong),
        ({"message": "the context length is 9", "type": "invalid_request_error"}, ContextTooLong),
        ({"message": "bad", "type": "invalid_request_error"}, RequestRejected),
        ({"message": "odd\nthing", "type": "new_error"}, StreamBroken),
        ("just words", StreamBroken),
    ],
)
def test_an_error_inside_the_stream_becomes_the_error_it_tells_of(
    error: object, family: type[ProviderError]
) -> None:
    with pytest.raises(family) as caught:
        decoded(CHAT, [delta(content="so far"), chat_frame({"error": error})])
    assert type(caught.value) is family
    assert "\n" not in str(caught.value)


def test_a_spent_quota_inside_the_stream_is_not_tried_again() -> None:
    told = chat_frame({"error": {"message": "m", "code": "insufficient_quota"}})
    with pytest.raises(QuotaExceeded, match="check your plan and billing") as caught:
        decoded(CHAT, [told])
    assert not caught.value.retryable


@pytest.mark.parametrize("finish", ["error", "insufficient_system_resource"])
def test_a_failure_told_as_a_reason_to_stop_is_a_failure(finish: str) -> None:
    with pytest.raises(Overloaded, match=finish):
        decoded(CHAT, [chat_frame({"choices": [{"delta": {}, "finish_reason": finish}]})])


@pytest.mark.parametrize(
    "data",
    [b"{not json", b"[]", b"7", b"[" * 100_000, b'{"choices":7}', b'{"choices":[{"delta":[1]}]}'],
)
def test_what_is_not_the_format_breaks_the_stream(data: bytes) -> None:
    with pytest.raises(StreamBroken):
        decoder_of(CHAT).event(data)


@pytest.mark.parametrize(
    ("sent", "seen"),
    [(b"a\\ud83db", "a\ufffdb"), (b"a\xffb", "a\ufffdb"), (b"\\ud83d\\ude00", "\U0001f600")],
)
def test_text_that_cannot_be_encoded_is_replaced(sent: bytes, seen: str) -> None:
    frame = b'data: {"choices":[{"index":0,"delta":{"content":"%b"}}]}\n\n' % sent
    assert made_of(frame).content == (Text(seen),)


@pytest.mark.parametrize("end", [b"", DONE])
def test_a_stream_that_never_says_why_it_ended_is_broken_and_leaves_a_partial(end: bytes) -> None:
    decoder = decoder_of(CHAT)
    assert decoder.partial() is None
    for frame in (delta(reasoning="hm", content="so f"), call_delta(0, name="read"), end):
        decoder.event(frame.removeprefix(b"data: ").strip()) if frame else None
    with pytest.raises(StreamBroken, match="before it was complete"):
        decoder.answer()
    partial = decoder.partial()
    assert partial is not None
    assert partial.stop is StopReason.PARTIAL
    assert [type(part) for part in partial.content] == [Thinking, Text, ToolCall]
