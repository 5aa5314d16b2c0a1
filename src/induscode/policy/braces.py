"""Characters that the shell would expand, marked so that quoted ones are told from live ones.

A reader of commands puts a mark (a private character) where an unquoted `* ? [ ] { }` stood.
`expanded` does what a shell does first with a word: it multiplies braces. Files are matched in
`globs`.
"""

from __future__ import annotations

import re

__all__ = [
    "CLOSE",
    "MARKS",
    "OPEN",
    "QUESTION",
    "STAR",
    "UNKNOWN",
    "UNMARKED",
    "expanded",
]

WORDS_AT_MOST = 256
"""How many words the braces of one word may become."""

STAR, QUESTION, OPEN, CLOSE = "\U0010fff1", "\U0010fff2", "\U0010fff3", "\U0010fff4"
UNKNOWN = "\U0010fff0"
"""Stands for a variable or a substitution whose value nobody can know here."""

_LEFT, _RIGHT = "\U0010fff5", "\U0010fff6"

MARKS = str.maketrans("*?[]{}", STAR + QUESTION + OPEN + CLOSE + _LEFT + _RIGHT)
UNMARKED = str.maketrans(STAR + QUESTION + OPEN + CLOSE + _LEFT + _RIGHT, "*?[]{}", UNKNOWN)


def expanded(word: str) -> list[str] | None:
    """The words that the braces of a marked word stand for; None when they are too many. Braces
    that hold neither a comma nor a range are plain characters, as they are for the shell."""
    done: list[str] = []
    waiting = [word]
    while waiting:
        if len(done) + len(waiting) > WORDS_AT_MOST:
            return None
        current = waiting.pop()
        choices = _choices(current)
        if choices is None:
            done.append(current)
        else:
            waiting.extend(reversed(choices))
    return done


def _choices(word: str) -> list[str] | None:
    """The word with its first real brace chosen each way, None when it has none."""
    at = word.find(_LEFT)
    while at >= 0:
        parts, end = _parts(word, at)
        if end and len(parts) == 1:
            parts = _range(parts[0])
        if end and len(parts) > 1:
            return [word[:at] + part + word[end + 1 :] for part in parts]
        at = word.find(_LEFT, at + 1)
    return None


def _parts(word: str, at: int) -> tuple[list[str], int]:
    """What stands between the commas of the brace that opens at `at`, and where it closes (0 when
    it does not)."""
    depth, start = 0, at + 1
    parts: list[str] = []
    for place in range(at, len(word)):
        letter = word[place]
        if letter == _LEFT:
            depth += 1
        elif letter == _RIGHT:
            depth -= 1
            if not depth:
                return [*parts, word[start:place]], place
        elif letter == "," and depth == 1:
            parts.append(word[start:place])
            start = place + 1
    return [], 0


def _range(text: str) -> list[str]:
    """`1..3` and `a..c`, with an optional step; more than the limit counts as too many."""
    found = re.fullmatch(
        r"(?:(-?\d{1,9})\.\.(-?\d{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.-?\d+)?", text
    )
    if found is None:
        return []
    if found[1] is not None:
        first, last = int(found[1]), int(found[2])
        width = max(len(found[1]), len(found[2])) if "0" in {found[1][0], found[2][0]} else 0
        low = min(first, last)
        numbers = range(low, min(max(first, last), low + WORDS_AT_MOST) + 1)
        return [str(number).zfill(width) for number in numbers]
    first, last = sorted((ord(found[3]), ord(found[4])))
    return [chr(code) for code in range(first, last + 1)]
