"""Reaching a place below the workspace without following a link, at any moment.

A path is a text relative to the workspace (or absolute, outside of it) as `os.fsdecode` spells it.
Each name on the way is opened by itself and must be a directory; a link is none.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["below", "names_in", "open_file", "set_mode", "status_of", "writable"]

# Where the system has it: a handle on a directory that needs no right to list it.
_HANDLE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def below(root: Path, path: str) -> Generator[tuple[int, str]]:
    """The folder that holds `path`, as a descriptor, and the last name. Raises OSError: ENOENT, or
    ENOTDIR where something else than a folder stands on the way."""
    parts = path.split("/")
    start = "/" if path.startswith("/") else root
    descriptor = os.open(start, _HANDLE & ~os.O_NOFOLLOW)
    try:
        for name in parts[:-1]:
            if not name:
                continue
            inner = _step(descriptor, name)
            os.close(descriptor)
            descriptor = inner
        yield descriptor, parts[-1]
    finally:
        os.close(descriptor)


def _step(parent: int, name: str) -> int:
    try:
        return os.open(name, _HANDLE, dir_fd=parent)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotADirectoryError(errno.ENOTDIR, "is a link", name) from None
        raise


def status_of(root: Path, path: str) -> os.stat_result | None:
    """What is at this very place; None for nothing. Raises OSError where nobody may look."""
    try:
        with below(root, path) as (folder, name):
            return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None


def open_file(root: Path, path: str) -> int:
    """A descriptor of a regular file, for reading. Raises OSError."""
    with below(root, path) as (folder, name):
        # Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(name, flags, dir_fd=folder)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "is not a regular file", path)


def names_in(root: Path, path: str) -> list[str]:
    """What a folder holds. Raises OSError."""
    with below(root, path) as (folder, name):
        descriptor = os.open(name, _FOLDER, dir_fd=folder)
    try:
        with os.scandir(descriptor) as rows:
            return [row.name for row in rows]
    finally:
        os.close(descriptor)


@contextmanager
def writable(folder: int) -> Generator[None]:
    """While it lasts, names in this folder of ours can be made and removed."""
    mode = stat.S_IMODE(os.fstat(folder).st_mode)
    closed = mode & stat.S_IRWXU != stat.S_IRWXU
    if closed:
        set_mode(folder, mode | stat.S_IRWXU)
    try:
        yield
    finally:
        if closed:
            set_mode(folder, mode)


def set_mode(descriptor: int, mode: int) -> None:
    """A handle opened with O_PATH takes no `fchmod`; its name in /proc leads to the same place.
    Raises OSError."""
    if hasattr(os, "O_PATH"):
        Path(f"/proc/self/fd/{descriptor}").chmod(mode)
    else:
        os.fchmod(descriptor, mode)
