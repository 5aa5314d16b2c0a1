"""Comparing text. All use of difflib is here, and it is imported by the first comparison: at start
it would cost 2 ms that most runs never need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import ModuleType

from induscode.tools.limits import DIFF_LINES

__all__ = ["close_names", "short_diff", "unified"]

_CONTEXT = 3
_LINES_COMPARED = 5_000
_SHORT = 30


def close_names(word: str, names: Iterable[str], *, most: int = 3) -> list[str]:
    """Names that a person might have meant by `word`, nearest first."""
    return _difflib().get_close_matches(word, list(names), n=most, cutoff=0.6)


def short_diff(wanted: list[str], found: list[str], *, wanted_name: str, found_name: str) -> str:
    """A small unified difference between two runs of lines."""
    lines = list(_difflib().unified_diff(wanted, found, wanted_name, found_name, lineterm="", n=1))
    more = ["..."] if len(lines) > _SHORT else []
    return "\n".join([*lines[:_SHORT], *more])


def unified(before: str, after: str, name: str) -> str:
    """A unified difference. What both texts share at either end is set aside before comparing."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    start = _shared(iter(old), iter(new))
    spare = min(len(old), len(new)) - start
    end = min(_shared(reversed(old), reversed(new)), spare)
    first = max(start - _CONTEXT, 0)
    last = max(end - _CONTEXT, 0)
    old_part, new_part = old[first : len(old) - last], new[first : len(new) - last]
    if max(len(old_part), len(new_part)) > _LINES_COMPARED:
        return f"--- {name}\n+++ {name}\n{len(old_part)} lines replaced by {len(new_part)}\n"
    lines = [f"--- {name}\n", f"+++ {name}\n", *_hunks(old_part, new_part, first)]
    if len(lines) > DIFF_LINES:
        lines = [*lines[:DIFF_LINES], f"... {len(lines) - DIFF_LINES} more lines of difference\n"]
    return "".join(lines)


def _difflib() -> ModuleType:
    import difflib  # noqa: PLC0415 - 2 ms, not paid at start

    return difflib


def _shared(one: Iterator[str], other: Iterator[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _hunks(old: list[str], new: list[str], offset: int) -> Iterator[str]:
    matcher = _difflib().SequenceMatcher(None, old, new)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        old_start, new_start = group[0][1], group[0][3]
        old_size, new_size = group[-1][2] - old_start, group[-1][4] - new_start
        yield f"@@ -{old_start + offset + 1},{old_size} +{new_start + offset + 1},{new_size} @@\n"
        for tag, a, b, c, d in group:
            if tag == "equal":
                yield from _marked(" ", old[a:b])
                continue
            yield from _marked("-", old[a:b])
            yield from _marked("+", new[c:d])


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line if line.endswith("\n") else f"{mark}{line}\n"
