"""What is not the same in two JSON values: where, what was there, what is there now."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import takewhile
from typing import cast

import msgspec

from induscode.addons.copies import same
from induscode.addons.trial.report import Difference
from induscode.kernel.jsontext import encode

__all__ = ["DIFFERENCES_MOST", "TEXT_MOST", "differences"]

DIFFERENCES_MOST = 40
"""Of one step; the last one then says how many more there are."""

TEXT_MOST = 2_000
"""Characters of each side of a difference."""

_LEAD = 120
_LIST_MOST = 2_000
"""Members of a list that are matched with each other; of longer ones, place by place."""


def differences(before: object, after: object) -> tuple[Difference, ...]:
    """In the order of the value. The values are anything that can be JSON."""
    found = list(_walk("", msgspec.to_builtins(before), msgspec.to_builtins(after)))
    if len(found) <= DIFFERENCES_MOST:
        return tuple(found)
    more = len(found) - DIFFERENCES_MOST
    return (*found[:DIFFERENCES_MOST], Difference(f"and {more} more places"))


def _walk(where: str, before: object, after: object) -> Iterator[Difference]:
    match before, after:
        case dict(), dict():
            old, new = cast("dict[str, object]", before), cast("dict[str, object]", after)
            yield from _objects(where, old, new)
        case ((list() | tuple()), (list() | tuple())):
            left, right = cast("list[object]", before), cast("list[object]", after)
            yield from _lists(where, list(left), list(right))
        case _ if not same(before, after):
            yield _pair(where, _text(before), _text(after))
        case _:
            return


def _objects(
    where: str, before: dict[str, object], after: dict[str, object]
) -> Iterator[Difference]:
    for key in dict.fromkeys((*before, *after)):
        place = f"{where}.{key}" if where else key
        if key not in after:
            yield _pair(place, _text(before[key]), None)
        elif key not in before:
            yield _pair(place, None, _text(after[key]))
        else:
            yield from _walk(place, before[key], after[key])


def _lists(where: str, before: list[object], after: list[object]) -> Iterator[Difference]:
    if max(len(before), len(after)) > _LIST_MOST:
        yield from _beside(where, 0, before, after)
        return
    old, new = [encode(each) for each in before], [encode(each) for each in after]
    for tag, start, end, begin, stop in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            yield from _beside(where, start, before[start:end], after[begin:stop])


def _beside(
    where: str, start: int, before: list[object], after: list[object]
) -> Iterator[Difference]:
    """Two stretches, place by place: what is over on one side came or went."""
    for offset in range(max(len(before), len(after))):
        place = f"{where}[{start + offset}]"
        if offset >= len(after):
            yield _pair(_named(place, before[offset]), _text(before[offset]), None)
        elif offset >= len(before):
            yield _pair(_named(place, after[offset]), None, _text(after[offset]))
        else:
            yield from _walk(_named(place, before[offset]), before[offset], after[offset])


def _named(place: str, member: object) -> str:
    """A message of the context is known by the entry behind it."""
    match member:
        case {"entry": str(entry)} if entry:
            return f"{place} (entry {entry})"
        case _:
            return place


def _text(value: object) -> str:
    return value if isinstance(value, str) else encode(value).decode()


def _pair(where: str, before: str | None, after: str | None) -> Difference:
    start = 0
    if max(len(before or ""), len(after or "")) > TEXT_MOST:
        same = takewhile(
            lambda pair: pair[0] == pair[1], zip(before or "", after or "", strict=False)
        )
        start = max(0, sum(1 for _ in same) - _LEAD)
    return Difference(where, _cut(before, start), _cut(after, start))


def _cut(text: str | None, start: int) -> str | None:
    if text is None:
        return None
    kept = text[start : start + TEXT_MOST]
    ended = "" if start + TEXT_MOST >= len(text) else "…"
    return ("…" if start else "") + kept + ended
