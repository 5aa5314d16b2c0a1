"""What a script needs to know of a request: how far the conversation is, and what was said last."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

__all__ = ["Seen", "see"]


class _Block(Struct):
    type: str
    text: str = ""
    value: Raw = Raw(b"")
    content: list[_Block] = []


class _Message(Struct):
    role: str
    content: list[_Block]


class _Request(Struct):
    messages: list[_Message]


class Seen(Struct, frozen=True):
    """`step` counts from 1: one more than the answers already in the conversation. `last_said` is
    the text and the results of the last user message."""

    step: int
    last_said: str


_decoder = msgspec.json.Decoder(_Request)


def see(data: bytes) -> Seen:
    """`data` is a body of the neutral encoder."""
    messages = _decoder.decode(data).messages
    answers = sum(message.role == "assistant" for message in messages)
    said = [message for message in messages if message.role == "user"][-1:]
    blocks = [block for message in said for block in message.content]
    return Seen(answers + 1, "\n".join([_words(block) for block in blocks]))


def _words(block: _Block) -> str:
    match block.type:
        case "text":
            return block.text
        case "json":
            return bytes(block.value).decode()
        case "result":
            return "\n".join([_words(inner) for inner in block.content])
        case _:
            return ""
