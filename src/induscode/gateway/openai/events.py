"""Events of a stream as typed data, whoever wrote them."""

from __future__ import annotations

import json
from typing import TypeVar

import msgspec

from induscode.errors import StreamBroken
from induscode.kernel.jsontext import clean_text

__all__ = ["decode_event", "mended"]

T = TypeVar("T")


def decode_event(decoder: msgspec.json.Decoder[T], data: bytes) -> T:
    """Raises `StreamBroken` for what is not JSON of the expected shape. Text that cannot be encoded
    (half surrogate pairs, invalid UTF-8) comes with replacement characters."""
    try:
        return decoder.decode(data)
    except (ValueError, RecursionError):
        pass
    try:
        return decoder.decode(mended(data))
    except (ValueError, RecursionError):
        raise StreamBroken("an event of the answer is not what the wire format promises") from None


def mended(data: bytes) -> str:
    """The same JSON, fit to be decoded strictly. Raises `ValueError` or `RecursionError`."""
    value: object = json.loads(data.decode("utf-8", "replace"))
    return clean_text(json.dumps(value, ensure_ascii=False))[0]
