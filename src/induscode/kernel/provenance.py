"""Where a text comes from, finer than its producer: a file and a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import msgspec
from msgspec import Struct

__all__ = ["SourcePart", "carried"]


class SourcePart(Struct, frozen=True, omit_defaults=True, gc=False):
    """What stands from character `start` of a text on is line `line` of `file` and the lines after
    it, up to the next part. An empty `file` ends that: what follows comes from no file. `importer`
    is the `FILE:LINE` that brought the file in, where another file did."""

    start: int
    file: str
    line: int = 1
    importer: str = ""


def carried(
    text: str, parts: Sequence[SourcePart], change: Callable[[str], str]
) -> tuple[str, tuple[SourcePart, ...]]:
    """The changed text, with its parts where they begin then. A change that reaches from one part
    into the next leaves none: nobody could say any more what comes from where."""
    whole = change(text)
    if whole == text:
        return text, tuple(parts)
    borders = [0, *(part.start for part in parts), len(text)]
    pieces = [change(text[start:end]) for start, end in pairwise(borders)]
    if "".join(pieces) != whole:
        return whole, ()
    starts = accumulate(len(piece) for piece in pieces)
    return whole, tuple(
        msgspec.structs.replace(part, start=start)
        for part, start in zip(parts, starts, strict=False)
    )
