"""One look over the workspace: what is there, by the marks that change when anything does.

`.git` is left out at any depth, and so are our own directories. What is not looked into is named.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from induscode.checkpoint.limits import DEPTH, FOLDER_FILES, LEFT_OUT, WORKSPACE_FILES

__all__ = ["Look", "Mark", "look_over", "mark_of"]

_AT_A_TIME = 1_000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Mark(NamedTuple):
    """What tells whether a path changed. A folder's times change with what it holds: they are 0."""

    mode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.mode)

    @property
    def is_dir(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)


class Look(NamedTuple):
    """`marks` by path; `left` says why a folder (or everything: "") was not looked into."""

    marks: dict[str, Mark]
    left: dict[str, str]


def mark_of(status: os.stat_result) -> Mark:
    if stat.S_ISDIR(status.st_mode):
        return Mark(status.st_mode, 0, 0, 0, 0)
    return Mark(
        status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
    )


def look_over(
    root: Path, *, tracked: AbstractSet[str], left: Mapping[str, str], own: tuple[Path, ...] = ()
) -> Look:
    """`tracked` are the folders that hold something git tracks; `left` are those that an earlier
    look left out, and stay so; `own` are directories of this program."""
    walker = _Walker(tracked, left, {str(place) for place in own}, str(root))
    try:
        descriptor = os.open(root, _FOLDER)
    except OSError as error:
        return Look({}, {"": f"it cannot be read: {error.strerror}"})
    try:
        walker.folder(descriptor, "", 0)
    except _TooManyError as too_many:
        return Look({}, {"": str(too_many)})
    finally:
        os.close(descriptor)
    return Look(walker.marks, walker.left)


class _TooManyError(Exception):
    """A limit was reached; the text says which."""


class _Walker:
    def __init__(
        self, tracked: AbstractSet[str], left: Mapping[str, str], own: set[str], root: str
    ) -> None:
        self.marks: dict[str, Mark] = {}
        self.left: dict[str, str] = {}
        self._tracked = tracked
        self._before = left
        self._own = own
        self._root = root

    def folder(self, descriptor: int, prefix: str, limit: int) -> None:
        """Everything in an open folder. `limit` is how many marks there may be before a folder
        around this one holds too many; 0 is no such limit."""
        inner: list[str] = []
        with os.scandir(descriptor) as rows:
            while part := list(islice(rows, _AT_A_TIME)):
                inner += self._add(part, prefix)
                self._check(limit)
        for name in inner:
            self._inner(descriptor, name, prefix + name, limit)
            self._check(limit)

    def _add(self, rows: list[os.DirEntry[str]], prefix: str) -> Iterator[str]:
        """Mark what these rows are; the names of folders among them. The innermost loop: it runs
        for every file of the workspace, twice per step."""
        marks, directory = self.marks, stat.S_ISDIR
        for row in rows:
            name = row.name
            if name == ".git":
                continue
            try:
                found = row.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if directory(found.st_mode):
                marks[prefix + name] = mark_of(found)
                yield name
            else:
                marks[prefix + name] = Mark(
                    found.st_mode,
                    found.st_size,
                    found.st_mtime_ns,
                    found.st_ctime_ns,
                    found.st_ino,
                )

    def _check(self, limit: int) -> None:
        count = len(self.marks)
        if limit and count > limit:
            raise _TooManyError(f"it holds more than {FOLDER_FILES:,} files")
        if count > WORKSPACE_FILES:
            raise _TooManyError(f"the workspace has more than {WORKSPACE_FILES:,} files")

    def _inner(self, parent: int, name: str, path: str, limit: int) -> None:
        if why := self._passed_over(name, path):
            self.left[path] = why
            return
        if self._own and f"{self._root}/{path}" in self._own:
            del self.marks[path]
            return
        start = len(self.marks)
        free = path not in self._tracked
        try:
            descriptor = os.open(name, _FOLDER, dir_fd=parent)
        except FileNotFoundError:
            return
        except OSError as error:
            self.left[path] = f"it cannot be read: {error.strerror}"
            return
        try:
            self.folder(descriptor, f"{path}/", start + FOLDER_FILES if free else limit)
        except _TooManyError as too_many:
            if not free or len(self.marks) > WORKSPACE_FILES:
                raise
            while len(self.marks) > start:
                self.marks.popitem()
            self._forget(path)
            self.left[path] = str(too_many)
        finally:
            os.close(descriptor)

    def _passed_over(self, name: str, path: str) -> str:
        if path in self._before:
            return self._before[path]
        if path in self._tracked:
            return ""
        if name in LEFT_OUT:
            return "a package manager fills it"
        return "it is nested too deep" if path.count("/") >= DEPTH else ""

    def _forget(self, path: str) -> None:
        for inner in list(_below(self.left, path)):
            del self.left[inner]


def _below(paths: Mapping[str, str], folder: str) -> Iterator[str]:
    prefix = f"{folder}/"
    return (path for path in paths if path.startswith(prefix))
