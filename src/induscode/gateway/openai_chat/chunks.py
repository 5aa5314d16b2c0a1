"""The chunks of a Chat Completions stream as typed data, wide enough for servers that improvise."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct

from induscode.gateway.openai.events import decode_event

__all__ = ["CallDelta", "Chunk", "Count", "Delta", "decode_chunk", "spoken"]


class FunctionDelta(Struct, gc=False):
    """Arguments are a string; some servers send the object itself."""

    name: str | None = None
    arguments: Raw = Raw(b"")

    def written(self) -> str:
        raw = bytes(self.arguments).strip()
        if not raw or raw == b"null":
            return ""
        return msgspec.json.decode(raw, type=str) if raw.startswith(b'"') else raw.decode()


class CallDelta(Struct):
    index: int | None = None
    id: str | None = None
    function: FunctionDelta | None = None


class Piece(Struct):
    """Content as a list: text, or thinking that is a list of its own."""

    type: str = ""
    text: str = ""
    thinking: str | list[Piece] = ""


class Delta(Struct):
    content: str | list[Piece] | None = None
    reasoning_content: Any = None
    reasoning: Any = None
    refusal: str | None = None
    tool_calls: list[CallDelta] | None = None


class Choice(Struct):
    index: int | None = None
    delta: Delta | None = None
    finish_reason: str | None = None


class PromptDetails(Struct, gc=False):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class CompletionDetails(Struct, gc=False):
    reasoning_tokens: int | None = None


class Count(Struct):
    """`prompt_cache_hit_tokens` is how one vendor tells what came from its cache."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: PromptDetails | None = None
    completion_tokens_details: CompletionDetails | None = None
    prompt_cache_hit_tokens: int | None = None


class Chunk(Struct):
    id: str | None = None
    model: str | None = None
    choices: list[Choice] | None = None
    usage: Count | None = None
    error: Raw = Raw(b"")


_decoder = msgspec.json.Decoder(Chunk)


def decode_chunk(data: bytes) -> Chunk:
    """Raises `StreamBroken`."""
    return decode_event(_decoder, data)


def spoken(delta: Delta) -> tuple[str, str]:
    """The text and the reasoning of a delta. Where both names of reasoning are used, they say the
    same."""
    text, thinking = "", ""
    if isinstance(delta.content, str):
        text = delta.content
    elif delta.content:
        text = "".join([piece.text for piece in delta.content if piece.type == "text"])
        thinking = "".join([_thought(piece.thinking) for piece in delta.content])
    for told in (delta.reasoning_content, delta.reasoning):
        if isinstance(told, str) and told:
            return text, thinking + told
    return text, thinking


def _thought(thinking: str | list[Piece]) -> str:
    if isinstance(thinking, str):
        return thinking
    return "".join([piece.text for piece in thinking])
