"""Which files a live pattern of a command line stands for, as the shell would find them."""

from __future__ import annotations

import os
import re
from pathlib import Path

from induscode.policy.braces import CLOSE, OPEN, QUESTION, STAR, UNKNOWN, UNMARKED
from induscode.policy.places import spelled

__all__ = ["GlobSearch", "is_live"]

ENTRIES_AT_MOST = 4096
"""How many directory entries are read for one command."""

COMPARISONS_AT_MOST = 20_000
"""How often a pattern of one command is compared with a name."""

_COST_OF_A_PATTERN = 20

_LIVE = (STAR, QUESTION, OPEN)


def is_live(word: str) -> bool:
    """Whether the shell would look for files that match this marked word, in a directory that can
    be known."""
    if word.isascii() or word.startswith(UNKNOWN + "/"):
        return False
    return any(mark in word for mark in _LIVE)


class GlobSearch:
    """Matches patterns against the disk until a limit is reached; then `complete` is False.

    As in bash unless it is told otherwise: a leading dot is matched only by a dot, `**` is `*`.
    A class of characters that is more than a list of characters and ranges counts as anything.
    """

    def __init__(self) -> None:
        self.complete = True
        self._left = ENTRIES_AT_MOST
        self._comparisons_left = COMPARISONS_AT_MOST
        self._listed: dict[Path, list[str]] = {}
        self._matched: dict[tuple[Path, str, bool], list[str]] = {}

    def matches(self, base: Path, word: str, *, hidden: bool = False) -> list[str]:
        """The names that a marked word stands for from `base`, spelled as the shell spells them.
        With `hidden`, those too that it would find if it were told to match a leading dot.
        A variable is taken as empty."""
        key = (base, word, hidden)
        if key not in self._matched:
            self._matched[key] = self._search(base, word.replace(UNKNOWN, ""), hidden=hidden)
        return self._matched[key]

    def _search(self, base: Path, word: str, *, hidden: bool) -> list[str]:
        first, _, rest = word.partition("/")
        if first and not first.startswith("~"):
            found, rest = [""], word
        else:
            found = [f"{spelled(base, first)}/" if first else "/"]
        for segment in rest.split("/"):
            if segment:
                found = [
                    name
                    for before in found
                    for name in self._below(base, before, segment, hidden=hidden)
                ]
        return [name.rstrip("/") for name in found]

    def _below(self, base: Path, before: str, segment: str, *, hidden: bool) -> list[str]:
        if not is_live(segment):
            name = f"{before}{segment.translate(UNMARKED)}"
            return [f"{name}/"] if os.path.lexists(base / name) else []
        dots = "" if hidden or segment.startswith(".") else r"(?!\.)"
        names = self._names(base / before)
        self._comparisons_left -= len(names) + _COST_OF_A_PATTERN
        if self._comparisons_left < 0:
            self.complete = False
            return []
        matching = re.compile(dots + _expression(segment), re.DOTALL)
        return [f"{before}{name}/" for name in names if matching.fullmatch(name)]

    def _names(self, directory: Path) -> list[str]:
        if directory not in self._listed:
            self._listed[directory] = self._list(directory)
        return self._listed[directory]

    def _list(self, directory: Path) -> list[str]:
        names: list[str] = []
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    self._left -= 1
                    if self._left < 0:
                        self.complete = False
                        break
                    names.append(entry.name)
        except OSError:
            return []
        return names


_CLASS = re.escape(OPEN) + rf"([!^]?)([^{OPEN}{CLOSE}\\]+)" + re.escape(CLOSE)


def _expression(segment: str) -> str:
    """Between two stars the first place that fits is as good as any other, so the search never goes
    back: a name and a pattern cannot be made to cost more than their lengths."""
    parts = [""]
    at = 0
    while at < len(segment):
        letter = segment[at]
        at += 1
        if letter == STAR:
            parts.append("")
        elif letter == QUESTION:
            parts[-1] += "."
        elif letter == OPEN:
            text, at = _class(segment, at - 1)
            parts[-1] += text
        else:
            parts[-1] += re.escape(letter.translate(UNMARKED))
    first, *others = parts
    if not others:
        return first
    return first + "".join(f"(?>.*?{part})" for part in others[:-1]) + ".*" + others[-1]


def _class(segment: str, at: int) -> tuple[str, int]:
    """An expression for the class of characters that opens at `at`, and where the rest begins."""
    found = re.compile(_CLASS).match(segment, at)
    if found is None:
        end = segment.rfind(CLOSE, at + 1)
        return (".*", end + 1) if end > 0 else (r"\[", at + 1)
    body = found[2].translate(UNMARKED).replace("^", r"\^").replace("[", r"\[").replace("]", r"\]")
    text = f"[{'^' if found[1] else ''}{body}]"
    try:
        re.compile(text)
    except re.error:
        text = "."
    return text, found.end()
