"""JSON at the boundary: canonical bytes of our own data, and careful reading of others'.

JSON that a model, a server or a file produced is never re-encoded (float spelling differs between
libraries and versions): its bytes are kept, only the white space between tokens is removed.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any, NoReturn, cast

import msgspec

__all__ = [
    "MAX_DEPTH",
    "JsonProblem",
    "canonical",
    "clean_text",
    "digest",
    "encode",
    "parse_object",
    "raw_json",
]

MAX_DEPTH = 64

_canonical_encoder = msgspec.json.Encoder(order="sorted")
_encoder = msgspec.json.Encoder()

encode = _encoder.encode
"""Plain bytes of our own data, in the order its types declare."""


class JsonProblem(ValueError):
    """Text that is not the JSON we accept; the message is a sentence for whoever produced it."""


def canonical(value: object) -> bytes:
    """Sorted keys, no white space; refuses what libraries spell differently (NaN, infinities)."""
    _refuse_non_finite(value, 0)
    return _canonical_encoder.encode(value)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def clean_text(text: str) -> tuple[str, bool]:
    """Text that can be encoded, and whether lone surrogates had to be replaced to make it so."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text), True
    return text, False


def raw_json(value: object) -> msgspec.Raw:
    """Our own value as raw JSON, canonical."""
    return msgspec.Raw(canonical(value))


def parse_object(text: str | bytes) -> tuple[msgspec.Raw, dict[str, Any]]:
    """Read an object that somebody else wrote: its own bytes without white space, and its value.

    Raises `JsonProblem` for anything ambiguous: invalid UTF-8, a value that is not an object,
    repeated keys (a gate would judge another value than the one that runs), NaN, numbers out of
    range, nesting deeper than `MAX_DEPTH`.
    """
    try:
        source = text.decode() if isinstance(text, bytes) else text
        value = json.loads(
            source,
            object_pairs_hook=_unique_keys,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
        )
        if not isinstance(value, dict):
            raise JsonProblem("expected a JSON object")
        _check_depth(cast("object", value), 0)
        return msgspec.Raw(msgspec.json.format(source.encode(), indent=-1)), cast(
            "dict[str, Any]", value
        )
    except UnicodeError:
        raise JsonProblem("not valid UTF-8") from None
    except RecursionError:
        raise JsonProblem(f"nested deeper than {MAX_DEPTH} levels") from None
    except JsonProblem:
        raise
    except ValueError as error:
        raise JsonProblem(f"not valid JSON: {error}") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise JsonProblem(f"the key {key!r} appears twice")
            seen.add(key)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise JsonProblem(f"{name} is not JSON")


def _finite_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise JsonProblem(f"the number {text} is out of range")
    return number


def _check_depth(value: object, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise JsonProblem(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        for child in cast("dict[str, object]", value).values():
            _check_depth(child, depth + 1)
    elif isinstance(value, list):
        for child in cast("list[object]", value):
            _check_depth(child, depth + 1)


def _refuse_non_finite(value: object, depth: int) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise JsonProblem("numbers must be finite")
    if depth > MAX_DEPTH:
        raise JsonProblem(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        for child in cast("dict[str, object]", value).values():
            _refuse_non_finite(child, depth + 1)
    elif isinstance(value, list | tuple):
        for child in cast("list[object]", value):
            _refuse_non_finite(child, depth + 1)
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            _refuse_non_finite(getattr(value, field), depth + 1)
