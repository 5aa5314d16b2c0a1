"""Items of the checklist, as they are kept in a result's details and shown to the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

__all__ = ["LIST", "Item", "kept", "shown"]

LIST = "todo_set"
"""The tool whose last good result is the list."""

_MARKS = {"pending": "[ ]", "in_progress": "[~]", "done": "[x]"}


class Item(Struct, frozen=True):
    text: str
    status: Literal["pending", "in_progress", "done"] = "pending"


def kept(details: Mapping[str, Any] | None) -> tuple[Item, ...]:
    """The items in a result's details; none where there are none, or not in this form."""
    try:
        return msgspec.convert((details or {}).get("items", []), tuple[Item, ...])
    except msgspec.ValidationError:
        return ()


def shown(items: Sequence[Item]) -> str:
    if not items:
        return "The checklist is empty."
    done = sum(item.status == "done" for item in items)
    lines = [f"{_MARKS[item.status]} {item.text}" for item in items]
    return "\n".join([*lines, f"{done} of {len(items)} done"])
