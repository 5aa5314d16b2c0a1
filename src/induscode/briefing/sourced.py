"""Texts that know where each stretch of them comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from induscode.kernel.provenance import SourcePart

__all__ = ["Sourced", "joined"]


class Sourced(Struct, frozen=True):
    """A text and its parts, in order. `source` is the one file behind all of it, if there is one:
    other people's words, where the rest is ours."""

    text: str
    parts: tuple[SourcePart, ...] = ()
    source: str = ""


def joined(pieces: Iterable[Sourced], gap: str) -> Sourced:
    """One text of several; each keeps its parts, and what stands between them is from no file."""
    texts: list[str] = []
    parts: list[SourcePart] = []
    start = 0
    for piece in pieces:
        if texts:
            start += len(gap)
        parts.extend(_ended(piece, start, after=parts))
        texts.append(piece.text)
        start += len(piece.text)
    return Sourced(gap.join(texts), tuple(parts))


def _ended(piece: Sourced, start: int, *, after: Sequence[SourcePart]) -> list[SourcePart]:
    moved = [msgspec.structs.replace(part, start=part.start + start) for part in piece.parts]
    begins_in_a_file = bool(moved) and moved[0].start == start
    if after and after[-1].file and not begins_in_a_file:
        return [SourcePart(start, ""), *moved]
    return moved
