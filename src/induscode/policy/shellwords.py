"""Reading a command line without trusting it: what may be allowed.

There are two readers with opposite errors. `plain_words`, here, understands as little as possible:
it answers only for a single command of words and quotes, where the shell cannot do anything but
run it. `literals.py` understands as much as possible, for rules that deny.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["plain_words"]

# Patterns are compiled when first used: at import they would cost every start some milliseconds.


@cache
def _plain_piece() -> re.Pattern[str]:
    """Unquoted characters without meaning to the shell wherever they stand, quotes, spaces. `~` and
    `#` are harmless only inside a word, after a character that starts no tilde expansion."""
    return re.compile(
        r"""
          (?P<bare> [A-Za-z0-9_\-./:,+@%^=\x80-\U0010FFFF]++ | (?<=[A-Za-z0-9_\-.^])[~\#] )
        | '(?P<single> [^']*+ )'
        | "(?P<double> [^"$`\\!]*+ )"
        | (?P<space> \x20++ )
        """,
        re.VERBOSE,
    )


# Printable by category, yet drawn as nothing.
_BLANK_LETTERS = (
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


def plain_words(command: str) -> tuple[str, ...] | None:
    """The words of a command that is nothing but words and quotes; None for anything else.

    None for: separators, redirections, expansions, globs, backslashes, comments, an assignment
    before the command, a leading tilde, any control character (tab and newline too), invisible
    characters, an unclosed quote, no words at all.
    """
    if not command.isprintable() or (not command.isascii() and re.search(_BLANK_LETTERS, command)):
        return None
    words = command.split() if _bare_words().fullmatch(command) else _quoted_words(command)
    if not words or not words[0] or "=" in words[0]:
        return None
    return tuple(words)


@cache
def _bare_words() -> re.Pattern[str]:
    """The common case, in one step: no quotes, and no character that could ever matter."""
    return re.compile(r"[A-Za-z0-9_\-./:,+@%^=\x20]*+")


def _quoted_words(command: str) -> list[str] | None:
    match = _plain_piece().match
    words: list[str] = []
    word: list[str] | None = None
    at = 0
    while at < len(command):
        piece = match(command, at)
        if piece is None:
            return None
        at = piece.end()
        if piece.lastgroup == "space":
            if word is not None:
                words.append("".join(word))
            word = None
            continue
        word = word or []
        word.append(piece[piece.lastgroup or 0])
    if word is not None:
        words.append("".join(word))
    return words
