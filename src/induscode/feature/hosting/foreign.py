"""What a feature handed over, looked at without believing it: types do not bind its author."""

from __future__ import annotations

from contextlib import suppress

from induscode.errors import IndusError
from induscode.feature.limits import DIAGNOSTIC_CHARACTERS, TEXT_CHARACTERS

__all__ = ["is_a", "is_plain", "plain", "said", "short"]


def is_a(value: object, kind: type) -> bool:
    """Whether it is what its contract says."""
    return isinstance(value, kind)


def is_plain(text: object) -> bool:
    """Whether it is a text and nothing more: a subclass of str can compare, measure and print
    itself as it likes."""
    return type(text) is str


def plain(text: object) -> str:
    """A text as it will be from now on."""
    return str.__str__(text if isinstance(text, str) else str(text))


def short(text: str) -> str:
    """Cut to what a report has room for."""
    return text if len(text) <= TEXT_CHARACTERS else text[: TEXT_CHARACTERS - 1] + "…"


def said(error: BaseException) -> str:
    """An exception in words, also one that cannot say its own."""
    text = type(error).__name__
    with suppress(Exception):
        text = plain(str(error) if isinstance(error, IndusError) else repr(error))
    return text[:DIAGNOSTIC_CHARACTERS]
