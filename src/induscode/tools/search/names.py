"""What ripgrep says of files by name: which ones match, or how often."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

__all__ = ["CountReader", "NameReader"]

Wanted = Callable[[str], bool]


class NameReader:
    """Reads names that end with NUL, until there are more than `limit`. A name that `wanted` does
    not say yes to leaves no trace here; the one beyond the limit sets `more`."""

    def __init__(self, wanted: Wanted, limit: int) -> None:
        self.counts: dict[str, int] = {}
        self.more = False
        self._wanted = wanted
        self._limit = limit
        self._rest = b""

    def take(self, data: bytes) -> bool:
        for name, count in self._items(self._rest + data):
            plain = os.fsdecode(name.removeprefix(b"./"))
            if not self._wanted(plain):
                continue
            if len(self.counts) >= self._limit:
                self.more = True
                return True
            self.counts[plain] = count
        return False

    def _items(self, data: bytes) -> Iterator[tuple[bytes, int]]:
        *names, self._rest = data.split(b"\0")
        return ((name, 1) for name in names)


class CountReader(NameReader):
    """The same, with a number and a line end after each NUL."""

    def _items(self, data: bytes) -> Iterator[tuple[bytes, int]]:
        found: list[tuple[bytes, int]] = []
        start = 0
        while (middle := data.find(b"\0", start)) >= 0:
            end = data.find(b"\n", middle)
            if end < 0:
                break
            found.append((data[start:middle], int(data[middle + 1 : end])))
            start = end + 1
        self._rest = data[start:]
        return iter(found)
