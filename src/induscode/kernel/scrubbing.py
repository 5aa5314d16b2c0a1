"""Taking secrets out of values that have a structure, without breaking it.

Whoever knows the secrets is a `Scrubber`; this knows where the texts are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast

import msgspec
from msgspec import Raw, Struct

from induscode.kernel.content import Thinking
from induscode.kernel.jsontext import encode

__all__ = ["Scrubber", "scrub_json", "scrubbed", "unsigned"]

T = TypeVar("T")

_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*')


class Scrubber(Protocol):
    """Knows what must not be seen. `touches` is quick, and False is certain."""

    def touches(self, data: bytes) -> bool: ...

    def text(self, text: str) -> str: ...

    def data(self, data: bytes) -> bytes: ...


def unsigned(before: T, after: T) -> T:
    """What became of a block: a thought that had to be changed loses its signature, which no longer
    fits, and so is not shown to the model again."""
    if isinstance(after, Thinking) and after != before:
        return cast("T", Thinking(after.text))
    return after


def _none(value: Struct) -> frozenset[str]:
    del value
    return frozenset()


def scrubbed(
    value: T, scrubber: Scrubber, *, kept: Callable[[Struct], frozenset[str]] = _none
) -> T:
    """The same value where there is nothing to take out, else a copy without it. `kept` names the
    fields of a struct that are left alone; its numbers always are. What lies in the bytes of a
    picture is found by whoever stores them."""
    try:
        quiet = not scrubber.touches(encode(value))
    except (TypeError, ValueError, RecursionError):  # no JSON: look at every text of it
        quiet = False
    return value if quiet else cast("T", _scrubbed(value, scrubber, kept))


def _scrubbed(value: Any, scrubber: Scrubber, kept: Callable[[Struct], frozenset[str]]) -> Any:
    match value:
        case str():
            return scrubber.text(value)
        case Struct():
            return _struct(value, scrubber, kept)
        case dict():
            return {
                _loose(key, scrubber, kept): _loose(item, scrubber, kept)
                for key, item in cast("dict[Any, Any]", value).items()
            }
        case list():
            return [_loose(item, scrubber, kept) for item in cast("list[Any]", value)]
        case tuple():
            return tuple(_loose(item, scrubber, kept) for item in cast("tuple[Any, ...]", value))
        case Raw():
            return Raw(scrub_json(bytes(value), scrubber))
        case bytes():
            return scrubber.data(value)
        case _:
            return value


def _struct(value: Struct, scrubber: Scrubber, kept: Callable[[Struct], frozenset[str]]) -> Struct:
    left = kept(value)
    changes: dict[str, Any] = {}
    for name in value.__struct_fields__:
        if name in left:
            continue
        before = getattr(value, name)
        after = _scrubbed(before, scrubber, kept)
        if after != before:
            changes[name] = after
    return msgspec.structs.replace(value, **changes) if changes else value


def _loose(value: Any, scrubber: Scrubber, kept: Callable[[Struct], frozenset[str]]) -> Any:
    """A member of a list or an object, where a number may be a password and may become a text."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        said = str(value)
        told = scrubber.text(said)
        return value if told == said else told
    return _scrubbed(value, scrubber, kept)


def scrub_json(data: bytes, scrubber: Scrubber) -> bytes:
    """JSON that somebody wrote, still JSON and else byte for byte the same: only strings and
    numbers that hold a secret are written anew."""
    if not scrubber.touches(data):
        return data

    def rewritten(match: re.Match[bytes]) -> bytes:
        token = match[0]
        said: str = msgspec.json.decode(token) if token[:1] == b'"' else token.decode()
        told = scrubber.text(said)
        return token if told == said else msgspec.json.encode(told)

    return _TOKENS.sub(rewritten, data)
