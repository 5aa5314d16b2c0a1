"""Carrying out a plan: one path at a time, without following a link, in an order that works.

Modes of folders come first; then what must go goes, deepest first; then folders are made, then
files and links, each under its name in one piece: at any moment a path is what it was, nothing, or
what it shall be. A path that is not as the plan found it is left alone.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from induscode.checkpoint.anchor import below, set_mode, writable
from induscode.checkpoint.contents import ContentStore, MissingContent
from induscode.checkpoint.plan import Restore
from induscode.checkpoint.states import see
from induscode.kernel.jsontext import digest
from induscode.session.file_states import FileState, same

__all__ = ["carry_out", "sweep"]

_FILES = frozenset({"file", "link"})


def carry_out(items: Iterable[Restore], root: Path, store: ContentStore) -> dict[str, str]:
    """Restore the items; returns why for each path that could not be."""
    work = _Work(root, store)
    every = sorted(items, key=lambda item: item.path.count("/"))
    for item in every:
        if item.target.kind == item.now.kind == "dir":
            work.do(item, work.set_mode)
    for item in reversed(every):
        if item.now.kind != "absent" and item.target.kind not in _kept_by(item.now):
            work.do(item, work.remove)
    for item in every:
        if item.target.kind == "dir" and item.now.kind != "dir":
            work.do(item, work.make_folder)
    for item in every:
        if item.target.kind in _FILES:
            work.do(item, work.put)
    return work.failed


def sweep(paths: Iterable[str], root: Path) -> None:
    """Remove what a rewind that broke off may have left beside these paths."""
    for path in paths:
        with suppress(OSError), below(root, path) as (folder, name):
            _discard(_temporary(name), folder)


def _kept_by(now: FileState) -> frozenset[str]:
    """Kinds that can take the place of what is there without its being removed first."""
    return frozenset({"dir"}) if now.kind == "dir" else _FILES


class _Work:
    def __init__(self, root: Path, store: ContentStore) -> None:
        self.failed: dict[str, str] = {}
        self._root = root
        self._store = store

    def do(self, item: Restore, deed: Callable[[Restore], None]) -> None:
        if item.path in self.failed:
            return
        try:
            deed(item)
        except MissingContent as missing:
            self.failed[item.path] = str(missing)
        except OSError as error:
            self.failed[item.path] = error.strerror or str(error)

    def remove(self, item: Restore) -> None:
        if item.now.kind != "dir":
            self._check(item)
        with below(self._root, item.path) as (folder, name), writable(folder):
            if item.now.kind == "dir":
                os.rmdir(name, dir_fd=folder)
            else:
                os.unlink(name, dir_fd=folder)

    def make_folder(self, item: Restore) -> None:
        with below(self._root, item.path) as (folder, name), writable(folder):
            temporary = _temporary(name)
            _discard(temporary, folder)
            os.mkdir(temporary, 0o700, dir_fd=folder)
            with below(self._root, f"{item.path.removesuffix(name)}{temporary}/.") as (made, _):
                set_mode(made, item.target.mode)
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)

    def put(self, item: Restore) -> None:
        data = self._store.get(item.target.sha256)
        if item.now.kind in _FILES:
            self._check(item)
        with below(self._root, item.path) as (folder, name), writable(folder):
            temporary = _temporary(name)
            _discard(temporary, folder)
            try:
                if item.target.kind == "link":
                    os.symlink(os.fsdecode(data), temporary, dir_fd=folder)
                else:
                    _create(temporary, data, item.target.mode, folder)
                os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                _discard(temporary, folder)
                raise

    def set_mode(self, item: Restore) -> None:
        with below(self._root, f"{item.path}/.") as (folder, _):
            set_mode(folder, item.target.mode)

    def _check(self, item: Restore) -> None:
        """Raises OSError when somebody changed the path since it was planned."""
        if not same(see(self._root, item.path).state, item.now):
            raise OSError(errno.EBUSY, "it changed at this very moment", item.path)


def _create(name: str, data: bytes, mode: int, folder: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "wb") as file:
        file.write(data)
        file.flush()
        os.fchmod(file.fileno(), mode)
        os.fdatasync(file.fileno())


def _discard(temporary: str, folder: int) -> None:
    """Remove what an attempt left; an empty folder is all that it can be besides a file."""
    try:
        os.unlink(temporary, dir_fd=folder)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        os.rmdir(temporary, dir_fd=folder)


def _temporary(name: str) -> str:
    """Beside the path, the same at every attempt: what a crash leaves is found again."""
    return f".indus-rewind-{digest(os.fsencode(name))[:16]}.tmp"
