"""What a component may answer."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Changed", "Outcome", "Stopped", "ToolAnswer", "Unchanged"]


class Unchanged(Struct, frozen=True):
    """Nothing to change, nothing to object."""


class Changed(Struct, frozen=True):
    """`json` stands for what was given: a payload, arguments or a result."""

    json: str


class Stopped(Struct, frozen=True):
    reason: str


Outcome = Unchanged | Changed | Stopped


class ToolAnswer(Struct, frozen=True):
    text: str
    is_error: bool
