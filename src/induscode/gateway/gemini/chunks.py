"""The chunks of a `streamGenerateContent` stream as typed data; parts also raw, as they came."""

from __future__ import annotations

import json

import msgspec
from msgspec import Raw, Struct

from induscode.errors import StreamBroken
from induscode.kernel.jsontext import clean_text

__all__ = ["Chunk", "ErrorInfo", "Made", "PartData", "TokenCount", "decode_chunk", "decode_part"]


class Made(Struct, gc=False):
    """A call as the model made it."""

    name: str = ""
    args: Raw = Raw(b"")
    id: str | None = None


class PartData(Struct, rename="camel"):
    """None is what a part does not have."""

    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: Made | None = None


class _Content(Struct):
    parts: list[Raw] | None = None


class Candidate(Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None
    finish_message: str | None = None


class Feedback(Struct, rename="camel"):
    block_reason: str | None = None
    block_reason_message: str | None = None


class TokenCount(Struct, rename="camel", gc=False):
    """Every count tells everything: what it does not name is nought."""

    prompt_token_count: int | None = None
    cached_content_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None


class ErrorInfo(Struct):
    code: int | None = None
    message: str | None = None
    status: str | None = None
    details: list[Raw] | None = None


class Chunk(Struct, rename="camel"):
    candidates: list[Candidate] | None = None
    prompt_feedback: Feedback | None = None
    usage_metadata: TokenCount | None = None
    model_version: str | None = None
    response_id: str | None = None
    error: ErrorInfo | None = None

    def parts(self) -> list[Raw]:
        """Of the one candidate that is asked for."""
        content = self.candidates[0].content if self.candidates else None
        return (content.parts if content is not None else None) or []


_chunks = msgspec.json.Decoder(Chunk)
_parts = msgspec.json.Decoder(PartData)


def decode_chunk(data: bytes) -> tuple[Chunk, list[tuple[Raw, PartData]]]:
    """A chunk and its parts. Raises `StreamBroken` for what is not JSON or not a chunk. Text that
    cannot be encoded (half surrogate pairs, invalid UTF-8) comes with replacement characters."""
    try:
        return _read(data)
    except (ValueError, RecursionError):
        pass
    try:
        return _read(_repaired(data))
    except (ValueError, RecursionError):
        raise StreamBroken("an event of the answer is not what the wire format promises") from None


def decode_part(raw: Raw) -> PartData:
    return _parts.decode(raw)


def _read(data: bytes) -> tuple[Chunk, list[tuple[Raw, PartData]]]:
    chunk = _chunks.decode(data)
    return chunk, [(raw, decode_part(raw)) for raw in chunk.parts()]


def _repaired(data: bytes) -> bytes:
    value: object = json.loads(data.decode("utf-8", "replace"))
    return clean_text(json.dumps(value, ensure_ascii=False))[0].encode()
