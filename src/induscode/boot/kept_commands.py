"""How commands kept in files are declared: each with a line about it, and all within the bound."""

from __future__ import annotations

from collections.abc import Mapping

from induscode.feature.command import CommandDeclaration
from induscode.feature.limits import DESCRIPTOR_BYTES

__all__ = ["LINE", "declarations"]

LINE = 160
"""Characters of a line about a command, where there is room for all of them."""

_WIDEST = 4
"""Bytes of a character."""


def declarations(described: Mapping[str, str]) -> tuple[CommandDeclaration, ...]:
    """Lines of very many commands are cut shorter: a descriptor that is too long would cost them
    all, names included."""
    room = DESCRIPTOR_BYTES // 2 // _WIDEST // max(len(described), 1)
    most = min(LINE, room)
    return tuple(CommandDeclaration(name, _cut(line, most)) for name, line in described.items())


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
