"""Slugs: what operations are called by, stable as long as their document is."""

from __future__ import annotations

import re

from induscode.capability_deck.connectors.limits import SLUG_CHARACTERS

__all__ = ["Slugs"]

_BETWEEN_CASES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OTHER = re.compile(r"[^A-Z0-9]+")


class Slugs:
    """Gives each operation of one connector a name: the connector's, then the `operationId` in
    capitals with underscores between its words, or method and path where there is none. Of two that
    would be alike the later gets a number."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._taken: set[str] = set()

    def next(self, operation_id: str, method: str, path: str) -> str:
        words = _words(operation_id) or _words(f"{method} {path}")
        slug = f"{self._prefix}{words}"[:SLUG_CHARACTERS].rstrip("_")
        number = 1
        unique = slug
        while unique in self._taken:
            number += 1
            unique = f"{slug}_{number}"
        self._taken.add(unique)
        return unique


def _words(text: str) -> str:
    return _OTHER.sub("_", _BETWEEN_CASES.sub("_", text).upper()).strip("_")
