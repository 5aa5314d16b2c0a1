"""Globs over paths, in a time that grows with the length of the path and with nothing else.

`*` and `?` stay within a name, `**` is any depth, `[a-z]` and `[!a-z]` are one character, `{a,b}`
is one of several, a backslash takes the next character as it is. A glob without a slash is meant at
any depth; one that begins with a slash, at the top alone. A glob whose last name is plain also
covers everything below it, and one that ends in a slash nothing else. Brackets are also taken as
they are written, because names of files have them.

All states of a match are the bits of one number: no glob can make it try paths twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

__all__ = ["GLOB_ALTERNATIVES", "GLOB_CHARACTERS", "Glob", "compile_glob"]

GLOB_CHARACTERS = 256
GLOB_ALTERNATIVES = 64

_BRACES = re.compile(r"(?<!\\)\{([^{}]*,[^{}]*)\}")


class _Set(Struct, frozen=True):
    """`[a-z_]`: characters from the first to the second of each pair, or all but those."""

    pairs: tuple[tuple[str, str], ...]
    negated: bool

    def has(self, character: str) -> bool:
        inside = any(first <= character <= last for first, last in self.pairs)
        return character != "/" and inside != self.negated


class _Any(Struct, frozen=True):
    """`?`, one character of a name."""


class _Star(Struct, frozen=True):
    """`*`, any characters of a name."""


class _Deep(Struct, frozen=True):
    """`**/`: any number of names, none included. It has two states: before a name and within."""


class _Below(Struct, frozen=True):
    """`**` at the end: anything at all."""


_Token = str | _Set | _Any | _Star | _Deep | _Below


class Glob:
    """One alternative of a glob, ready to be matched."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._at: list[tuple[int, _Token]] = []
        self._stars = self._deep = self._inside = self._below = 0
        bit = 1
        for token in tokens:
            self._at.append((bit, token))
            match token:
                case _Star():
                    self._stars |= bit
                case _Deep():
                    self._deep |= bit
                    self._inside |= bit << 1
                    bit <<= 1
                case _Below():
                    self._below |= bit << 1
                case _:
                    pass
            bit <<= 1
        self._end = bit
        self._moving: dict[str, int] = {}

    def matches(self, path: str) -> bool:
        states = self._skipped(1)
        for character in path:
            moving = self._moving.get(character)
            if moving is None:
                moving = self._moving[character] = self._moved_by(character)
            moved = (states & moving) << 1 | states & self._below
            if character == "/":
                moved |= (states & self._inside) >> 1
            else:
                moved |= states & (self._stars | self._inside)
            states = self._skipped(moved)
            if not states:
                return False
        return bool(states & self._end)

    def _skipped(self, states: int) -> int:
        """With the states that are reached by taking a `**/` or a `*` for nothing."""
        states |= (states & self._deep) << 2
        return states | (states & self._stars) << 1

    def _moved_by(self, character: str) -> int:
        return sum(bit for bit, token in self._at if _takes(token, character))


def _takes(token: _Token, character: str) -> bool:
    match token:
        case str():
            return token == character
        case _Set():
            return token.has(character)
        case _Below():
            return True
        case _Any() | _Deep():
            return character != "/"
        case _Star():
            return False


def compile_glob(glob: str) -> list[Glob] | str:
    """Its alternatives; of a glob that is too long or has too many, why it cannot be used."""
    if len(glob) > GLOB_CHARACTERS:
        return f"it has more than {GLOB_CHARACTERS} characters"
    spelled = _alternatives(glob)
    if spelled is None:
        return f"its braces stand for more than {GLOB_ALTERNATIVES} alternatives"
    return [Glob(tokens) for each in spelled for tokens in _spelled(each)]


def _alternatives(glob: str) -> list[str] | None:
    """The glob with its braces written out, each once."""
    waiting, done = [glob], dict[str, None]()
    while waiting:
        each = waiting.pop()
        braces = _BRACES.search(each)
        if braces is None:
            done[each] = None
        else:
            before, after = each[: braces.start()], each[braces.end() :]
            waiting.extend(before + part + after for part in reversed(braces[1].split(",")))
        if len(waiting) + len(done) > GLOB_ALTERNATIVES:
            return None
    return list(done) + [each.replace("[", r"\[") for each in done if "[" in each]


def _spelled(glob: str) -> Iterator[list[_Token]]:
    rest = glob.removeprefix("./")
    names = [name for name in rest.split("/") if name]
    if not names:
        return
    at_the_top = rest != glob or "/" in rest.rstrip("/")
    tokens: list[_Token] = [] if at_the_top else [_Deep()]
    for name in names[:-1]:
        if name != "**":
            tokens.extend([*_name(name), "/"])
        elif not (tokens and isinstance(tokens[-1], _Deep)):
            tokens.append(_Deep())
    if names[-1] == "**":
        yield [*tokens, _Below()]
        return
    last = list(_name(names[-1]))
    if not rest.endswith("/"):
        yield [*tokens, *last]
    if rest.endswith("/") or all(isinstance(token, str) for token in last):
        yield [*tokens, *last, "/", _Below()]


def _name(name: str) -> Iterator[_Token]:
    """The tokens of a pattern between two slashes."""
    at = 0
    was_star = False
    while at < len(name):
        token, at = _token(name, at)
        if not (was_star and isinstance(token, _Star)):
            yield token
        was_star = isinstance(token, _Star)


def _token(name: str, at: int) -> tuple[_Token, int]:
    match name[at]:
        case "*":
            return _Star(), at + 1
        case "?":
            return _Any(), at + 1
        case "\\" if at + 1 < len(name):
            return name[at + 1], at + 2
        case "[" if (end := name.find("]", at + 2 + name.startswith(("!", "^"), at + 1))) > 0:
            return _set(name[at + 1 : end]), end + 1
        case plain:
            return plain, at + 1


def _set(inside: str) -> _Set:
    negated = inside[0] in "!^"
    members = inside[1:] if negated else inside
    pairs: list[tuple[str, str]] = []
    at = 0
    while at < len(members):
        ranged = members[at + 1 : at + 2] == "-" and at + 2 < len(members)
        pairs.append((members[at], members[at + 2] if ranged else members[at]))
        at += 3 if ranged else 1
    return _Set(tuple(pairs), negated)
