"""Contents as entries hold them: what is large is kept once, beside the log."""

from __future__ import annotations

from msgspec import Struct

from induscode.kernel.content import Json, Opaque, Text, Thinking, ToolCall

__all__ = ["ImageRef", "StoredAnswer", "StoredSaid", "TextRef"]


class TextRef(Struct, frozen=True, tag="text_ref", gc=False):
    """A text kept once in the blob store."""

    sha256: str
    size: int


class ImageRef(Struct, frozen=True, tag="image_ref", gc=False):
    media_type: str
    sha256: str
    size: int


StoredSaid = Text | TextRef | ImageRef | Json
StoredAnswer = Text | TextRef | Thinking | ToolCall | Opaque
