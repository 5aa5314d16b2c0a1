"""A page of numbered lines."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from induscode.tools.limits import LINE_CHARACTERS, READ_CHARACTERS

__all__ = ["Page", "numbered"]


class Page(Struct, frozen=True):
    """`last` is the number of the last line shown; `cut` counts those that were too long."""

    lines: tuple[str, ...]
    last: int
    cut: int

    def text(self, *notes: str) -> str:
        """The lines, and below them what else there is to say."""
        cut = f"{self.cut} long lines cut at {LINE_CHARACTERS} characters" if self.cut else ""
        told = (f"[{note}]" for note in (*notes, cut) if note)
        return "\n".join((*self.lines, *told))


def numbered(lines: Iterable[str], first: int, *, whole: bool = True) -> Page:
    """As many whole lines as fit, the first in any case. Without `whole`, a long line may be longer
    than what was given of it."""
    shown: list[str] = []
    size = 0
    cut = 0
    for number, line in enumerate(lines, first):
        text = line.removesuffix("\r")
        if len(text) > LINE_CHARACTERS:
            cut += 1
            more = f"{len(text) - LINE_CHARACTERS} more characters" if whole else "it goes on"
            text = f"{text[:LINE_CHARACTERS]}[... {more}]"
        entry = f"{number:6}\t{text}"
        size += len(entry) + 1
        if size > READ_CHARACTERS and shown:
            break
        shown.append(entry)
    return Page(tuple(shown), first + len(shown) - 1, cut)
