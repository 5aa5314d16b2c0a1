"""The vendor's own client reads from our fake server what we read, however the bytes are cut."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.lib.streaming.chat import ChatCompletionStreamState

from induscode.gateway.factory import Wire
from induscode.kernel.content import Opaque, Text, Thinking, ToolCall
from induscode.kernel.model import Answer, StopReason, Usage
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_steps import Step, calls, refuse, say
from tests.gateway.conversations import Heard
from tests.gateway.openai_rig import (
    CHAT,
    RESPONSES,
    WIRES,
    answered,
    ask,
    decoded,
    provider_at,
    stream_of,
    vendor,
)

COUNTED = {"input": 90, "cached": 30, "cache_write": 5, "output": 40, "reasoning": 25}
STEPS = {
    "text": say("Hello \U0001f600 wörld\n", chunk=3),
    "nothing": say(""),
    "calls": calls(("read", {"path": "a"}), ("ls", {"n": [1, 2.5]}), text="Both.", chunk=5),
    "calls alone": calls(("read", {})),
    "thinking": say("Yes.", thinking="Should I?\n\nI should.", usage=COUNTED, chunk=4),
    "thinking and calls": calls(("read", {"path": "ü"}), thinking="First look.", usage=COUNTED),
    "cut short": say("and then", stop="length"),
    "filtered": say("and th", stop="filter"),
    "refused": refuse("I will not do that."),
}

Seen = tuple[str, str, list[tuple[str, str, Any]], StopReason, Usage]


def seen_by_us(answer: Answer) -> Seen:
    """Text, reasoning, calls, stop and usage, in a form that both sides have."""
    text = "".join(block.text for block in answer.content if isinstance(block, Text))
    thinking = "".join(block.text for block in answer.content if isinstance(block, Thinking))
    for block in answer.content:
        if isinstance(block, Opaque):
            thinking += "".join(part["text"] for part in json.loads(bytes(block.raw))["summary"])
    made = [
        (block.id, block.name, block.decoded())
        for block in answer.content
        if isinstance(block, ToolCall)
    ]
    return text, thinking, made, answer.stop, answer.usage


async def seen_by_vendor_in_chat(step: Step) -> Seen:
    with OpenAIServer([step]) as server:
        async with vendor(server) as client:
            chunks = [
                chunk
                async for chunk in await client.chat.completions.create(
                    model="gpt-x", messages=[{"role": "user", "content": "x"}], stream=True
                )
            ]
            state: Any = ChatCompletionStreamState()
            for chunk in chunks:
                state.handle_chunk(chunk)
            snapshot = state.current_completion_snapshot
    message = snapshot.choices[0].message
    made = [
        (call.id, call.function.name, json.loads(call.function.arguments))
        for call in message.tool_calls or []
    ]
    stops = {
        "stop": StopReason.REFUSAL if message.refusal else StopReason.END,
        "tool_calls": StopReason.TOOLS,
        "length": StopReason.LENGTH,
        "content_filter": StopReason.REFUSAL,
    }
    usage = snapshot.usage
    details = usage.prompt_tokens_details
    apart = details.cached_tokens + details.cache_write_tokens
    counted = Usage(
        input=usage.prompt_tokens - apart,
        output=usage.completion_tokens,
        cache_read=details.cached_tokens,
        cache_write=details.cache_write_tokens,
        reasoning=usage.completion_tokens_details.reasoning_tokens,
    )
    text = (message.content or "") + (message.refusal or "")
    thinking = getattr(message, "reasoning_content", "")
    return text, thinking, made, stops[snapshot.choices[0].finish_reason], counted


async def seen_by_vendor_in_responses(step: Step) -> Seen:
    with OpenAIServer([step]) as server:
        async with vendor(server) as client:
            final: Any = None
            async with client.responses.stream(model="gpt-x", input="x") as stream:
                async for event in stream:
                    if event.type in ("response.completed", "response.incomplete"):
                        final = event.response
    refused = [
        part.refusal
        for item in final.output
        if item.type == "message"
        for part in item.content
        if part.type == "refusal"
    ]
    thinking = "".join(
        part.text for item in final.output if item.type == "reasoning" for part in item.summary
    )
    made = [
        (item.call_id, item.name, json.loads(item.arguments))
        for item in final.output
        if item.type == "function_call"
    ]
    stop = StopReason.TOOLS if made else StopReason.REFUSAL if refused else StopReason.END
    if final.status == "incomplete":
        reasons = {"max_output_tokens": StopReason.LENGTH, "content_filter": StopReason.REFUSAL}
        stop = reasons[final.incomplete_details.reason]
    read = final.usage.input_tokens_details
    counted = Usage(
        input=final.usage.input_tokens - read.cached_tokens - read.cache_write_tokens,
        output=final.usage.output_tokens,
        cache_read=read.cached_tokens,
        cache_write=read.cache_write_tokens,
        reasoning=final.usage.output_tokens_details.reasoning_tokens,
    )
    return final.output_text + "".join(refused), thinking, made, stop, counted


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", STEPS)
async def test_the_vendors_own_client_reads_the_same_answer(wire: Wire, name: str) -> None:
    step = STEPS[name]
    by_vendor = seen_by_vendor_in_chat if wire == CHAT else seen_by_vendor_in_responses
    assert seen_by_us(await answered(wire, step)) == await by_vendor(step)


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=120, deadline=None)
@given(name=st.sampled_from(sorted(STEPS)), cuts=st.lists(st.integers(0, 6000), max_size=30))
def test_any_split_of_the_stream_gives_the_same_answer_and_the_same_deltas(
    wire: Wire, name: str, cuts: list[int]
) -> None:
    whole, heard = stream_of(wire, STEPS[name]), Heard()
    expected = decoded(wire, [whole], heard)
    marks = [0, *sorted(cut for cut in cuts if cut < len(whole)), len(whole)]
    pieces = [whole[start:end] for start, end in pairwise(marks)]
    again = Heard()
    assert decoded(wire, pieces, again) == expected
    assert (again.texts, again.thoughts) == (heard.texts, heard.thoughts)


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_that_comes_byte_by_byte_or_with_other_line_ends_is_the_same(wire: Wire) -> None:
    whole = stream_of(wire, STEPS["thinking and calls"])
    expected = decoded(wire, [whole])
    assert decoded(wire, [bytes([byte]) for byte in whole]) == expected
    assert decoded(wire, [whole.replace(b"\n", b"\r\n")]) == expected


@pytest.mark.parametrize("wire", WIRES)
async def test_usage_equals_the_servers_figures_over_twenty_steps(wire: Wire) -> None:
    figures = [
        {"input": 1000 + 37 * n, "cached": 31 * n, "cache_write": n, "output": 11 + n}
        | {"reasoning": n // 2}
        for n in range(20)
    ]
    with OpenAIServer([calls(("read", {"n": 1}), usage=told) for told in figures]) as server:
        provider = provider_at(wire, server.base_url)
        answers = [await ask(provider) for _ in figures]
        await provider.close()
    total = sum((answer.usage for answer in answers), Usage())
    assert total.input == sum(f["input"] - f["cached"] - f["cache_write"] for f in figures)
    assert total.cache_read == sum(f["cached"] for f in figures)
    assert total.cache_write == sum(f["cache_write"] for f in figures)
    assert total.output == sum(f["output"] for f in figures)
    assert total.reasoning == sum(f["reasoning"] for f in figures)


async def test_a_reasoning_item_is_kept_byte_for_byte() -> None:
    answer = await answered(RESPONSES, STEPS["thinking"])
    item = answer.content[0]
    assert isinstance(item, Opaque)
    assert item.wire == RESPONSES
    assert bytes(item.raw) == (
        b'{"id":"rs_0001","type":"reasoning","summary":[{"type":"summary_text","text":'
        b'"Should I?\\n\\nI should."}],"encrypted_content":"Z0FBQUFBQm/encrypted+reasoning=="}'
    )
