from __future__ import annotations

from typing import Any

import pytest

from induscode.errors import (
    ContextTooLong,
    Overloaded,
    ProviderError,
    QuotaExceeded,
    RequestRejected,
    StreamBroken,
)
from induscode.kernel.content import Opaque, Text, ToolCall
from induscode.kernel.model import Answer, StopReason, Usage
from tests.fakes.openai_responses_frames import response_frame
from tests.fakes.openai_steps import calls, refuse, say
from tests.gateway.conversations import Heard
from tests.gateway.openai_rig import RESPONSES, decoded, decoder_of, stream_of

MESSAGE = {"type": "message", "id": "m1", "role": "assistant", "content": []}
CALL = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "read", "arguments": ""}


def event(kind: str, **fields: Any) -> bytes:
    return response_frame({"type": kind, **fields})


def added(item: dict[str, Any], at: int = 0) -> bytes:
    return event("response.output_item.added", output_index=at, item=item)


def done(item: dict[str, Any], at: int = 0) -> bytes:
    return event("response.output_item.done", output_index=at, item=item)


def completed(**response: Any) -> bytes:
    return event("response.completed", response=response)


def spoken(text: str) -> dict[str, Any]:
    return {**MESSAGE, "content": [{"type": "output_text", "text": text, "annotations": []}]}


def made_of(*frames: bytes, heard: Heard | None = None) -> Answer:
    return decoded(RESPONSES, list(frames), heard)


def test_text_and_reasoning_come_as_they_are_said_and_reasoning_is_kept_once() -> None:
    heard = Heard()
    step = say("Hello there", thinking="hm hm", chunk=4)
    answer = made_of(stream_of(RESPONSES, step), heard=heard)
    assert [type(part) for part in answer.content] == [Opaque, Text]
    assert heard.texts == ["Hell", "o th", "ere"]
    assert heard.thoughts == ["hm h", "m"]
    assert (answer.stop, answer.model, answer.id) == (StopReason.END, "gpt-x", "resp_0001")


def test_the_parts_of_a_summary_are_told_apart() -> None:
    heard = Heard()
    item = {"type": "reasoning", "id": "r", "summary": []}
    frames = [added(item)]
    for at, text in enumerate(["One.", "Two."]):
        where: dict[str, Any] = {"output_index": 0, "item_id": "r", "summary_index": at}
        part = {"type": "summary_text", "text": ""}
        frames.append(event("response.reasoning_summary_part.added", **where, part=part))
        frames.append(event("response.reasoning_summary_text.delta", **where, delta=text))
    made_of(*frames, done(item), completed(), heard=heard)
    assert "".join(heard.thoughts) == "One.\n\nTwo."


def test_plain_reasoning_is_shown_and_kept_in_its_item() -> None:
    heard = Heard()
    item = {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "why"}]}
    told = event("response.reasoning_text.delta", output_index=0, content_index=0, delta="why")
    answer = made_of(added(item), told, done(item), completed(), heard=heard)
    assert heard.thoughts == ["why"]
    assert [type(part) for part in answer.content] == [Opaque]


def test_what_no_delta_told_is_told_when_the_item_is_whole() -> None:
    heard = Heard()
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}
    answer = made_of(done(thought), done(spoken("whole"), 1), completed(), heard=heard)
    assert (heard.thoughts, heard.texts) == (["hm"], ["whole"])
    assert answer.content[1] == Text("whole")


def test_a_response_that_comes_only_whole_is_understood() -> None:
    heard = Heard()
    call = {**CALL, "arguments": '{"path": "x"}'}
    answer = made_of(completed(output=[spoken("hi"), call], id="r", model="m"), heard=heard)
    assert [type(part) for part in answer.content] == [Text, ToolCall]
    assert heard.texts == ["hi"]
    assert (answer.id, answer.model, answer.stop) == ("r", "m", StopReason.TOOLS)


def test_items_that_are_named_but_not_counted_are_told_apart() -> None:
    first, second = spoken("one"), {**spoken("two"), "id": "m2"}
    frames: list[bytes] = []
    for item, text in ((first, "one"), (second, "two")):
        opened = {**item, "content": []}
        frames.append(event("response.output_item.added", item=opened))
        frames.append(event("response.output_text.delta", item_id=item["id"], delta=text))
        frames.append(event("response.output_item.done", item=item))
    assert made_of(*frames, completed()).content == (Text("one"), Text("two"))


def test_calls_keep_the_bytes_of_their_arguments_and_the_id_of_the_call() -> None:
    written = '{"path": "a.py", "n": 1.10}'
    answer = made_of(stream_of(RESPONSES, calls(("read", written), ("ls", ""), chunk=3)))
    made = [part for part in answer.content if isinstance(part, ToolCall)]
    assert [bytes(call.arguments) for call in made] == [b'{"path":"a.py","n":1.10}', b"{}"]
    assert [call.id for call in made] == ["call_0001_0", "call_0001_1"]
    assert answer.stop is StopReason.TOOLS


def test_arguments_may_come_in_deltas_or_at_their_end_or_with_the_item() -> None:
    grown = [
        event("response.function_call_arguments.delta", output_index=0, delta='{"a"'),
        event("response.function_call_arguments.delta", output_index=0, delta=":1}"),
    ]
    ended = event("response.function_call_arguments.done", output_index=0, arguments='{"a":1}')
    whole = {**CALL, "arguments": '{"a":1}'}
    for frames in ([*grown, done(CALL)], [ended, done(CALL)], [done(whole)], [*grown, done(whole)]):
        call = made_of(added(CALL), *frames, completed()).content[0]
        assert isinstance(call, ToolCall)
        assert call.decoded() == {"a": 1}


@pytest.mark.parametrize("written", ['{"a": 1', '{"a": 1, "a": 2}', "[1]", '{"a": NaN}'])
def test_arguments_that_are_not_one_clean_object_make_a_broken_call(written: str) -> None:
    call = made_of(stream_of(RESPONSES, calls(("read", written)))).content[0]
    assert isinstance(call, ToolCall)
    assert (call.broken, bytes(call.arguments)) == (written, b"{}")


def test_unknown_items_are_kept_raw_and_in_order() -> None:
    search = {"type": "web_search_call", "id": "ws", "action": {"q": 1.0}, "content": 7}
    answer = made_of(done(search), done(spoken("found"), 1), completed())
    kept = answer.content[0]
    assert isinstance(kept, Opaque)
    assert bytes(kept.raw) == (
        b'{"type":"web_search_call","id":"ws","action":{"q":1.0},"content":7}'
    )
    assert answer.content[1] == Text("found")


def test_the_phase_of_a_message_is_kept_before_its_text() -> None:
    answer = made_of(stream_of(RESPONSES, say("Done.", phase="final_answer")))
    phase, text = answer.content
    assert isinstance(phase, Opaque)
    assert bytes(phase.raw) == b'{"phase":"final_answer"}'
    assert text == Text("Done.")


@pytest.mark.parametrize(
    ("frame", "stop"),
    [
        (completed(), StopReason.END),
        (event("response.incomplete", response={}), StopReason.LENGTH),
        (
            event(
                "response.incomplete",
                response={"incomplete_details": {"reason": "max_output_tokens"}},
            ),
            StopReason.LENGTH,
        ),
        (
            event(
                "response.incomplete", response={"incomplete_details": {"reason": "content_filter"}}
            ),
            StopReason.REFUSAL,
        ),
    ],
)
def test_every_reason_to_stop_has_a_meaning(frame: bytes, stop: StopReason) -> None:
    assert made_of(done(spoken("x")), frame).stop is stop


def test_a_refusal_is_said_and_is_a_reason_to_stop() -> None:
    heard = Heard()
    answer = made_of(stream_of(RESPONSES, refuse("No.")), heard=heard)
    assert (answer.content, answer.stop) == ((Text("No."),), StopReason.REFUSAL)
    assert heard.texts == ["No."]


@pytest.mark.parametrize(
    ("frame", "family"),
    [
        (event("error", code="server_error", message="oops"), Overloaded),
        (event("error", code=None, message="oops", param=None), StreamBroken),
        (event("error", error={"type": "x", "code": "rate_limit_exceeded"}), QuotaExceeded),
        (event("response.failed", response={"error": {"code": "server_error"}}), Overloaded),
        (
            event(
                "response.failed",
                response={"error": {"code": "context_length_exceeded", "message": "m"}},
            ),
            ContextTooLong,
        ),
        (
            event("response.failed", response={"error": {"code": "invalid_base64_image"}}),
            RequestRejected,
        ),
        (event("response.failed", response={"error": {"code": "bio_policy"}}), RequestRejected),
        (event("response.failed", response={"error": None}), StreamBroken),
        (b'data: {"error":{"code":503,"message":"busy"}}\n\n', Overloaded),
    ],
)
def test_an_error_inside_the_stream_becomes_the_error_it_tells_of(
    frame: bytes, family: type[ProviderError]
) -> None:
    with pytest.raises(family) as caught:
        made_of(added(MESSAGE), frame)
    assert type(caught.value) is family


def test_events_nobody_knows_yet_are_passed_over() -> None:
    odd = [event("response.novelty", delta=[7], item_id=3), b"data: [DONE]\n\n"]
    assert made_of(*odd, done(spoken("here")), completed(), *odd).content == (Text("here"),)


@pytest.mark.parametrize(
    "data",
    [
        b"{not json",
        b"[]",
        b"{}",
        b'{"no":"type"}',
        b"[" * 100_000,
        b'{"type":"response.output_text.delta","output_index":3,"delta":"x"}',
        b'{"type":"response.output_text.delta","delta":[1]}',
        b'{"type":"response.output_item.added","output_index":0,"item":[1]}',
        b'{"type":"response.output_item.added","output_index":0}',
        b'{"type":"response.output_item.done","item":{"type":"message","content":7}}',
    ],
)
def test_what_is_not_the_format_breaks_the_stream(data: bytes) -> None:
    with pytest.raises(StreamBroken):
        decoder_of(RESPONSES).event(data)


def test_text_that_cannot_be_encoded_is_replaced() -> None:
    told = b'data: {"type":"response.output_text.delta","output_index":0,"delta":"a\\ud83db"}\n\n'
    assert made_of(added(MESSAGE), told, completed()).content == (Text("a\ufffdb"),)


def test_a_stream_without_an_end_is_broken_and_leaves_what_is_of_use() -> None:
    whole = stream_of(RESPONSES, calls(("read", {"path": "x"}), text="so far", thinking="hm"))
    frames = [frame.partition(b"data: ")[2] for frame in whole.split(b"\n\n") if frame]
    decoder = decoder_of(RESPONSES)
    assert decoder.partial() is None
    for data in frames[:4]:
        decoder.event(data)
    partial = decoder.partial()
    assert partial is not None
    assert partial.content == (), "reasoning that was cut cannot go back"
    for data in frames[4:-1]:
        decoder.event(data)
    with pytest.raises(StreamBroken, match="before it was complete"):
        decoder.answer()
    partial = decoder.partial()
    assert partial is not None
    assert partial.stop is StopReason.PARTIAL
    assert [type(part) for part in partial.content] == [Opaque, Text, ToolCall]
    assert partial.usage == Usage()
