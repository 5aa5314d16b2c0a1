"""The events of a Messages stream as typed data.

One flat type instead of one per event: it decodes in a microsecond, and an event that did not exist
when this was written decodes as well.
"""

from __future__ import annotations

import json
from typing import Any, cast

import msgspec
from msgspec import Raw, Struct

from induscode.errors import StreamBroken
from induscode.kernel.jsontext import clean_text

__all__ = ["Delta", "ErrorInfo", "StreamEvent", "TokenCount", "decode_event"]

_KNOWN = frozenset({
    "content_block_delta",
    "content_block_start",
    "content_block_stop",
    "error",
    "message_delta",
    "message_start",
    "message_stop",
    "ping",
})  # fmt: skip


class Delta(Struct, gc=False):
    type: str = ""
    text: str = ""
    thinking: str = ""
    signature: str = ""
    partial_json: str = ""
    stop_reason: str | None = None


class OutputDetails(Struct, gc=False):
    thinking_tokens: int = 0


class TokenCount(Struct, gc=False):
    """None is what an event does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens_details: OutputDetails | None = None


class MessageInfo(Struct):
    id: str = ""
    model: str = ""
    usage: TokenCount | None = None


class ErrorInfo(Struct):
    type: str = ""
    message: str = ""


class StreamEvent(Struct):
    type: str
    index: int = -1
    delta: Delta | None = None
    content_block: Raw = Raw(b"{}")
    message: MessageInfo | None = None
    usage: TokenCount | None = None
    error: ErrorInfo | None = None


_decoder = msgspec.json.Decoder(StreamEvent)


def decode_event(data: bytes) -> StreamEvent:
    """Raises `StreamBroken` for what is not JSON or not an event. Text that cannot be encoded
    (half surrogate pairs, invalid UTF-8) comes with replacement characters."""
    try:
        return _decoder.decode(data)
    except (ValueError, RecursionError):
        return _decode_slowly(data)


def _decode_slowly(data: bytes) -> StreamEvent:
    try:
        value: object = json.loads(data.decode("utf-8", "replace"))
        repaired, _ = clean_text(json.dumps(value, ensure_ascii=False))
        kind = cast("dict[str, Any]", value).get("type") if isinstance(value, dict) else None
        if isinstance(kind, str) and kind not in _KNOWN:
            return StreamEvent(type=kind)
        return _decoder.decode(repaired)
    except (ValueError, RecursionError):
        raise StreamBroken("an event of the answer is not what the wire format promises") from None
