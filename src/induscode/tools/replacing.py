"""Exact replacement in text, with line ends kept and failures that say how to do better."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct

from induscode.tools.compare import close_names, short_diff

__all__ = ["EditProblem", "Pair", "apply", "pairs"]

_LINES_TOLD = 10
_LINES_SEARCHED = 20_000
_TELLING_LENGTH = 3
_NUMBERED = re.compile(r" *\d+\t")


class EditProblem(Exception):
    """Why the text was not changed; the message is for the model."""


class Pair(Struct, frozen=True):
    """One replacement, both sides with plain line ends; `label` names it in messages."""

    old: str
    new: str
    label: str


def pairs(arguments: Mapping[str, Any]) -> tuple[Pair, ...]:
    """The replacements a call asks for, from either of its two forms."""
    given = [name for name in ("old_text", "new_text") if name in arguments]
    if "edits" in arguments:
        if given:
            raise EditProblem("Give either `edits` or `old_text` and `new_text`, not both.")
        items = cast("list[dict[str, str]]", arguments["edits"])
        numbered = len(items) > 1
        return tuple(
            _pair(item, f"edits[{at}].old_text" if numbered else "old_text")
            for at, item in enumerate(items)
        )
    for name in ("old_text", "new_text"):
        if name not in arguments:
            raise EditProblem(f"edit needs the argument `{name}` (or `edits`).")
    return (_pair(arguments, "old_text"),)


def _pair(item: Mapping[str, str], label: str) -> Pair:
    old, new = (item[name].replace("\r\n", "\n") for name in ("old_text", "new_text"))
    if not old:
        raise EditProblem(f"`{label}` is empty; to create or fill a file use write.")
    if old == new:
        raise EditProblem(f"`{label}` and its new text are the same; nothing would change.")
    return Pair(old, new, label)


def apply(text: str, edits: tuple[Pair, ...], *, replace_all: bool) -> tuple[str, str]:
    """The changed text and a report of where. Raises `EditProblem` and changes nothing if any of
    the edits does not fit the text that the ones before it leave."""
    reports: list[str] = []
    for edit in edits:
        text, lines = _apply_one(text, edit, replace_all=replace_all)
        count = f"{len(lines)} replacements" if len(lines) > 1 else "1 replacement"
        reports.append(f"{count} at line{'s' if len(lines) > 1 else ''} {_listed(lines)}")
    return text, "; ".join(reports)


def _apply_one(raw: str, edit: Pair, *, replace_all: bool) -> tuple[str, list[int]]:
    plain = raw.replace("\r\n", "\n")
    found = _places(plain, edit.old)
    lines = [plain.count("\n", 0, at) + 1 for at in found[: _LINES_TOLD + 1]]
    if not found:
        raise EditProblem(_not_found(plain, edit))
    if len(found) > 1 and not replace_all:
        raise EditProblem(
            f"`{edit.label}` stands {len(found)} times, at lines {_listed(lines)}. Give more lines "
            "around the one you mean, or set replace_all."
        )
    return _replaced(raw, plain, edit, found), [*lines, *found[len(lines) :]]


def _places(text: str, old: str) -> list[int]:
    places: list[int] = []
    at = text.find(old)
    while at >= 0:
        places.append(at)
        at = text.find(old, at + len(old))
    return places


def _replaced(raw: str, plain: str, edit: Pair, found: list[int]) -> str:
    """Put the new text in, with the line ends of the place; every other byte stays."""
    ends = [match.start() - before for before, match in enumerate(re.finditer("\r\n", raw))]
    windows_file = len(ends) * 2 > plain.count("\n")
    pieces: list[str] = []
    copied = 0
    for at in found:
        start = at + bisect_left(ends, at)
        stop_plain = at + len(edit.old)
        stop = stop_plain + bisect_left(ends, stop_plain)
        replaced = raw[start:stop]
        windows = "\r\n" in replaced if "\n" in replaced else windows_file
        pieces += [raw[copied:start], edit.new.replace("\n", "\r\n") if windows else edit.new]
        copied = stop
    return "".join([*pieces, raw[copied:]])


def _listed(lines: list[int]) -> str:
    told = ", ".join(str(line) for line in lines[:_LINES_TOLD])
    return f"{told} and more" if len(lines) > _LINES_TOLD else told


def _not_found(text: str, edit: Pair) -> str:
    lines = text.split("\n")
    wanted = edit.old.split("\n")
    at = _nearest(lines, wanted)
    absent = f"`{edit.label}` does not stand in the file"
    if all(_NUMBERED.match(line) for line in wanted if line):
        return f"{absent}. It begins with the line numbers that read shows; leave them out."
    if at is None:
        return f"{absent}, and nothing is near it. Read the file again."
    near = lines[at : at + len(wanted)]
    spaces = [line.split() for line in near] == [line.split() for line in wanted]
    only = f" It differs only in white space{_spaces(near, wanted)}." if spaces else ""
    difference = short_diff(wanted, near, wanted_name=edit.label, found_name="file")
    return f"{absent}. The nearest is at line {at + 1}.{only}\n{difference}"


def _spaces(near: list[str], wanted: list[str]) -> str:
    """How the white space differs, where that can be said in a few words."""
    for found, given in zip(near, wanted, strict=True):
        if found == given:
            continue
        indents = (_indent(found), _indent(given))
        if indents[0] != indents[1]:
            return f": the file indents with {_named(indents[0])}, you with {_named(indents[1])}"
        if found.rstrip() == given.rstrip():
            return ": at the end of a line"
    return ""


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _named(indent: str) -> str:
    tabs, spaces = indent.count("\t"), indent.count(" ")
    told = [f"{tabs} tab{'s' * (tabs > 1)}"] if tabs else []
    told += [f"{spaces} space{'s' * (spaces > 1)}"] if spaces or not tabs else []
    return " and ".join(told)


def _nearest(lines: list[str], wanted: list[str]) -> int | None:
    """Where the file is most like the wanted lines: by equal lines, else by the longest."""
    stripped = [line.strip() for line in lines[:_LINES_SEARCHED]]
    goal = [line.strip() for line in wanted]
    votes: dict[int, int] = {}
    places: dict[str, list[int]] = {}
    for at, line in enumerate(stripped):
        places.setdefault(line, []).append(at)
    for offset, line in enumerate(goal):
        for at in places.get(line, []) if len(line) >= _TELLING_LENGTH else []:
            votes[at - offset] = votes.get(at - offset, 0) + 1
    if votes:
        return max(0, max(votes, key=lambda at: (votes[at], -at)))
    telling = max(goal, key=len)
    near = close_names(telling, places, most=1)
    return max(0, places[near[0]][0] - goal.index(telling)) if near else None
