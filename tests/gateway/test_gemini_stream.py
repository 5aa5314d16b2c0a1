from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from induscode.errors import (
    ContextTooLong,
    KeyRefused,
    ModelUnknown,
    Overloaded,
    ProviderError,
    QuotaExceeded,
    RequestRejected,
    StreamBroken,
)
from induscode.gateway.gemini.encoder import GeminiEncoder
from induscode.gateway.gemini.stream import AnswerDecoder
from induscode.gateway.sse import EventSplitter
from induscode.kernel.content import Opaque, Text, Thinking, ToolCall
from induscode.kernel.model import Answer, StopReason
from induscode.kernel.request import Message, Part
from tests.fakes.gemini_steps import Step, calls, say
from tests.gateway.conversations import Heard, head, request, user


def chunk(*parts: dict[str, Any], finish: str = "", **fields: Any) -> bytes:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    if finish:
        candidate["finishReason"] = finish
    return json.dumps({"candidates": [candidate], **fields}).encode()


def payloads(step: Step) -> list[bytes]:
    frames = step.frames(1, "gemini-x")
    return [frame.removeprefix(b"data: ").removesuffix(b"\r\n\r\n") for frame in frames]


def decoded(events: list[bytes], heard: Heard | None = None) -> Answer:
    decoder = AnswerDecoder(heard or Heard())
    for data in events:
        decoder.event(data)
    return decoder.answer()


def sent_back(answer: Answer) -> list[dict[str, Any]]:
    """The parts of the next request that repeat this answer."""
    parts = tuple(
        Part(block, "e", "m", call=block.id if isinstance(block, ToolCall) else "")
        for block in answer.content
    )
    message = Message(role="assistant", parts=parts, wire="gemini", model="gemini-x")
    body = GeminiEncoder().encode(request(message, head=head("s"), tail=user("x")))
    return json.loads(body.data)["contents"][0]["parts"]


def test_text_and_thinking_come_as_they_are_said_and_whole_at_the_end() -> None:
    heard = Heard()
    step = say("Hello there", thinking="let me see", signature="c2ln", chunk=4)
    answer = decoded(payloads(step), heard)
    assert answer.content == (Thinking("let me see"), Text("Hello there"), Thinking("", "c2ln"))
    assert heard.texts == ["Hell", "o th", "ere"]
    assert "".join(heard.thoughts) == "let me see"
    assert (answer.stop, answer.model, answer.id) == (StopReason.END, "gemini-x", "resp_0001")


def test_calls_keep_the_bytes_of_their_arguments_and_their_signature() -> None:
    written = '{"path": "a.py", "n": 1.10}'
    answer = decoded(payloads(calls(("read", written), ("ls", {}), ("ls", "null"))))
    assert answer.stop is StopReason.TOOLS
    made = [part for part in answer.content if isinstance(part, ToolCall)]
    assert [bytes(call.arguments) for call in made] == [b'{"path":"a.py","n":1.10}', b"{}", b"{}"]
    assert [call.signature for call in made] == ["c2lnbmF0dXJl", "", ""]
    assert [call.broken for call in made] == [None, None, None]


def test_calls_without_an_id_get_one_and_others_keep_theirs() -> None:
    step = calls(("read", {"path": "a"}), ("read", {"path": "b"}))
    first, again = decoded(payloads(step)), decoded(payloads(step))
    ids = [block.id for block in first.content if isinstance(block, ToolCall)]
    assert len(set(ids)) == 2
    assert first == again, "the same stream gives the same ids"
    assert all("id" not in part["functionCall"] for part in sent_back(first))
    named = decoded(payloads(calls(("read", {}), ("read", {}), ids=True)))
    assert [part["functionCall"]["id"] for part in sent_back(named)] == ["fc-0", "fc-1"]


def test_a_call_without_arguments_is_a_call() -> None:
    call = decoded([chunk({"functionCall": {"name": "ls"}}, finish="STOP")]).content[0]
    assert isinstance(call, ToolCall)
    assert call.decoded() == {}


@pytest.mark.parametrize("written", ['{"a": 1, "a": 2}', "[1]", '"x"', '{"a": 1e999}'])
def test_arguments_that_are_not_one_clean_object_make_a_broken_call(written: str) -> None:
    call = decoded(payloads(calls(("read", written)))).content[0]
    assert isinstance(call, ToolCall)
    assert (call.broken, bytes(call.arguments)) == (written, b"{}")


@pytest.mark.parametrize(
    "parts",
    [
        [{"text": "t", "thought": True, "thoughtSignature": "c2lnbmVk+/=="}, {"text": "a"}],
        [{"functionCall": {"id": "c", "name": "n", "args": {}}, "thoughtSignature": "YQ=="}],
        [{"text": "a"}, {"text": "", "thoughtSignature": "YQ=="}],
        [{"text": "", "thought": True, "thoughtSignature": "YQ=="}, {"text": "a"}],
        [{"executableCode": {"language": "PYTHON", "code": "1"}}, {"text": "b"}],
        [{"codeExecutionResult": {"outcome": "OUTCOME_OK"}}, {"inlineData": {"data": "YQ=="}}],
        [{"text": "a"}, {"text": "", "thoughtSignature": "YQ=="}, {"text": "b"}],
        [{"newPart": {"n": 1}, "thoughtSignature": "YQ=="}],
    ],
)
def test_what_the_model_signed_or_we_do_not_know_goes_back_as_it_came(
    parts: list[dict[str, Any]],
) -> None:
    streamed = [chunk(part) for part in parts]
    assert sent_back(decoded([*streamed, chunk(finish="STOP")])) == parts


def test_a_signature_on_a_text_stays_behind_that_text() -> None:
    signed = {"text": "said", "thoughtSignature": "YQ=="}
    answer = decoded([chunk({"text": "so "}), chunk(signed), chunk({"text": "on"}, finish="STOP")])
    assert answer.content == (Text("so said"), Thinking("", "YQ=="), Text("on"))
    assert sent_back(answer) == [
        {"text": "so said"},
        {"text": "", "thoughtSignature": "YQ=="},
        {"text": "on"},
    ]


def test_usage_is_what_the_last_chunk_says() -> None:
    last = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 60,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 30,
        "totalTokenCount": 150,
    }
    first = {"promptTokenCount": 99, "candidatesTokenCount": 5, "toolUsePromptTokenCount": 7}
    events = [chunk({"text": "a"}, usageMetadata=first), chunk(finish="STOP", usageMetadata=last)]
    usage = decoded(events).usage
    assert (usage.input, usage.cache_read, usage.cache_write) == (40, 60, 0)
    assert (usage.output, usage.reasoning) == (50, 30)


@pytest.mark.parametrize(
    ("told", "stop"),
    [
        ("STOP", StopReason.END),
        ("MAX_TOKENS", StopReason.LENGTH),
        ("SAFETY", StopReason.REFUSAL),
        ("RECITATION", StopReason.REFUSAL),
        ("BLOCKLIST", StopReason.REFUSAL),
        ("PROHIBITED_CONTENT", StopReason.REFUSAL),
        ("SPII", StopReason.REFUSAL),
        ("LANGUAGE", StopReason.REFUSAL),
        ("OTHER", StopReason.END),
        ("SOMETHING_NEW", StopReason.END),
    ],
)
def test_every_reason_to_stop_has_a_meaning(told: str, stop: StopReason) -> None:
    assert decoded(payloads(say("x", finish=told))).stop is stop


def test_a_blocked_prompt_is_a_refusal() -> None:
    blocked = {
        "promptFeedback": {"blockReason": "SAFETY"},
        "usageMetadata": {"promptTokenCount": 4},
    }
    answer = decoded([json.dumps(blocked).encode()])
    assert (answer.stop, answer.content, answer.usage.input) == (StopReason.REFUSAL, (), 4)


def test_a_call_that_the_model_botched_breaks_the_answer_and_may_be_asked_again() -> None:
    botched = {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "print(\ndefault_api"}
    decoder = AnswerDecoder(Heard())
    decoder.event(json.dumps({"candidates": [botched]}).encode())
    with pytest.raises(StreamBroken, match=r"malformed function call\): print\( default_api") as it:
        decoder.answer()
    assert it.value.retryable
    assert decoder.partial() is not None


@pytest.mark.parametrize(
    ("status", "message", "error"),
    [
        ("UNAVAILABLE", "The model is overloaded.", Overloaded),
        ("INTERNAL", "oops", Overloaded),
        ("RESOURCE_EXHAUSTED", "slow down", QuotaExceeded),
        ("PERMISSION_DENIED", "no", KeyRefused),
        ("NOT_FOUND", "no such model", ModelUnknown),
        ("INVALID_ARGUMENT", "bad", RequestRejected),
        ("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", KeyRefused),
        ("INVALID_ARGUMENT", "The input token count (9) exceeds the maximum of 8", ContextTooLong),
        ("NEW_STATUS", "odd\nthing", StreamBroken),
    ],
)
def test_an_error_in_the_stream_becomes_the_error_it_tells_of(
    status: str, message: str, error: type[ProviderError]
) -> None:
    decoder = AnswerDecoder(Heard())
    told = {"error": {"code": 1, "message": message, "status": status}}
    with pytest.raises(error) as caught:
        decoder.event(json.dumps(told).encode())
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        b"{not json",
        b"[]",
        b"[" * 100_000,
        b'{"candidates":{}}',
        b'{"candidates":[{"content":{"parts":[1]}}]}',
        b'{"candidates":[{"content":{"parts":[{"functionCall":[]}]}}]}',
        b'{"usageMetadata":{"promptTokenCount":"many"}}',
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
    data = b'{"candidates":[{"content":{"parts":[{"text":"%b"}]},"finishReason":"STOP"}]}' % sent
    assert decoded([data]).content == (Text(seen),)


def test_a_stream_without_an_end_is_broken_and_leaves_what_had_arrived() -> None:
    decoder = AnswerDecoder(Heard())
    assert decoder.partial() is None
    for data in payloads(calls(("read", {"path": "x"}), text="so far", thinking="hm"))[:-1]:
        decoder.event(data)
    with pytest.raises(StreamBroken, match="before it was complete"):
        decoder.answer()
    partial = decoder.partial()
    assert partial is not None
    assert partial.stop is StopReason.PARTIAL
    assert [type(part) for part in partial.content] == [Thinking, Text, ToolCall]


def test_a_reason_to_stop_with_every_chunk_does_not_end_the_answer_early() -> None:
    events = [chunk({"text": "a"}, finish="STOP"), chunk({"text": "b"}, finish="STOP")]
    assert decoded(events).content == (Text("ab"),)


steps = st.lists(
    st.one_of(
        st.builds(lambda text: {"text": text}, st.text(max_size=5)),
        st.builds(lambda text: {"text": text, "thought": True}, st.text(max_size=5)),
        st.just({"text": "x", "thoughtSignature": "YQ=="}),
        st.just({"functionCall": {"name": "n", "args": {"a": [1, "\u2028"]}}}),
        st.just({"executableCode": {"code": "é"}}),
    ),
    max_size=6,
)


@settings(max_examples=100, deadline=None)
@given(steps, st.lists(st.integers(0, 3000), max_size=30))
def test_any_cut_of_the_byte_stream_gives_the_same_answer(
    parts: list[dict[str, Any]], cuts: list[int]
) -> None:
    stream = b"".join(Step(tuple(parts)).frames(1, "gemini-x"))
    edges = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    splitter, decoder = EventSplitter(), AnswerDecoder(Heard())
    for begin, end in pairwise(edges):
        for event in splitter.feed(stream[begin:end]):
            decoder.event(event.data)
    whole = decoded(payloads(Step(tuple(parts))))
    assert decoder.answer() == whole
    assert not any(isinstance(block, Opaque) and block.wire != "gemini" for block in whole.content)
