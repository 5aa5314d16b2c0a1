"""Which model a session goes on with: the last choice that its log holds."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from induscode.session.entries import Entry, Hook, ModelChoice

__all__ = ["SET_MODEL", "SET_THINKING", "Choice", "last_choice"]

SET_MODEL = "set-model"
SET_THINKING = "set-thinking"
"""The points of entries in which a feature chooses for the inputs to come."""

_FALLBACK = "fallback"


class Choice(Struct, frozen=True):
    """`model` is `PROVIDER/MODEL`; "" where the log does not say."""

    model: str = ""
    thinking: str = ""


def last_choice(entries: Sequence[Entry]) -> Choice:
    """Of the entries of one branch, from the last on. A model that only stood in for another was no
    choice."""
    model = thinking = ""
    for entry in reversed(entries):
        if isinstance(entry, Hook):
            if entry.point == SET_MODEL:
                model = model or entry.reason
            elif entry.point == SET_THINKING:
                thinking = thinking or entry.reason
        elif isinstance(entry, ModelChoice) and not entry.reason.startswith(_FALLBACK):
            known = f"{entry.provider}/{entry.model}"
            return Choice(model or known, thinking or entry.parameters.thinking)
    return Choice(model, thinking)
