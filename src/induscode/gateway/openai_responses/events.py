"""The events of a Responses stream as typed data.

One flat type instead of one per event: it decodes in a microsecond, and an event that did not exist
when this was written decodes as well.
"""

from __future__ import annotations

import json
from typing import Any, cast

import msgspec
from msgspec import Raw, Struct

from induscode.errors import StreamBroken
from induscode.gateway.openai.events import decode_event

__all__ = ["ResponseInfo", "StreamEvent", "TokenCount", "read_event"]

_KNOWN = frozenset({
    "error",
    "response.completed",
    "response.created",
    "response.failed",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.in_progress",
    "response.incomplete",
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.delta",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_text.delta",
    "response.reasoning_text.delta",
    "response.refusal.delta",
})  # fmt: skip


class InputDetails(Struct, gc=False):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class OutputDetails(Struct, gc=False):
    reasoning_tokens: int | None = None


class TokenCount(Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: InputDetails | None = None
    output_tokens_details: OutputDetails | None = None


class Incomplete(Struct):
    reason: str | None = None


class ResponseInfo(Struct):
    id: str | None = None
    model: str | None = None
    output: list[Raw] | None = None
    usage: TokenCount | None = None
    error: Raw = Raw(b"")
    incomplete_details: Incomplete | None = None


class StreamEvent(Struct):
    type: str = ""
    output_index: int | None = None
    item_id: str | None = None
    summary_index: int | None = None
    delta: str | None = None
    arguments: str | None = None
    item: Raw = Raw(b"")
    response: ResponseInfo | None = None
    error: Raw = Raw(b"")


_decoder = msgspec.json.Decoder(StreamEvent)


def read_event(data: bytes) -> StreamEvent:
    """Raises `StreamBroken`; an event of a kind we do not know may have any shape."""
    try:
        return decode_event(_decoder, data)
    except StreamBroken:
        kind = _kind(data)
        if not kind or kind in _KNOWN:
            raise
        return StreamEvent(type=kind)


def _kind(data: bytes) -> str:
    try:
        value: object = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return ""
    kind = cast("dict[str, Any]", value).get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else ""
