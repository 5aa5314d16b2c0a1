"""Slash macros: prompts with places for arguments.

A body is scanned once, from left to right, and what is put in for an argument is never looked at
again: an argument that says `$1` stays `$1`. What looks like a placeholder and is none stays as it
is written. Loading is in `macro_files.py`.

    {{arg.2}}            one argument, counted from 1; empty when there is none
    {{arg.all}}          all of them, with single spaces between
    {{arg.slice 2 3}}    at most three, from the second on; without the 3, all from there on
    {{arg.rest 2}}       from the second on; without the 2, the same
    {{{{                 a literal {{
    $2 $@ ${@} $ARGUMENTS ${@:2} ${@:2:3}    the older spelling of these; $$ is a literal $
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import assert_never

from msgspec import Struct

from induscode.briefing.contract import (
    All,
    BriefingFault,
    BriefingFaultKind,
    Literal,
    MacroDef,
    MacroScope,
    MacroToken,
    Positional,
    Slice,
)
from induscode.briefing.frontmatter import split_frontmatter
from induscode.briefing.macro_files import DERIVED_DESCRIPTION_BUDGET, load_macros, read_macro_file
from induscode.kernel.provenance import SourcePart

__all__ = [
    "DERIVED_DESCRIPTION_BUDGET",
    "EXPANDED_CHARACTERS",
    "EXPANDED_PARTS",
    "PLACEHOLDER_DIGITS",
    "Expansion",
    "Report",
    "apply_macros",
    "apply_macros_reporting",
    "build_macro_scope",
    "expand_invocation",
    "expansion",
    "load_macros",
    "read_macro_file",
    "resolve_tokens",
    "scan_macro_body",
    "split_frontmatter",
]

PLACEHOLDER_DIGITS = 9
"""A number of more digits counts no arguments: what holds it is literal text."""

EXPANDED_CHARACTERS = 4_000_000
EXPANDED_PARTS = 10_000
"""What one macro may become: so much text, of so many pieces."""

Report = Callable[[str, str], object]
"""Hears of each older placeholder as it is written, and how to write it now."""

_NUMBER = f"[0-9]{{1,{PLACEHOLDER_DIGITS}}}(?![0-9])"
# Possessive: what was taken as a gap is never given back, so that no body is scanned twice.
_GAP = r"[ \t\r\n\f\v]*+"
_PLACEHOLDER = re.compile(
    r"""
      (?P<braces> \{\{\{\{ )
    | \{\{ GAP arg\. (?:
          (?P<number> NUMBER )
        | (?P<all> all )
        | slice GAP (?P<start> NUMBER ) (?: GAP (?P<length> NUMBER ) )?
        | rest (?: GAP (?P<rest> NUMBER ) )?
      ) GAP \}\}
    | (?P<dollar> \$\$ )
    | \$ (?:
          (?P<old_number> NUMBER )
        | (?P<old_all> @ | \{@\} | ARGUMENTS (?![A-Za-z0-9_]) )
        | \{@: (?P<old_start> NUMBER ) (?: : (?P<old_length> NUMBER ) )? \}
      )
    """.replace("NUMBER", _NUMBER).replace("GAP", _GAP),
    re.VERBOSE,
)
_ESCAPED = {"braces": "{{", "dollar": "$"}
_REST = "2"
_INVOCATION = re.compile(r"/(?P<name>\S+)\s*(?P<rest>.*)", re.DOTALL)


class Expansion(Struct, frozen=True):
    """What a macro becomes, and where each stretch of it comes from. What was given as an argument
    comes from no file."""

    text: str
    parts: tuple[SourcePart, ...] = ()


def scan_macro_body(body: str, report: Report | None = None) -> list[MacroToken]:
    """Literal text and placeholders, in order; no two literals follow each other. `report` hears
    once of each older placeholder, also of the same one again; `$$` is none."""
    return [token for token, _ in _scanned(body, report)]


def resolve_tokens(tokens: Sequence[MacroToken], scope: MacroScope) -> str:
    return "".join(_resolved(token, scope) for token in tokens)


def build_macro_scope(raw: str) -> MacroScope:
    """The arguments of a line. White space parts them; quotes, single or double, hold together what
    they enclose and are taken off, and one that nothing closes holds all that follows. A single
    quote after a letter or a digit is an apostrophe and stays. Empty arguments are dropped."""
    args = tuple(_words(raw)) if "'" in raw or '"' in raw else tuple(raw.split())
    return MacroScope(args, " ".join(args), raw)


def apply_macros(body: str, raw: str) -> str:
    """The body with the arguments of the line `raw` in it."""
    return resolve_tokens(scan_macro_body(body), build_macro_scope(raw))


def apply_macros_reporting(body: str, raw: str, report: Report) -> str:
    return resolve_tokens(scan_macro_body(body, report), build_macro_scope(raw))


def expand_invocation(line: str, macros: Sequence[MacroDef]) -> str:
    """The text that `/name arguments` stands for, when there is a macro of that name (the first
    counts); every other line as it is. Arguments for which the body has no place are left out;
    `expansion` keeps them."""
    found = _INVOCATION.fullmatch(line)
    if found is None:
        return line
    macro = next((macro for macro in macros if macro.name == found["name"]), None)
    return line if macro is None else apply_macros(macro.body, found["rest"])


def expansion(macro: MacroDef, raw: str) -> Expansion:
    """What the model is told when a person types `/name` and the arguments `raw`.

    Arguments given to a macro that has no placeholder at all follow its text after a blank line:
    nothing that was typed is lost. Raises `BriefingFault` for a text larger than is reasonable.
    """
    scope = build_macro_scope(raw)
    woven = _Woven(macro)
    open_for_arguments = False
    line, at = macro.line, 0
    for token, start in _scanned(macro.body, None):
        line, at = line + macro.body.count("\n", at, start), start
        literal = isinstance(token, Literal)
        open_for_arguments = open_for_arguments or not literal
        woven.add(_resolved(token, scope), line if literal else None)
    if scope.args and not open_for_arguments:
        woven.add("\n\n" if macro.body else "", None)
        woven.add(raw.strip(), None)
    return woven.done()


class _Woven:
    """A text while it is put together."""

    def __init__(self, macro: MacroDef) -> None:
        self._macro = macro
        self._file = str(macro.source).encode(errors="backslashreplace").decode()
        self._pieces: list[str] = []
        self._parts: list[SourcePart] = []
        self._length = 0

    def add(self, text: str, line: int | None) -> None:
        """Text from this line of the macro's file, or from no file."""
        if not text:
            return
        if line is not None:
            self._parts.append(SourcePart(self._length, self._file, line))
        elif not self._parts or self._parts[-1].file:
            self._parts.append(SourcePart(self._length, ""))
        self._pieces.append(text)
        self._length += len(text)
        if self._length > EXPANDED_CHARACTERS or len(self._parts) > EXPANDED_PARTS:
            raise BriefingFault(
                BriefingFaultKind.MACRO_INVALID,
                f"{self._file}: with these arguments /{self._macro.name} becomes more than"
                f" {EXPANDED_CHARACTERS:,} characters or {EXPANDED_PARTS:,} pieces: give it less,"
                " or take placeholders out of it",
            )

    def done(self) -> Expansion:
        return Expansion("".join(self._pieces), tuple(self._parts))


def _scanned(body: str, report: Report | None) -> Iterator[tuple[MacroToken, int]]:
    """Each token and where in the body it begins."""
    literal: list[str] = []
    literal_start = at = 0
    for found in _PLACEHOLDER.finditer(body):
        literal.append(body[at : found.start()])
        at = found.end()
        escaped = _ESCAPED.get(found.lastgroup or "")
        if escaped:
            literal.append(escaped)
            continue
        if text := "".join(literal):
            yield Literal(text), literal_start
        literal.clear()
        literal_start = at
        token = _token(found)
        if report is not None and found[0].startswith("$"):
            report(found[0], _spelled(token))
        yield token, found.start()
    literal.append(body[at:])
    if text := "".join(literal):
        yield Literal(text), literal_start


def _token(found: re.Match[str]) -> MacroToken:
    if number := found["number"] or found["old_number"]:
        return Positional(int(number))
    if found["all"] or found["old_all"]:
        return All()
    start = found["start"] or found["old_start"] or found["rest"] or _REST
    length = found["length"] or found["old_length"]
    return Slice(int(start), None if length is None else int(length))


def _spelled(token: MacroToken) -> str:
    match token:
        case Literal(text):
            return text
        case Positional(number):
            return f"{{{{arg.{number}}}}}"
        case All():
            return "{{arg.all}}"
        case Slice(start, None):
            return f"{{{{arg.slice {start}}}}}"
        case Slice(start, length):
            return f"{{{{arg.slice {start} {length}}}}}"
        case _:
            assert_never(token)


def _resolved(token: MacroToken, scope: MacroScope) -> str:
    match token:
        case Literal(text):
            return text
        case Positional(number):
            return scope.args[number - 1] if 1 <= number <= len(scope.args) else ""
        case All():
            return scope.all
        case Slice(start, length):
            first = max(start, 1) - 1
            return " ".join(scope.args[first : None if length is None else first + length])
        case _:
            assert_never(token)


def _words(raw: str) -> Iterator[str]:
    word: list[str] = []
    quote = before = ""
    for letter in raw:
        if letter == quote:
            quote = ""
        elif quote:
            word.append(letter)
        elif letter == '"' or (letter == "'" and not before.isalnum()):
            quote = letter
        elif not letter.isspace():
            word.append(letter)
        elif word:
            yield "".join(word)
            word.clear()
        before = letter
    if word:
        yield "".join(word)
