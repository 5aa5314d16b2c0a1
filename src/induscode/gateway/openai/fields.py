"""Fields of a body as bytes. Part of released formats: a change is a new encoder version."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping

from induscode.gateway.encoding import json_text
from induscode.kernel.content import Image, Json, Text
from induscode.kernel.request import CallResult

__all__ = [
    "NO_TEXT",
    "data_url",
    "joined",
    "members",
    "object_bytes",
    "result_text",
    "text_of",
]

NO_TEXT = "(no text)"
_BETWEEN = "\n\n"
_ERROR = "Error: "


def members(fields: Mapping[str, bytes]) -> bytes:
    return b",".join([json_text(name) + b":" + value for name, value in fields.items()])


def object_bytes(**fields: bytes) -> bytes:
    return b"{" + members(fields) + b"}"


def joined(texts: list[str]) -> str:
    return _BETWEEN.join([text for text in texts if text])


def text_of(block: Text | Json) -> str:
    return block.text if isinstance(block, Text) else bytes(block.value).decode("utf-8", "replace")


def result_text(result: CallResult) -> str:
    """All text of a result. These wires have no mark for an error, so its text says it."""
    said = joined([text_of(block) for block in result.content if not isinstance(block, Image)])
    return _ERROR + (said or NO_TEXT) if result.is_error else said


def data_url(image: Image) -> bytes:
    """A picture as a JSON string."""
    return json_text(f"data:{image.media_type};base64,{b64encode(image.data).decode()}")
