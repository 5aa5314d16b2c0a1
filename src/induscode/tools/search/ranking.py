"""Which names fit a query, the most likely first. Names of directories end with `/`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from heapq import nsmallest

from induscode.tools.compare import close_names
from induscode.tools.search.limits import SIMILAR_NAMES

__all__ = ["Listing", "directories_of", "likely", "similar"]

_COMPARED = 200
_ELSEWHERE = 4
"""The rank of a name that fits only by the directories above it."""


class Listing:
    """Takes names of files as ripgrep lists them: each with a NUL behind it. A last one that was
    cut off is none. Of a whole tree few names are ever looked at, so they stay bytes until then.

    `soon` is how many will be wanted by path; they are picked out while the rest is on its way."""

    def __init__(self, soon: int = 0) -> None:
        self._soon = soon
        self._first: list[bytes] = []
        self._taken: list[bytes] = []
        self._rest = b""

    def take(self, data: bytes) -> bool:
        self._taken.append(data)
        if self._soon:
            *names, self._rest = (self._rest + data).split(b"\0")
            self._first = nsmallest(self._soon, [*self._first, *names])
        return False

    @cached_property
    def _said(self) -> bytes:
        said = b"".join(self._taken)
        return said[: said.rfind(b"\0") + 1]

    def __len__(self) -> int:
        return self._said.count(b"\0")

    @cached_property
    def names(self) -> list[str]:
        return os.fsdecode(self._said).split("\0")[:-1]

    def in_order(self) -> Iterator[str]:
        """All names by path. Mostly only the first are asked for, and the rest is not sorted."""
        yield from map(os.fsdecode, self._first)
        if len(self) > len(self._first):
            every = sorted(self._said.split(b"\0")[:-1])
            yield from map(os.fsdecode, every[len(self._first) :])

    def holding(self, query: str) -> list[str]:
        """Names with `query` in them, or if there are none with each word of it, without regard to
        case."""
        wanted = query.lower()
        if wanted.isascii():
            hits = list(self._around(wanted.encode()))
        else:
            hits = [name for name in self.names if wanted in name.lower()]
        words = wanted.split()
        if not hits and len(words) > 1:
            some = self.holding(max(words, key=len))
            hits = [name for name in some if all(word in name.lower() for word in words)]
        return hits

    def _around(self, wanted: bytes) -> Iterator[str]:
        """Does not look at names that do not hold it: most of them, mostly."""
        lowered = self._said.lower()
        at = lowered.find(wanted)
        while at >= 0:
            start, end = lowered.rfind(b"\0", 0, at) + 1, lowered.find(b"\0", at)
            yield os.fsdecode(self._said[start:end])
            at = lowered.find(wanted, end)


def likely(query: str, listing: Listing, *, directories: bool = False) -> list[str]:
    """Names with `query` in their path, without regard to case; if there are none, those with each
    of its words. Called exactly so, then begins so, then holds it; above before below.

    `directories` looks among the directories alone; else they are there beside files where their
    own name fits."""
    hits = listing.holding(query)
    above = directories_of(hits)
    wanted = query.lower()
    ranks: list[list[str]] = [[] for _ in range(_ELSEWHERE + 1)]
    for name in above if directories else (*hits, *above):
        low = name.lower()
        rank = _rank(wanted, low)
        if rank < _ELSEWHERE or (wanted in low if directories else name[-1] != "/"):
            ranks[rank].append(name)
    for rank in ranks[:_ELSEWHERE]:
        rank.sort(key=lambda name: (name.rstrip("/").count("/"), name))
    ranks[_ELSEWHERE].sort()
    return [name for rank in ranks for name in rank]


def directories_of(names: Iterable[str]) -> list[str]:
    """Every directory on the way to one of these files."""
    found: set[str] = set()
    for folder in {name.rpartition("/")[0] for name in names}:
        place = folder
        while place and place not in found:
            found.add(place)
            place = place.rpartition("/")[0]
    return [f"{place}/" for place in found]


def similar(query: str, names: Iterable[str]) -> list[str]:
    """Names whose last part is close to that of the query."""
    wanted = re.sub(r"[^\w.-]", "", query.rstrip("/").rpartition("/")[2].lower())
    pairs = {wanted[at : at + 2] for at in range(len(wanted) - 1)}
    if not pairs:
        return []
    by_last: dict[str, str] = {}
    for name in names:
        by_last.setdefault(name.rpartition("/")[2].lower(), name)
    scored = ((sum(pair in last for pair in pairs), last) for last in by_last)
    shared = [pair for pair in scored if 2 * pair[0] >= len(pairs)]
    best = [last for _, last in sorted(shared, key=lambda pair: -pair[0])[:_COMPARED]]
    return [by_last[last] for last in close_names(wanted, best, most=SIMILAR_NAMES)]


def _rank(wanted: str, low: str) -> int:
    path = low.rstrip("/")
    last = path.rpartition("/")[2]
    if path == wanted or path.endswith(f"/{wanted}"):
        return 0
    if last.startswith(f"{wanted}."):
        return 1
    if last.startswith(wanted):
        return 2
    return 3 if wanted in last else _ELSEWHERE
