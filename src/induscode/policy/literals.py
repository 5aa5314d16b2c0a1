"""Reading a command line without trusting it: what may be denied.

Finds every word that is spelled out anywhere, so that a rule that denies a word sees it behind
separators, in quotes, in `bash -c '...'`, after backslashes and in braces. It errs towards seeing
too much. What a program computes while it runs (`base64 -d | sh`, a variable from a file) is not
spelled out and is not seen here: that is for confinement.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache

from msgspec import Struct

from induscode.policy.braces import MARKS, UNKNOWN, UNMARKED, expanded

__all__ = ["Group", "Reading", "literals", "pieces", "read_literals", "unmarked"]

# Patterns are compiled when first used: at import they would cost every start some milliseconds.

_KNOWN = {"HOME": "~", "PWD": "."}
_CHARACTERS_AT_LEAST = 100_000
_READINGS_OF_EACH_CHARACTER = 64
_CUTS_AT_MOST = 16


class Group(Struct, frozen=True):
    """The words of one simple command. Characters that the shell would expand are marked (see
    `braces`). `quoted` says that the text stood inside quotes of another command, which may or may
    not give it to a shell; `within` is the first word of that command."""

    words: tuple[str, ...]
    quoted: bool = False
    within: str = ""


class Reading(Struct, frozen=True):
    """`complete` is False when a limit was reached and some words may be missing."""

    groups: tuple[Group, ...]
    complete: bool = True


@cache
def _piece() -> re.Pattern[str]:
    return re.compile(
        r"""
          \\(?P<escaped> . | \n )
        | \$'(?P<ansi> (?:[^'\\]|\\.)*+ )'?
        | '(?P<single> [^']*+ )'?
        | \$?"(?P<double> (?:[^"\\]|\\.)*+ )"?
        | \$\{(?P<braced> [^{}]*+ )\}?
        | \$(?P<variable> [A-Za-z_][A-Za-z0-9_]*+ | [0-9@*#?$!_-] )
        | (?P<end> [;&|<>()`\n]++ | \$\( )
        | (?P<space> [\x20\t\r\v\f]++ )
        | (?P<bare> [^\\'"`;&|<>()\n\x20\t\r\v\f$]++ | \$ | \\ )
        """,
        re.VERBOSE | re.DOTALL,
    )


@cache
def _joints() -> re.Pattern[str]:
    """Where a word may hold another: `--file=x`, `host:x`, `a,b`, `@x`, `!x`, `${y:-x}`."""
    return re.compile(r"[=:,@!{}]+[-+?]?")


_LIVE = r"[*?\[\]{}]"
_JOINTS = frozenset("=:,@!{}")
_GLUED = frozenset({"-S", "-c"})
_NESTED = r"[\s;&|<>()`'\"]"
_ESCAPE_IN_DOUBLE = r"\\([$`\"\\\n])"
_VARIABLE_IN_DOUBLE = r"\$\{([A-Za-z_]\w*)[^{}]*\}|\$([A-Za-z_]\w*|[0-9@*#?!_-])"
_BRACED = r"\$\{([^{}]*)\}"
_SUBSTITUTION = r"\$\([^()]*\)|`[^`]*`"
_OPERATOR = ":-=+?/#%^,@!"
_ANSI_ESCAPE = (
    r"(?s)\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|(.))"
)
_CONTROL_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def literals(command: str, plain: tuple[str, ...] | None = None) -> tuple[tuple[str, ...], ...]:
    """Every word spelled out in a command, grouped by the simple command it stands in, and each
    word that can be parted at `= : , @` as a group of its parts. No cap on the words of a command,
    only on what braces multiply. `plain` is what `plain_words` said about the same command."""
    reading = read_literals(command, plain)
    groups = tuple(unmarked(group.words) for group in reading.groups)
    return (*groups, *pieces(groups))


def read_literals(command: str, plain: tuple[str, ...] | None = None) -> Reading:
    """Every word of a command, quotes and backslashes taken off, braces expanded, `$HOME` and
    `$PWD` put as `~` and `.`, other variables taken as empty, command substitutions also cut out;
    text inside quotes is read once more as commands."""
    if plain is not None and "'" not in command and '"' not in command:
        return Reading((Group(plain),))
    reader = _Reader(command)
    return Reading(tuple(reader.groups), complete=reader.complete)


def unmarked(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words as they are spelled."""
    if all(word.isascii() for word in words):
        return words
    return tuple(plain for word in words if (plain := word.translate(UNMARKED)))


def pieces(groups: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """The parts of words that hold several, and groups without a flag that a command is glued to
    (`env -Srm x`, `su -crm`)."""
    split = _joints().split
    parted = [
        tuple(part for part in split(word) if part)
        for group in groups
        for word in group
        if not _JOINTS.isdisjoint(word)
    ]
    glued = [
        tuple(word[2:] if word[:2] in _GLUED else word for word in group if word not in _GLUED)
        for group in groups
        if any(word[:2] in _GLUED for word in group)
    ]
    return (*parted, *glued)


class _Reader:
    """Reads a command and then, again, what its quotes and substitutions hold."""

    def __init__(self, command: str) -> None:
        self.groups: list[Group] = []
        self.complete = True
        self._waiting: list[Group] = []
        self._seen: set[str] = set()
        self._left = max(_CHARACTERS_AT_LEAST, _READINGS_OF_EACH_CHARACTER * len(command))
        self._later(command, Group(()))
        while self._waiting:
            text = self._waiting.pop()
            self._left -= len(text.words[0])
            if self._left < 0:
                self.complete = False
                break
            self._read(text.words[0], text)

    def _later(self, text: str, like: Group) -> None:
        """Note a text to be read, one that stands as `like` does."""
        if text and text not in self._seen:
            self._seen.add(text)
            self._waiting.append(Group((text,), like.quoted, like.within))

    def _read(self, text: str, like: Group) -> None:
        if "$(" in text or "`" in text:
            self._later(self._cut(text, _SUBSTITUTION, lambda _: UNKNOWN), like)
        if text.count("${") > 1:
            self._later(self._cut(text, _BRACED, lambda found: self._braced(found[1], like)), like)
        words: list[str] = []
        word: list[str] = []
        for piece in _piece().finditer(text):
            kind = piece.lastgroup or "bare"
            if kind not in {"space", "end"}:
                inner = Group((), quoted=True, within=words[0] if words else "")
                word.append(self._value(kind, piece[kind], like, inner))
                continue
            self._end_word(words, word)
            if kind == "end" and words:
                self.groups.append(Group(tuple(words), like.quoted, like.within))
                words = []
        self._end_word(words, word)
        if words:
            self.groups.append(Group(tuple(words), like.quoted, like.within))

    def _cut(self, text: str, what: str, put: Callable[[re.Match[str]], str]) -> str:
        """The text with the innermost of `what` replaced, then outwards: `r$(true)m` is `rm`."""
        for _ in range(_CUTS_AT_MOST):
            shorter = re.sub(what, put, text)
            if shorter == text:
                return text
            text = shorter
        self.complete = False
        return ""

    def _braced(self, text: str, like: Group) -> str:
        """The value of `${text}`; what stands behind its operator is read as well."""
        name = re.match(r"\w*", text)
        end = name.end() if name else 0
        self._later(text[end:].lstrip(_OPERATOR), like)
        return _variable(text[:end])

    def _end_word(self, words: list[str], word: list[str]) -> None:
        spelled = "".join(word)
        word.clear()
        if not spelled:
            return
        if spelled.startswith("~+/"):
            spelled = "." + spelled[2:]
        if spelled.isascii():
            words.append(spelled)
        else:
            several = expanded(spelled)
            self.complete = self.complete and several is not None
            words.extend(several or [spelled])
        if re.search(_NESTED, spelled):
            self._later(spelled.translate(UNMARKED), Group((), quoted=True, within=words[0]))

    def _value(self, kind: str, text: str, like: Group, inner: Group) -> str:
        match kind:
            case "escaped":
                return "" if text == "\n" else text
            case "double":
                value = re.sub(_ESCAPE_IN_DOUBLE, lambda m: "" if m[1] == "\n" else m[1], text)
                self._inside(value, inner)
                return re.sub(_VARIABLE_IN_DOUBLE, lambda m: _variable(m[1] or m[2]), value)
            case "single":
                self._inside(text, inner)
                return text
            case "ansi":
                value = re.sub(_ANSI_ESCAPE, _ansi_character, text)
                self._inside(value, inner)
                return value
            case "variable":
                return _variable(text)
            case "braced":
                return self._braced(text, like)
            case _:
                return text.translate(MARKS) if re.search(_LIVE, text) else text

    def _inside(self, value: str, inner: Group) -> None:
        if re.search(_NESTED, value):
            self._later(value, inner)


def _variable(name: str) -> str:
    """A command line has no arguments of its own: `$@`, `$*` and `$1` are nothing."""
    return "" if name in {"@", "*"} or name.isdigit() else _KNOWN.get(name, UNKNOWN)


def _ansi_character(match: re.Match[str]) -> str:
    hexadecimal = match[1] or match[2] or match[3]
    number = int(hexadecimal, 16) if hexadecimal else int(match[4], 8) if match[4] else None
    if number is None:
        return _CONTROL_LETTERS.get(match[5], match[5])
    return chr(number) if number <= sys.maxunicode else ""
