"""What a tool returned, made fit to be recorded and shown.

File names and outputs can hold what JSON cannot (lone surrogates, NaN): it is replaced, and the
result's details say so under `mended`. They can hold secrets: a visible mark takes their place.
"""

from __future__ import annotations

from typing import Any

import msgspec

from induscode.kernel.content import Json, SaidBlock, Text, plain_text
from induscode.kernel.jsontext import JsonProblem, canonical, clean_text
from induscode.kernel.scrubbing import Scrubber, scrubbed
from induscode.kernel.tool import ToolResult

__all__ = ["fit_text", "fit_to_keep", "readable"]


def fit_to_keep(result: ToolResult, scrubber: Scrubber) -> ToolResult:
    """The same result where it can be encoded and holds no secret, else one that does."""
    return scrubbed(_encodable(result), scrubber)


def fit_text(text: str, scrubber: Scrubber) -> str:
    """The same of a text alone."""
    return clean_text(scrubber.text(text))[0]


def _encodable(result: ToolResult) -> ToolResult:
    """The same result where it can be encoded, else one with what cannot be replaced."""
    mended = False
    content: list[SaidBlock] = []
    for block in result.content:
        if isinstance(block, Text):
            text, replaced = clean_text(block.text)
            mended = mended or replaced
            content.append(Text(text) if replaced else block)
        else:
            content.append(block)
    display, replaced = clean_text(result.display or "")
    details, unfit = _fit(result.details)
    if not (mended or replaced or unfit):
        return result
    return msgspec.structs.replace(
        result,
        content=tuple(content),
        display=None if result.display is None else display,
        details={**(details or {}), "mended": True},
    )


def readable(content: tuple[SaidBlock, ...]) -> str:
    """What a person is shown of a result that has no display of its own."""
    text = plain_text(content)
    return text or "".join(bytes(b.value).decode() for b in content if isinstance(b, Json))


def _fit(details: dict[str, Any] | None) -> tuple[dict[str, Any] | None, bool]:
    """Details that can be encoded, and whether some had to go."""
    if details is None or _encodes(details):
        return details, False
    kept = {clean_text(key)[0]: value for key, value in details.items() if _encodes(value)}
    return kept, True


def _encodes(value: object) -> bool:
    try:
        canonical(value)
    except (JsonProblem, TypeError, UnicodeEncodeError, RecursionError):
        return False
    return True
