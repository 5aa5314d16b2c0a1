"""Ids for calls that came without one. They are ours alone: this wire never sees them."""

from __future__ import annotations

__all__ = ["is_minted", "minted"]

_PREFIX = "indus-minted-"


def minted(number: int) -> str:
    """The id of the call number `number` of an answer. It repeats from answer to answer; whoever
    projects the conversation makes it unique by an ending."""
    return f"{_PREFIX}{number}"


def is_minted(call_id: str) -> bool:
    return call_id.startswith(_PREFIX)
