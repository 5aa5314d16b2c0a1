"""One document: its file as text, its name as a heading, and what there is to say about it."""

from __future__ import annotations

from codecs import utf_8_decode
from pathlib import Path

from msgspec import Struct

from induscode.briefing.contract import DocNote
from induscode.briefing.files import Files, Refused
from induscode.briefing.invisible import invisible_characters

__all__ = [
    "DEFAULT_MAX_BYTES_PER_DOC",
    "DocNote",
    "Excerpt",
    "Page",
    "excerpt",
    "one_line",
    "read_page",
    "shorten_path",
]

DEFAULT_MAX_BYTES_PER_DOC = 40_000

_LOOKED_AT = 400_000
"""So many bytes of a file are read at least, to say how much of it is cut off."""


class Page(Struct, frozen=True):
    """A file's text, its lines ended by a line feed. `more` when the file goes on after it;
    `damaged` when some of its bytes were no UTF-8 and are replaced."""

    text: str
    more: bool = False
    damaged: bool = False


class Excerpt(Struct, frozen=True):
    """What is kept of a page: trimmed, and no longer than it may be. It begins at `line`; `cut`
    counts the bytes after it that did not fit."""

    body: str
    line: int
    cut: int = 0
    notes: tuple[DocNote, ...] = ()


def read_page(files: Files, path: Path, room: int) -> Page | Refused | None:
    """The file as text; None when there is no such file. Of one that is much longer than `room`,
    not all is read."""
    most = max(_LOOKED_AT, 2 * room)
    raw = files.read(path, most)
    if raw is None or isinstance(raw, Refused):
        return raw
    if b"\0" in raw:
        return Refused("it holds NUL bytes; save it as UTF-8 text")
    more = len(raw) > most
    try:
        text, damaged = utf_8_decode(raw, "strict", not more)[0], False
    except UnicodeDecodeError:
        text, damaged = raw.decode("utf-8", "replace"), True
    return Page(text.removeprefix("\ufeff").replace("\r\n", "\n"), more, damaged)


def excerpt(page: Page, heading: str, room: int, *, first_line: int = 1) -> Excerpt:
    """The page trimmed and cut to `room` bytes, never through a character, with notes on what a
    reader would not see. `first_line` is where it begins in its file."""
    text = page.text.lstrip()
    line = first_line + page.text.count("\n", 0, len(page.text) - len(text))
    whole = text.rstrip().encode()
    body = whole[:room].decode("utf-8", "ignore")
    cut = len(whole) - len(body.encode())
    notes: list[DocNote] = []
    if cut:
        number = f"more than {cut:,}" if page.more else f"{cut:,}"
        reason = f"{number} bytes are cut off here: a document has room for {room:,}; shorten it"
        notes.append(DocNote(heading, line + body.count("\n"), reason))
    if page.damaged:
        notes.append(DocNote(heading, 0, "it is not UTF-8; what is wrong in it is replaced"))
    if hidden := invisible_characters(body):
        reason = f"it holds {hidden:,} invisible characters; the model reads them"
        notes.append(DocNote(heading, 0, reason))
    return Excerpt(body, line, cut, tuple(notes))


def shorten_path(path: Path, cwd: Path, home: Path) -> str:
    """`./...` below the working directory, `~/...` below the home, else as it is; on one line."""
    whole = str(path)
    for folder, mark in ((f"{cwd}/", "./"), (f"{home}/", "~/")):
        if whole.startswith(folder):
            return one_line(mark + whole[len(folder) :])
    return one_line(whole)


def one_line(text: str) -> str:
    """A name as it can stand in a line of text: what is not printable is replaced."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else "\ufffd" for each in text)
