"""Lines of a file that is too large for memory: they are looked for, never all of them loaded."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.limits import FILE_BYTES, LINE_CHARACTERS, READ_CHARACTERS
from induscode.tools.reading.kinds import binary_sentence
from induscode.tools.reading.limits import CHUNK_BYTES, EDGE_BYTES, LINE_BYTES, SCANNED_BYTES
from induscode.tools.reading.lines import numbered
from induscode.tools.textfile import TextFile, looks_binary, marked_encoding

__all__ = ["read_large"]

_SNIFFED = 8192
_FIRST_OF_SEVERAL = 0xC0
_MOST = FILE_BYTES // 1024 // 1024


class _Stretch(Struct, frozen=True):
    """Lines of the file, with what stands on both sides of them. `total` is how many lines there
    are, where the end was seen."""

    before: bytes
    lines: tuple[bytes, ...]
    after: bytes
    total: int | None


class _Past(Struct, frozen=True):
    """There are fewer lines."""

    total: int


class _TooFar(Struct, frozen=True):
    """Nobody looked that far."""


async def read_large(path: Path, offset: int, limit: int, context: ToolContext) -> ToolResult:
    """At most `limit` lines from line `offset`. What the model sees of such a file is never all of
    it, so that it does not count as known. Raises OSError."""
    with context.fs.open(path) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        head = file.read(_SNIFFED)
        if problem := _unreadable(path, head, size):
            return ToolResult.error(problem)
        file.seek(0)
        found = await _find(file, offset, limit)
    match found:
        case _Past(total=total):
            return ToolResult.error(f"{path} has {total} lines; offset {offset} is past its end.")
        case _TooFar():
            return ToolResult.error(
                f"Line {offset} of {path} is more than {SCANNED_BYTES >> 30} GB away from its "
                "beginning; use a command: `tail` or `dd`."
            )
        case _Stretch():
            return _shown(path, found, offset, size, context)


def _unreadable(path: Path, head: bytes, size: int) -> str:
    mark, encoding = marked_encoding(head)
    if mark and encoding != "utf-8":
        name = encoding[:6].upper()
        return (
            f"{path} is {name} text of {size:,} bytes; over {_MOST} MB only UTF-8 is read. "
            f"Use a command: `iconv -f {name} -t UTF-8`."
        )
    return binary_sentence(path, head, size) if looks_binary(head) else ""


async def _find(file: BinaryIO, offset: int, limit: int) -> _Stretch | _Past | _TooFar:
    start = await _start_of(file, offset)
    if not isinstance(start, int):
        return start
    file.seek(max(start - EDGE_BYTES, 0))
    before = file.read(start - file.tell())
    lines: list[bytes] = []
    size = 0
    ended = False
    while len(lines) < limit and size <= READ_CHARACTERS:
        line = file.readline(LINE_BYTES)
        if not line:
            ended = True
            break
        size += min(len(line), LINE_CHARACTERS)
        if line.endswith(b"\n"):
            lines.append(line[:-1])
            continue
        lines.append(_whole_characters(line) if len(line) == LINE_BYTES else line)
        if not await _skip_line(file):
            break
    after = file.read(EDGE_BYTES)
    ended = ended or not after
    if ended and not lines:
        return _Past(offset - 1)
    return _Stretch(before, tuple(lines), after, offset - 1 + len(lines) if ended else None)


async def _start_of(file: BinaryIO, offset: int) -> int | _Past | _TooFar:
    """Where a line begins."""
    passed, position, last = 1, 0, b"\n"
    while passed < offset:
        if position >= SCANNED_BYTES:
            return _TooFar()
        chunk = file.read(CHUNK_BYTES)
        if not chunk:
            return _Past(passed - (last == b"\n"))
        ends = chunk.count(b"\n")
        if passed + ends >= offset:
            at = -1
            for _ in range(offset - passed):
                at = chunk.index(b"\n", at + 1)
            return position + at + 1
        passed += ends
        position += len(chunk)
        last = chunk[-1:]
        await asyncio.sleep(0)  # others go on, and a stopped call ends here
    return position


async def _skip_line(file: BinaryIO) -> bool:
    """To the end of a long line; False when that is further than anybody looks."""
    for _ in range(SCANNED_BYTES // CHUNK_BYTES):
        rest = file.readline(CHUNK_BYTES)
        if not rest or rest.endswith(b"\n"):
            return True
        await asyncio.sleep(0)
    return False


def _whole_characters(line: bytes) -> bytes:
    """The beginning of a line in UTF-8 without the half character at its end."""
    for back in range(1, 4):
        if line[-back] >= _FIRST_OF_SEVERAL:
            return line[:-back]
    return line


def _shown(path: Path, found: _Stretch, offset: int, size: int, context: ToolContext) -> ToolResult:
    file = TextFile.decode(b"\n".join(found.lines))
    if file is None:
        end = offset + len(found.lines) - 1
        return ToolResult.error(f"Lines {offset} to {end} of {path} are no text; use a command.")
    text = _cleaned(found, file.shown, context)
    if text is None:
        return ToolResult.error(
            f"A secret lies across the edge of these lines of {path}; choose another offset."
        )
    page = numbered(text.split("\n"), offset, whole=False)
    what = f"of {found.total}" if found.total is not None else f"of a file of {size >> 20:,} MB"
    more = f"; go on with offset {page.last + 1}" if page.last != found.total else ""
    where = f"lines {offset} to {page.last} {what}{more}"
    by_command = f"over {_MOST} MB: only a command can change this file"
    return ToolResult.text(
        page.text(where, file.note, by_command), display=f"{path}: {len(page.lines)} lines"
    )


def _cleaned(found: _Stretch, text: str, context: ToolContext) -> str | None:
    """The lines without secrets; None when one of them stands only partly in these lines, where
    nobody would know it."""
    before, after = (side.decode("utf-8", "replace") for side in (found.before, found.after))
    clean = context.clean(text)
    apart = f"{context.clean(before)}{clean}\n{context.clean(after)}"
    return clean if context.clean(f"{before}{text}\n{after}") == apart else None
