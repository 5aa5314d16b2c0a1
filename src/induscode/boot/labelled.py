"""Labels with texts beside them: how commands show what belongs to a row."""

from __future__ import annotations

import textwrap

from induscode.boot.commands.common import out
from induscode.channels.terminal import Ink

__all__ = ["labelled"]

_LABEL = 12
_LEAST = 20


def labelled(label: str, line: str, columns: int, ink: Ink, colour: str = "") -> None:
    """A label and a line beside it, which goes on below itself. Nothing of it takes hold of a
    terminal: the caller sees to that."""
    wrapped = textwrap.wrap(
        line, max(columns - _LABEL - 2, _LEAST), break_long_words=False, break_on_hyphens=False
    )
    first, *rest = wrapped or [""]
    shown = ink(label, colour) if colour else label
    out(f"  {shown}{' ' * (_LABEL - len(label))}{first}".rstrip())
    for each in rest:
        out(f"  {' ' * _LABEL}{each}")
