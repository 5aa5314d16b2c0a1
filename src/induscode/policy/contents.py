"""What an item of a workspace holds: read once, within bounds, and digested.

A context document holds the files of the workspace that it imports as well, and those that they
import: to the model they are one text. What it names that is not there is remembered as absent.

Every file is opened by walking down from the workspace, never through a link; links are followed
before, by `belongings.landing`, and where they lead is part of what is digested.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.kernel.jsontext import digest
from induscode.policy.belongings import (
    GONE,
    OUTSIDE,
    Astray,
    Belonging,
    Kind,
    Landing,
    is_text,
    landing,
)
from induscode.policy.glance import Glance, glance_of

__all__ = [
    "ABSENT",
    "MAX_DEPTH",
    "MAX_FILES",
    "MAX_FILE_BYTES",
    "MAX_IMPORTED_BYTES",
    "MAX_IMPORTS",
    "MAX_IMPORT_DEPTH",
    "MAX_PACKAGE_BYTES",
    "TEXT_BYTES",
    "FileMark",
    "Imports",
    "Seen",
    "Unfit",
    "examine",
    "glance_within",
    "path_of",
    "read_marked",
]

MAX_FILES = 2_000
MAX_DEPTH = 32
MAX_PACKAGE_BYTES = 64 * 1024 * 1024
"""For an addon or a skill, all its files together. A component that holds an interpreter has 20."""
MAX_FILE_BYTES = 1024 * 1024
"""For an item that is one file of configuration or instructions."""
MAX_IMPORT_DEPTH = 5
MAX_IMPORTS = 200
"""How many files a context document may name, those that it names through others included. What is
over this, or over the bytes, is no part of it and is never brought in."""
MAX_IMPORTED_BYTES = 4 * 1024 * 1024
TEXT_BYTES = 64 * 1024
"""Texts up to this size are kept, so that a later difference can be shown."""

_PACKAGES = (Kind.ADDON, Kind.SKILL)
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a FIFO that nobody writes to would wait for ever.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC


class FileMark(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One file as it was accepted. `leads` is where a link led, a path of the workspace."""

    sha256: str
    size: int
    executable: bool = False
    leads: str = ""


ABSENT = FileMark(sha256="", size=0)
"""Of an import that is not there, or that cannot be read as it is."""

Imports = Callable[[str, str], Iterable[str]]
"""The files that a text asks for, given the path of the document it stands in. All are paths from
the workspace; one that begins with `..` leads out of it."""


class Seen(Struct, frozen=True):
    """An item as it was read: its files by name, and the content of those that are short texts, by
    sha256. The item itself is "", a file in it has its path from there, an imported one its path
    from the workspace after a slash. `looked` is a glance at every path that counted."""

    digest: str
    files: dict[str, FileMark]
    texts: dict[str, bytes]
    looked: dict[str, Glance]


class Unfit(Struct, frozen=True):
    """Why an item cannot be trusted as it is; `looked` as of `Seen`."""

    reason: str
    looked: dict[str, Glance]


class _Refused(Exception):
    """`reason` speaks of the item or of a file in it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def examine(workspace: Path, item: Belonging, imports: Imports) -> Seen | Unfit:
    """Read an item whole. Raises nothing: what cannot or must not be read makes it unfit, or if it
    is imported, absent."""
    if item.refused:
        return Unfit(item.refused, {})
    look = _Look(workspace, item)
    try:
        look.at("", ())
        if item.kind is Kind.CONTEXT:
            look.follow(imports)
    except _Refused as refusal:
        return Unfit(refusal.reason, look.looked)
    encoded = msgspec.json.encode([item.kind, look.files], order="sorted")
    return Seen(digest(encoded), look.files, look.texts, look.looked)


def glance_within(workspace: Path, path: str, plain: set[str]) -> Glance:
    """A glance at a path of the workspace, and where it leads; nothing outside is looked at.
    `plain` are paths without a link on their way, as far as one round of glances knows."""
    folder = path.rpartition("/")[0]
    if folder in plain:
        try:
            status = os.lstat(f"{workspace}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return _glance(Astray(GONE))
        if not stat.S_ISLNK(status.st_mode):
            plain.add(path)
            return (path, *glance_of(status))
    where = landing(workspace, path)
    if isinstance(where, Landing) and where.path == path:
        plain.update((folder, path))
    return _glance(where)


def path_of(item: Belonging, name: str) -> str:
    """The path from the workspace of a file of an item."""
    return name[1:] if name.startswith("/") else _joined(item.path, name)


def read_marked(workspace: Path, item: Belonging, name: str, mark: FileMark) -> bytes | None:
    """The content of one file of an item, if it is what `mark` says; None for anything else. What
    is compared is what is returned: it is read once."""
    try:
        data, found = _read(workspace, path_of(item, name), mark.size)
    except _Refused:
        return None
    return data if found == mark else None


class _Look:
    """One walk through an item."""

    def __init__(self, workspace: Path, item: Belonging) -> None:
        self.files: dict[str, FileMark] = {}
        self.texts: dict[str, bytes] = {}
        self.looked: dict[str, Glance] = {}
        self._workspace = workspace
        self._item = item
        self._limit = MAX_PACKAGE_BYTES if item.kind in _PACKAGES else MAX_FILE_BYTES
        self._left = self._limit
        self._document = b""

    def at(self, name: str, above: tuple[str, ...]) -> None:
        """`above` are the folders that lead here, without links."""
        path = _joined(self._item.path, name)
        where = self._landed(path)
        if stat.S_ISDIR(where.mode):
            if where.path in above:
                raise _Refused(f"{path}: its links lead in a circle")
            if len(above) >= MAX_DEPTH:
                raise _Refused(f"it has folders more than {MAX_DEPTH} deep")
            for child in self._listed(where.path, path):
                self.at(_joined(name, child), (*above, where.path))
            return
        if len(self.files) >= MAX_FILES:
            raise _Refused(f"it has more than {MAX_FILES} files")
        self._document, mark = self._read(path)
        self._left -= mark.size
        self._add(name, mark, self._document)

    def follow(self, imports: Imports) -> None:
        """Add what the document imports, level by level: the nearest count first."""
        self._left = MAX_IMPORTED_BYTES
        level = [(self._item.path, self._document)]
        for _ in range(MAX_IMPORT_DEPTH):
            named = {
                target: None
                for path, data in level
                for target in imports(data.decode(errors="replace"), path)
                if target != self._item.path and f"/{target}" not in self.files
            }
            level = [(target, data) for target in named if (data := self._imported(target))]

    def _imported(self, path: str) -> bytes:
        if len(self.files) > MAX_IMPORTS or not is_text(path):
            return b""
        where = landing(self._workspace, path)
        self.looked[path] = _glance(where)
        if where == Astray(OUTSIDE):
            return b""
        try:
            data, mark = _read(self._workspace, path, min(self._left, MAX_FILE_BYTES))
        except _Refused:
            data, mark = b"", ABSENT
        self._left -= mark.size
        self._add(f"/{path}", mark, data)
        return data

    def _add(self, name: str, mark: FileMark, data: bytes) -> None:
        self.files[name] = mark
        if mark != ABSENT and len(data) <= TEXT_BYTES and _is_text(data):
            self.texts[mark.sha256] = data

    def _landed(self, path: str) -> Landing:
        where = landing(self._workspace, path)
        self.looked[path] = _glance(where)
        return _arrived(path, where)

    def _read(self, path: str) -> tuple[bytes, FileMark]:
        try:
            return _read(self._workspace, path, self._left)
        except _TooLarge:
            megabytes = self._limit // 1024 // 1024
            raise _Refused(f"it is larger than {megabytes} MB ({path})") from None

    def _listed(self, real: str, path: str) -> list[str]:
        names: list[str] = []
        try:
            folder = _open(self._workspace, real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        names.append(entry.name)
                        if len(names) > MAX_FILES:
                            raise _Refused(f"it has more than {MAX_FILES} files")
            finally:
                os.close(folder)
        except OSError as error:
            raise _Refused(f"{path} cannot be listed: {error.strerror}") from None
        if not all(map(is_text, names)):
            raise _Refused("it holds a name that is not text")
        return sorted(names)


class _TooLarge(_Refused):
    """A file is over what may be read of it."""


def _read(workspace: Path, path: str, limit: int) -> tuple[bytes, FileMark]:
    """At most `limit` bytes of a regular file of the workspace, and its mark."""
    where = _arrived(path, landing(workspace, path))
    if not stat.S_ISREG(where.mode):
        raise _Refused(f"{path} is not a regular file")
    if not is_text(where.path):
        raise _Refused(f"{path}: it leads to a name that is not text")
    try:
        with os.fdopen(_open(workspace, where.path, _READ), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise _Refused(f"{path} is not a regular file")
            data = b"" if status.st_size > limit else file.read(limit + 1)
            if max(status.st_size, len(data)) > limit:
                raise _TooLarge(f"{path} is too large")
    except OSError as error:
        raise _Refused(f"{path} cannot be read: {error.strerror}") from None
    mark = FileMark(
        sha256=digest(data),
        size=len(data),
        executable=bool(status.st_mode & stat.S_IXUSR),
        leads="" if where.path == path else where.path,
    )
    return data, mark


def _arrived(path: str, where: Landing | Astray) -> Landing:
    if isinstance(where, Astray):
        raise _Refused(f"{path}: {where.reason}")
    return where


def _glance(where: Landing | Astray) -> Glance:
    return (where.reason,) if isinstance(where, Astray) else (where.path, *where.glance)


def _open(workspace: Path, path: str, flags: int) -> int:
    """A descriptor of this very place below the workspace. Raises OSError, also for a link that
    was put on the way since the path was looked at."""
    *folders, last = path.split("/")
    at = os.open(workspace, _FOLDER)
    try:
        for name in folders:
            inner = os.open(name, _FOLDER, dir_fd=at)
            os.close(at)
            at = inner
        return os.open(last or ".", flags | os.O_NOFOLLOW, dir_fd=at)
    finally:
        os.close(at)


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder and name else folder or name


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False
