"""What git says of the workspace, read from its index without running git.

A row whose times, inode and size are those of the file on disk says that git has its bytes as the
object that it names: git's own rule, and no looser. Nothing is trusted that git itself would look
at again: a file as young as the index.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from induscode.checkpoint.walk import Mark

__all__ = ["NO_INDEX", "Conversion", "GitIndex", "Row", "conversion", "read_index"]

INDEX_BYTES = 256 * 1024 * 1024
_TEXT_BYTES = 256 * 1024

_ROW = struct.Struct(">10I20sH")
_OLDEST, _EXTENDED_FLAGS, _COMPRESSED = 2, 3, 4
_HEADER = 12
_STAGE, _EXTENDED, _LENGTH = 0x3000, 0x4000, 0x0FFF
_INTENT_TO_ADD = 0x2000
_LOW = 0xFFFFFFFF
_SECOND = 10**9
_REGULAR = 0o100000


class Row(NamedTuple):
    """One file: git's object, and what the file was like when git saw it."""

    oid: str
    mtime_ns: int
    ctime_ns: int
    inode: int
    size: int

    def clean(self, mark: Mark) -> bool:
        """Whether the file on disk is the one that git saw."""
        return (
            self.mtime_ns == mark.mtime_ns
            and self.ctime_ns == mark.ctime_ns
            and self.inode == mark.inode & _LOW
            and self.size == mark.size & _LOW
        )


class GitIndex(NamedTuple):
    """`rows` are the files that git tracks; `folders` hold anything tracked; `stamp` tells whether
    the index changed since."""

    rows: dict[str, Row]
    folders: frozenset[str]
    stamp: tuple[int, int, int]


NO_INDEX = GitIndex({}, frozenset(), (0, 0, 0))


def read_index(root: Path, known: GitIndex = NO_INDEX) -> GitIndex:
    """The index of the repository whose top is `root`; `known` itself when it has not changed. One
    that is not there, or not of a kind that is understood here, has no rows."""
    place = _git_directory(root) / "index"
    try:
        handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return NO_INDEX
    try:
        status = os.fstat(handle)
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        if stamp == known.stamp:
            return known
        if status.st_size > INDEX_BYTES:
            return NO_INDEX
        data = os.read(handle, status.st_size)
    except OSError:
        return NO_INDEX
    finally:
        os.close(handle)
    try:
        rows, folders = _parsed(data, status.st_mtime_ns)
    except (struct.error, IndexError, ValueError):
        return GitIndex({}, frozenset(), stamp)
    return GitIndex(rows, frozenset(folders), stamp)


def _git_directory(root: Path) -> Path:
    """A linked worktree has a file here that leads to its directory."""
    place = root / ".git"
    text = _text(place)
    if not text.startswith("gitdir: "):
        return place
    return root / text.removeprefix("gitdir: ").rstrip("\r\n")


def _parsed(data: bytes, written_ns: int) -> tuple[dict[str, Row], set[str]]:
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != b"DIRC" or not _OLDEST <= version <= _COMPRESSED:
        raise ValueError("not an index of a known version")
    rows: dict[str, Row] = {}
    folders: set[str] = set()
    at, name = _HEADER, b""
    for _ in range(count):
        fields = _ROW.unpack_from(data, at)
        flags = fields[11]
        start = at + _ROW.size
        extra = 0
        if flags & _EXTENDED and version >= _EXTENDED_FLAGS:
            (extra,) = struct.unpack_from(">H", data, start)
            start += 2
        if version == _COMPRESSED:
            name, at = _uncompressed(data, start, name)
        else:
            length = flags & _LENGTH
            end = start + length if length < _LENGTH else data.index(b"\0", start)
            name = data[start:end]
            at += (end - at + 8) & ~7
        path = os.fsdecode(name)
        _add_folders(path, folders)
        if flags & _STAGE or extra & _INTENT_TO_ADD or fields[6] & 0o170000 != _REGULAR:
            continue
        ctime_ns = fields[0] * _SECOND + fields[1]
        mtime_ns = fields[2] * _SECOND + fields[3]
        if mtime_ns >= written_ns:
            mtime_ns = -1  # as young as the index: git would look again
        rows[path] = Row(fields[10].hex(), mtime_ns, ctime_ns, fields[5], fields[9])
    return rows, folders


def _add_folders(path: str, folders: set[str]) -> None:
    cut = path.rfind("/")
    while cut > 0:
        folder = path[:cut]
        if folder in folders:
            return
        folders.add(folder)
        cut = path.rfind("/", 0, cut)


def _uncompressed(data: bytes, at: int, before: bytes) -> tuple[bytes, int]:
    """Version 4: how much of the name before is cut off, then what follows it."""
    byte = data[at]
    at += 1
    cut = byte & 0x7F
    while byte & 0x80:
        byte = data[at]
        at += 1
        cut = ((cut + 1) << 7) | (byte & 0x7F)
    end = data.index(b"\0", at)
    return before[: len(before) - cut] + data[at:end], end + 1


class Conversion(Enum):
    """How files on disk may differ from git's objects: not at all, in their line ends (and so in
    their size), or in any way."""

    NONE = "none"
    LINE_ENDS = "line ends"
    ANY = "any"


_ANY = re.compile(
    r"^[^#\n]*\s(?:filter|ident|working-tree-encoding)\b|^\s*attributesfile\b",
    re.MULTILINE | re.IGNORECASE,
)
_LINE_ENDS = re.compile(
    r"^[^#\n]*\s-?(?:text|eol|crlf)\b|^[^#\n]*\bautocrlf\b", re.MULTILINE | re.IGNORECASE
)


def conversion(root: Path, attributes: list[str], elsewhere: Sequence[Path]) -> Conversion:
    """What settings say of it. `attributes` are the `.gitattributes` of the workspace; `elsewhere`
    are files outside of it where a user or a system sets such things."""
    own = _git_directory(root)
    inside = [root / path for path in attributes]
    places = [*inside, own / "info" / "attributes", own / "config", *elsewhere]
    texts = [_text(place) for place in places]
    if any(_ANY.search(text) for text in texts):
        return Conversion.ANY
    ends = any(_LINE_ENDS.search(text) for text in texts)
    return Conversion.LINE_ENDS if ends else Conversion.NONE


def _text(place: Path) -> str:
    """The text of a plain file; empty when there is none."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return ""
    try:
        return os.read(handle, _TEXT_BYTES).decode(errors="surrogateescape")
    except OSError:
        return ""
    finally:
        os.close(handle)
