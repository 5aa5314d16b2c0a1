"""Reading a command line without trusting it.

Two readers with opposite errors. `plain_words` understands as little as possible: it answers only
for a single command of words and quotes, where the shell cannot do anything but run it. `literals`
understands as much as possible: it finds every word that is spelled out anywhere, so that a rule
that denies a word sees it behind separators, in quotes, in `bash -c '...'` and after backslashes.
"""

from __future__ import annotations

import re
import sys
from functools import cache

__all__ = ["literals", "plain_words"]

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


@cache
def _literal_piece() -> re.Pattern[str]:
    return re.compile(
        r"""
          \\(?P<escaped> . | \n )
        | \$'(?P<ansi> (?:[^'\\]|\\.)*+ )'?
        | '(?P<single> [^']*+ )'?
        | \$?"(?P<double> (?:[^"\\]|\\.)*+ )"?
        | (?P<end> [;&|<>()`\n{}]++ | \$\( )
        | (?P<space> [\x20\t\r\v\f]++ )
        | (?P<bare> [^\\'"`;&|<>()\n{}\x20\t\r\v\f$]++ | \$ | \\ )
        """,
        re.VERBOSE | re.DOTALL,
    )


@cache
def _joints() -> re.Pattern[str]:
    return re.compile(r"[=:,@]+")


_NESTED = r"[\s;&|<>()`{}'\"]"
_ESCAPE_IN_DOUBLE = r"\\([$`\"\\\n])"
_ANSI_ESCAPE = (
    r"(?s)\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|(.))"
)
_CONTROL_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def literals(command: str, plain: tuple[str, ...] | None = None) -> tuple[tuple[str, ...], ...]:
    """Every word spelled out in a command, grouped by the simple command it stands in.

    Quotes and backslashes are taken off; text inside quotes is read once more as commands; words
    are also given in pieces at `= : , @`, each set of pieces as a group of its own. No cap. `plain`
    is what `plain_words` said about the same command, for whoever asked already.
    """
    if plain is not None and "'" not in command and '"' not in command:
        return _with_pieces([plain])
    groups: list[tuple[str, ...]] = []
    waiting = [command]
    seen = {command}
    while waiting:
        groups.extend(_groups(waiting.pop(), waiting, seen))
    return _with_pieces(groups)


def _with_pieces(groups: list[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    split = _joints().split
    pieces = [
        tuple(part for part in split(word) if part)
        for group in groups
        for word in group
        if "=" in word or ":" in word or "," in word or "@" in word
    ]
    return (*groups, *pieces)


def _groups(text: str, waiting: list[str], seen: set[str]) -> list[tuple[str, ...]]:
    groups: list[tuple[str, ...]] = []
    words: list[str] = []
    word: list[str] = []

    def end_word() -> None:
        if spelled := "".join(word):
            words.append(spelled)
        word.clear()

    for piece in _literal_piece().finditer(text):
        kind = piece.lastgroup or "bare"
        if kind == "space":
            end_word()
        elif kind == "end":
            end_word()
            if words:
                groups.append(tuple(words))
                words = []
        else:
            value = _value(kind, piece[kind])
            word.append(value)
            if (
                kind in {"single", "double", "ansi"}
                and value not in seen
                and re.search(_NESTED, value)
            ):
                seen.add(value)
                waiting.append(value)
    end_word()
    if words:
        groups.append(tuple(words))
    return groups


def _value(kind: str, text: str) -> str:
    if kind == "escaped":
        return "" if text == "\n" else text
    if kind == "double":
        return re.sub(_ESCAPE_IN_DOUBLE, lambda m: "" if m[1] == "\n" else m[1], text)
    if kind == "ansi":
        return re.sub(_ANSI_ESCAPE, _ansi_character, text)
    return text


def _ansi_character(match: re.Match[str]) -> str:
    hexadecimal = match[1] or match[2] or match[3]
    number = int(hexadecimal, 16) if hexadecimal else int(match[4], 8) if match[4] else None
    if number is None:
        return _CONTROL_LETTERS.get(match[5], match[5])
    return chr(number) if number <= sys.maxunicode else ""
