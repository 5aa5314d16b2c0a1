"""Words of servers, where they stand beside ours: on one line, visible, and not too long."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["last_of", "one_line", "some_of"]

_LINE_CHARACTERS = 200
_NAMED = 50


def one_line(text: str, most: int = _LINE_CHARACTERS) -> str:
    shown = " ".join(text[: most * 2].split())
    shown = "".join(letter if letter.isprintable() else "?" for letter in shown)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def last_of(text: str) -> str:
    """The end of a longer text, on one line: what a program says last is why it ended."""
    shown = " ".join(text.split())
    shown = "".join(letter if letter.isprintable() else "?" for letter in shown)
    return shown if len(shown) <= _LINE_CHARACTERS else f"…{shown[1 - _LINE_CHARACTERS :]}"


def some_of(names: Sequence[str]) -> str:
    """All of them, or the first and how many there are besides."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
