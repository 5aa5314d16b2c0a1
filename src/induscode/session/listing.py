"""Listing and searching sessions, fast with ten thousand of them.

A listing stats the files and reads the first lines of those it shows. Search keeps a derived index
of what people said, one file per workspace folder, checked against size and time of each log and
rebuilt for those that changed; deleting it loses nothing.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.kernel.content import Text
from induscode.session.entries import Input, SessionStart
from induscode.session.line import read_line
from induscode.session.log import read_only
from induscode.session.store import LOG_SUFFIX

__all__ = ["SessionRow", "list_sessions", "search_sessions"]

_HEAD_BYTES = 128 * 1024
_INDEX_NAME = "index.v1"
_TEXT_LIMIT = 4000
_TITLE_LIMIT = 100


class SessionRow(Struct, frozen=True):
    """One line of a listing. `changed` is seconds since 1970; `origin` is what it is a fork of,
    `parent` the session that it worked for as a delegate."""

    id: str
    title: str
    workspace: str
    changed: float
    size: int
    origin: str = ""
    parent: str = ""


class _Indexed(Struct):
    size: int
    changed_ns: int
    text: str


def list_sessions(folders: list[Path], *, limit: int) -> list[SessionRow]:
    """The newest sessions first."""
    return _rows(_stats(folders), limit)


def search_sessions(folders: list[Path], words: str, *, limit: int) -> list[SessionRow]:
    """Sessions in which a person said all the words, newest first."""
    wanted = words.lower().split()
    hits: list[tuple[int, str, int]] = []
    for folder in folders:
        index = _fresh_index(folder)
        for name, row in index.items():
            if all(word in row.text for word in wanted):
                hits.append((row.changed_ns, str(folder / name), row.size))
    return _rows(hits, limit)


def _stats(folders: list[Path]) -> list[tuple[int, str, int]]:
    found: list[tuple[int, str, int]] = []
    for folder in folders:
        try:
            with os.scandir(folder) as rows:
                logs = [row for row in rows if row.name.endswith(LOG_SUFFIX)]
        except FileNotFoundError:
            continue
        for row in logs:
            with contextlib.suppress(OSError):  # gone since, or a link to nowhere
                stat = row.stat()
                found.append((stat.st_mtime_ns, row.path, stat.st_size))
    return found


def _rows(found: list[tuple[int, str, int]], limit: int) -> list[SessionRow]:
    rows: list[SessionRow] = []
    for changed_ns, path, size in sorted(found, reverse=True):
        if len(rows) == limit:
            break
        with contextlib.suppress(OSError):  # one that cannot be read does not hide the others
            rows.append(_row(Path(path), changed_ns, size))
    return rows


def _row(path: Path, changed_ns: int, size: int) -> SessionRow:
    title, workspace, origin, parent = "", "", "", ""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    for line in head.split(b"\n"):
        entry = read_line(line)
        if isinstance(entry, SessionStart):
            workspace = entry.workspace
            origin = entry.origin.session if entry.origin else ""
            parent = entry.delegator.session if entry.delegator else ""
        elif isinstance(entry, Input):
            title = _title(entry)
            break
    return SessionRow(path.stem, title, workspace, changed_ns / 1e9, size, origin, parent)


def _title(entry: Input) -> str:
    for block in entry.content:
        if isinstance(block, Text) and block.text.strip():
            return block.text.strip().splitlines()[0][:_TITLE_LIMIT]
    return ""


def _fresh_index(folder: Path) -> dict[str, _Indexed]:
    path = folder / _INDEX_NAME
    try:
        old = msgspec.json.decode(path.read_bytes(), type=dict[str, _Indexed])
    except (OSError, msgspec.DecodeError):
        old = {}
    new: dict[str, _Indexed] = {}
    for changed_ns, log, size in _stats([folder]):
        name = os.path.basename(log)  # noqa: PTH119 - a string from scandir, ten thousand times
        row = old.get(name)
        if row is None or row.size != size or row.changed_ns != changed_ns:
            row = _Indexed(size, changed_ns, _said(Path(log)))
        new[name] = row
    if new != old:
        temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        with contextlib.suppress(OSError):  # without an index the next search reads the logs again
            temporary.write_bytes(msgspec.json.encode(new))
            temporary.replace(path)
    return new


def _said(path: Path) -> str:
    texts: list[str] = []
    room = _TEXT_LIMIT
    try:
        entries = read_only(path).entries
    except OSError:
        return ""
    for entry in entries:
        if isinstance(entry, Input):
            for block in entry.content:
                if isinstance(block, Text):
                    texts.append(block.text[:room].lower())
                    room -= len(texts[-1])
        if room <= 0:
            break
    return "\n".join(texts)
