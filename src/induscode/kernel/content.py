"""What is said: the blocks that inputs, answers and results are made of.

Closed unions with a `type` tag, the same in memory and on disk. JSON that somebody else wrote
stays raw (`msgspec.Raw`), so that sending it back sends the same bytes.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct

__all__ = [
    "AnswerBlock",
    "Image",
    "Json",
    "Opaque",
    "SaidBlock",
    "Text",
    "Thinking",
    "ToolCall",
    "plain_text",
]


class Text(Struct, frozen=True, tag="text", gc=False):
    text: str


class Image(Struct, frozen=True, tag="image", gc=False):
    """A picture as bytes (base64 in JSON)."""

    media_type: str
    data: bytes


class Json(Struct, frozen=True, tag="json", gc=False):
    """A structured value for the model to read, kept as the bytes its author wrote."""

    value: Raw


class Thinking(Struct, frozen=True, tag="thinking", gc=False):
    """Reasoning, with the provider's signature kept byte for byte; both go back as they came."""

    text: str
    signature: str = ""


class ToolCall(Struct, frozen=True, tag="tool_call", gc=False, omit_defaults=True):
    """A call as the model made it. `id` is the provider's and may repeat; `broken` holds the raw
    text of arguments that were not a JSON object, in which case `arguments` is `{}`; `signature`
    is the provider's mark on the call, which goes back with it to the same wire."""

    id: str
    name: str
    arguments: Raw
    broken: str | None = None
    signature: str = ""

    def decoded(self) -> dict[str, Any]:
        return msgspec.json.decode(self.arguments, type=dict[str, Any])


class Opaque(Struct, frozen=True, tag="opaque", gc=False):
    """A block of the provider's that we do not know; kept raw, in order, for the same wire."""

    wire: str
    raw: Raw


SaidBlock = Text | Image | Json
"""What a person, a tool or a feature can say."""

AnswerBlock = Text | Thinking | ToolCall | Opaque
"""What a model can answer."""


def plain_text(blocks: tuple[SaidBlock | AnswerBlock, ...] | list[SaidBlock | AnswerBlock]) -> str:
    """The text parts, joined; pictures and calls left out."""
    return "".join(block.text for block in blocks if isinstance(block, Text))
