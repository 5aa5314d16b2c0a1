"""What ripgrep found in files: lines by file, each with its number.

Not from its JSON, which has an object for each match within a line: of a line of a megabyte that
can be forty.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from msgspec import Struct

__all__ = ["FLAGS", "FoundFile", "FoundLine", "LineReader"]

FLAGS = (
    "--null",
    "--with-filename",
    "--no-heading",
    "--line-number",
    "--column",
    "--no-context-separator",
)
"""With these, output is what is read here: name, NUL, `number:column:line` or `number-line`."""

_LINE = re.compile(rb"(\d+)(?:-|:(\d+):)")
_BINARY = re.compile(
    rb"(.*?): (?:WARNING: stopped searching binary file after match|binary file matches) "
    rb'\(found "\\0" byte around offset \d+\)\n',
    re.DOTALL,
)


class FoundLine(Struct, frozen=True):
    """`at` is where the match begins in the text, None for a line of context."""

    number: int
    text: str
    at: int | None


class FoundFile(Struct):
    name: str
    lines: list[FoundLine] = []
    matches: int = 0
    binary: bool = False

    @property
    def shows(self) -> bool:
        return self.matches > 0 and not self.binary


class LineReader:
    """Reads output as it comes, until there are more than `limit` matching lines. A file that
    `wanted` does not say yes to leaves no trace here; the match beyond the limit sets `more`."""

    def __init__(self, wanted: Callable[[str], bool], limit: int) -> None:
        self.files: list[FoundFile] = []
        self.matches = 0
        self.more = False
        self._wanted = wanted
        self._limit = limit
        self._name: bytes | None = None
        self._file: FoundFile | None = None
        self._rest: list[bytes] = []

    def take(self, data: bytes) -> bool:
        if b"\n" not in data:
            self._rest.append(data)
            return False
        whole, start = b"".join((*self._rest, data)), 0
        while (middle := whole.find(b"\0", start)) >= 0:
            end = whole.find(b"\n", middle)
            if end < 0:
                break
            self._read(whole[start:middle], whole[middle + 1 : end])
            if self.more:
                return True
            start = end + 1
        self._rest = [whole[start:]]
        return False

    def close(self) -> None:
        """Nothing more comes: what is left can only be about a binary file."""
        self._without_remarks(b"".join(self._rest))

    def _read(self, name: bytes, said: bytes) -> None:
        if name != self._name:
            name = self._without_remarks(name) if b"\n" in name else name
            self._begin(name)
        found = _LINE.match(said)
        if self._file is None or found is None:
            return
        if found[2] is not None:
            if self.matches >= self._limit:
                self.more = True
                return
            self.matches += 1
            self._file.matches += 1
        line = said[found.end() :].removesuffix(b"\r")
        at = _character(line, int(found[2]) - 1) if found[2] is not None else None
        self._file.lines.append(FoundLine(int(found[1]), line.decode("utf-8", "replace"), at))

    def _begin(self, name: bytes) -> None:
        if name == self._name:
            return
        self._name = name
        plain = os.fsdecode(name.removeprefix(b"./"))
        self._file = FoundFile(plain) if self._wanted(plain) else None
        if self._file is not None:
            self.files.append(self._file)

    def _without_remarks(self, text: bytes) -> bytes:
        """The name alone, without remarks before it that the last file turned out to be binary."""
        while remark := _BINARY.match(text):
            self._begin(remark[1])
            if self._file is not None:
                self.matches -= self._file.matches
                self._file.matches = 0
                self._file.binary = True
            text = text[remark.end() :]
        return text


def _character(line: bytes, at: int) -> int:
    """Where the character begins that a byte of the line belongs to."""
    return at if line.isascii() else len(line[:at].decode("utf-8", "replace"))
