"""Fields of a body as bytes. Part of released formats: a change is a new encoder version."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping

from induscode.errors import RequestRejected
from induscode.gateway.encoding import json_text
from induscode.kernel.content import Image, Json, Text
from induscode.kernel.request import CallResult, Parameters, Span

__all__ = [
    "NO_TEXT",
    "data_url",
    "effort",
    "extra_fields",
    "joined",
    "members",
    "object_bytes",
    "result_text",
    "system_text",
    "text_of",
]

NO_TEXT = "(no text)"
_BETWEEN = "\n\n"
_EFFORTS = ("low", "medium", "high")
_ERROR = "Error: "


def effort(parameters: Parameters) -> str:
    """The word for reasoning effort, empty when there is to be none."""
    level = parameters.thinking
    if level == "off":
        return ""
    if level not in _EFFORTS:
        known = ", ".join(["off", *_EFFORTS])
        raise RequestRejected(f"there is no thinking level {level!r}", hint=f"use one of {known}")
    return level


def extra_fields(parameters: Parameters, ours: frozenset[str]) -> dict[str, bytes]:
    """The provider's own fields, sorted. Raises `RequestRejected` for one of `ours`: what a model
    sees comes from the log alone."""
    clash = sorted(ours & parameters.extra.keys())
    if clash:
        raise RequestRejected(
            f"the parameter {clash[0]!r} belongs to the conversation and cannot be set",
            hint="remove it from the extra parameters",
        )
    return {name: bytes(parameters.extra[name]) for name in sorted(parameters.extra)}


def members(fields: Mapping[str, bytes]) -> bytes:
    return b",".join([json_text(name) + b":" + value for name, value in fields.items()])


def object_bytes(**fields: bytes) -> bytes:
    return b"{" + members(fields) + b"}"


def joined(texts: list[str]) -> str:
    return _BETWEEN.join([text for text in texts if text])


def system_text(spans: tuple[Span, ...]) -> str:
    return joined([span.text for span in spans])


def text_of(block: Text | Json) -> str:
    return block.text if isinstance(block, Text) else bytes(block.value).decode("utf-8", "replace")


def result_text(result: CallResult) -> str:
    """All text of a result. These wires have no mark for an error, so its text says it."""
    said = joined([text_of(block) for block in result.content if not isinstance(block, Image)])
    return _ERROR + (said or NO_TEXT) if result.is_error else said


def data_url(image: Image) -> bytes:
    """A picture as a JSON string."""
    return json_text(f"data:{image.media_type};base64,{b64encode(image.data).decode()}")
