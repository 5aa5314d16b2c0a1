"""Where a text comes from, finer than its producer: a file and a line."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["SourcePart"]


class SourcePart(Struct, frozen=True, omit_defaults=True, gc=False):
    """What stands from character `start` of a text on is line `line` of `file` and the lines after
    it, up to the next part. An empty `file` ends that: what follows comes from no file. `importer`
    is the `FILE:LINE` that brought the file in, where another file did."""

    start: int
    file: str
    line: int = 1
    importer: str = ""
