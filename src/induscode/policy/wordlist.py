"""Lists of words, written as one writes words."""

from __future__ import annotations

__all__ = ["words"]


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
