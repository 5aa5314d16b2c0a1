"""The log as a tree: which entries lead to a head.

A parent that cannot be found (its line is damaged) is bridged to the readable entry before it in
the file, so that one bad line never cuts a session in two.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from induscode.session.entries import Entry

__all__ = ["branches", "path_to"]


def _parents(entries: Sequence[Entry]) -> list[int] | None:
    """The position of each entry's parent, or None when the log is one straight line."""
    straight = all(entry.parent == before.id for before, entry in pairwise(entries))
    if straight:
        return None
    positions: dict[str, int] = {}
    parents: list[int] = []
    for index, entry in enumerate(entries):
        parents.append(positions.get(entry.parent, index - 1))
        positions[entry.id] = index
    return parents


def path_to(entries: Sequence[Entry], head: int) -> list[Entry]:
    """The entries from the root to position `head`, in order."""
    parents = _parents(entries)
    if parents is None:
        return list(entries[: head + 1])
    path: list[Entry] = []
    while head >= 0:
        path.append(entries[head])
        head = parents[head]
    path.reverse()
    return path


def branches(entries: Sequence[Entry]) -> list[int]:
    """The position of each leaf: an entry that no other follows. The last one is the live head."""
    parents = _parents(entries)
    if parents is None:
        return [len(entries) - 1] if entries else []
    followed = set(parents)
    return [index for index in range(len(entries)) if index not in followed]
