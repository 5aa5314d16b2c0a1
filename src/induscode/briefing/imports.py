r"""`@path` in a document: which files it asks for. Pure; nothing here looks at a disk.

An import stands at the beginning of a line or after white space. Its target ends at the next white
space; a space that belongs to the name is written `\ `. A `#fragment` is cut off, and so is the
punctuation that ends a sentence. Code is quoted, not meant: nothing inside a fenced block or a code
span is an import. Indented lines are read, because lists indent as well.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

__all__ = [
    "TEXT_FILE_EXTENSIONS",
    "TEXT_FILE_NAMES",
    "Import",
    "find_imports",
    "is_text_file",
]

_EXTENSIONS = """
.adoc .asciidoc .astro .bash .bat .c .cc .cfg .cjs .clj .cljc .cljs .cmake .cmd .conf .config .cpp
.cs .css .csv .cts .cxx .dart .diff .edn .ejs .elm .erb .erl .ex .exs .f .f90 .f95 .fish .for .fs
.fsx .go .gql .gradle .graphql .groovy .h .hbs .hcl .hpp .hrl .hs .htm .html .hxx .ini .java .jl .js
.json .json5 .jsonc .jsonl .jsx .kt .kts .latex .less .lhs .lock .log .lua .m .make .makefile
.markdown .md .mdc .mdx .mjs .mk .ml .mli .mts .nim .nix .org .patch .php .pl .pm .prisma
.properties .proto .ps1 .pug .py .pyi .pyw .r .rake .rb .rs .rst .sass .sbt .scala .scss .sh .sql
.svelte .swift .tex .text .tf .toml .ts .tsv .tsx .txt .vue .xml .yaml .yml .zig .zsh
"""
_HIDDEN = """
.clinerules .cursorrules .dockerignore .editorconfig .eslintrc .gitattributes .gitignore
.goosehints .nvmrc .prettierrc .roorules .tool-versions .windsurfrules
"""

TEXT_FILE_EXTENSIONS = frozenset(_EXTENSIONS.split())
"""Extensions of files that are text. `.env` is not among them, on purpose."""

TEXT_FILE_NAMES = frozenset(_HIDDEN.split())
"""Hidden files without an extension that are text. Others of that kind often hold secrets."""

_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:[^\s\\]|\\ )+)")
_SENTENCE_END = ".,;:!?"
_LONG_NAME = re.compile("[^/]{256}")
_LEAD = r"[ \t]*(?:(?:>|[-*+][ \t]|[0-9]{1,9}[.)][ \t])[ \t]*)*"
_FENCE = re.compile(_LEAD + r"(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
_FENCE_END = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,})\s*")
_NEW_BLOCK = re.compile(r"[ \t>]*(?:[-*+][ \t]|[0-9]{1,9}[.)][ \t]|#{1,6}[ \t])")
_TICKS = re.compile(r"`+")


class Import(Struct, frozen=True):
    """`spec` as it is written, the file it means, and the line it stands on, counted from 1."""

    spec: str
    target: Path
    line: int


def is_text_file(path: Path) -> bool:
    """By its name alone. A bare name such as LICENSE counts as text."""
    if path.suffix:
        return path.suffix.lower() in TEXT_FILE_EXTENSIONS
    return not path.name.startswith(".") or path.name.lower() in TEXT_FILE_NAMES


def find_imports(text: str, importer: Path, home: Path) -> list[Import]:
    """The imports of a document in their order, each target once. A relative target is meant from
    the importer's folder; `..` is resolved as text, so that a target is the path it looks like."""
    folder, user = str(importer.parent), str(home)
    found: dict[str, Import] = {}
    for line, spec in _specs(text.removeprefix("\ufeff")):
        target = _target(spec, folder, user)
        if target and target not in found:
            found[target] = Import(f"@{spec}", Path(target), line)
    return list(found.values())


def _specs(text: str) -> Iterator[tuple[int, str]]:
    """What stands after each `@` outside of code, and the line it stands on."""
    if "@" not in text:
        return
    for begins, block in _prose(text):
        if "@" not in block:
            continue
        spans = _code_spans(block)
        starts = [start for start, _ in spans]
        line, counted = begins, 0
        for match in _IMPORT.finditer(block):
            line += block.count("\n", counted, match.start())
            counted = match.start()
            at = bisect_right(starts, match.start()) - 1
            if at < 0 or match.start() >= spans[at][1]:
                yield line, match[1]


def _target(spec: str, folder: str, home: str) -> str:
    """Empty for what cannot name a file."""
    name = spec.replace("\\ ", " ").partition("#")[0].rstrip(_SENTENCE_END)
    if not name or name.endswith("/") or "\0" in name or _LONG_NAME.search(name):
        return ""
    if name.startswith("~/"):
        name = home + name[1:]
    whole = os.path.normpath(name if name.startswith("/") else f"{folder}/{name}")
    # A path may begin with two slashes, and would then compare unlike the same path with one.
    return "/" + whole.lstrip("/") if whole.startswith("//") else whole


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """The blocks of text outside of fences, with the line that each begins on. A code span does not
    reach beyond its block. A fence that nothing ends lasts to the end of the text."""
    fence = ""
    block: list[str] = []
    begins = 1
    for number, line in enumerate(text.split("\n"), 1):
        opens = None if fence else _FENCE.match(line)
        if fence or opens or not line.strip() or _NEW_BLOCK.match(line):
            if block:
                yield begins, "\n".join(block)
            block = []
        if fence:
            ends = _FENCE_END.fullmatch(line)
            fence = "" if ends and ends["fence"].startswith(fence) else fence
        elif opens:
            fence = opens["fence"]
        else:
            begins = begins if block else number
            block.append(line)
    if block:
        yield begins, "\n".join(block)


def _code_spans(block: str) -> list[tuple[int, int]]:
    """From a run of backticks to the next of the same length; a run without one is plain text."""
    runs = [match.span() for match in _TICKS.finditer(block)]
    by_length: dict[int, list[int]] = {}
    for start, end in runs:
        by_length.setdefault(end - start, []).append(start)
    spans: list[tuple[int, int]] = []
    inside_until = 0
    for start, end in runs:
        if start < inside_until:
            continue
        opening = start + _escaped(block, start)
        alike = by_length.get(end - opening, [])
        at = bisect_right(alike, start)
        if end > opening and at < len(alike):
            inside_until = alike[at] + end - opening
            spans.append((start, inside_until))
    return spans


def _escaped(block: str, at: int) -> int:
    """1 where a backslash takes the backtick at this place for plain text, else 0."""
    begins = at
    while begins and block[begins - 1] == "\\":
        begins -= 1
    return (at - begins) % 2
