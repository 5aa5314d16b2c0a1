"""Opening exactly the place that was named: no link on the way is followed, at any moment.

Whoever judged a path judged it with every link already followed. Walking it again from the root,
one name at a time and never through a link, reaches that place or fails: a link that somebody put
there in the meantime cannot lead elsewhere.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["anchored", "kind_of", "open_exactly"]

# Where the system has it: a handle on a directory that needs no right to list it.
_HANDLE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MOVED = "leads elsewhere than when it was judged: a link took its place"


@contextmanager
def anchored(folder: Path, *, make: bool = False) -> Generator[int]:
    """A descriptor of this very directory, to be used as `dir_fd`. `make` creates what is missing.
    Raises OSError as the system does, ELOOP for a link on the way."""
    descriptor = os.open("/", _HANDLE)
    try:
        for name in folder.parts[1:]:
            inner = _step(descriptor, name, folder, make=make)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _step(parent: int, name: str, whole: Path, *, make: bool) -> int:
    try:
        return os.open(name, _HANDLE, dir_fd=parent)
    except FileNotFoundError:
        if not make:
            raise FileNotFoundError(errno.ENOENT, "does not exist", str(whole)) from None
        with suppress(FileExistsError):  # made just now by somebody else: opened like the rest
            os.mkdir(name, dir_fd=parent)
        return os.open(name, _HANDLE, dir_fd=parent)
    except OSError as error:
        if error.errno in {errno.ENOTDIR, errno.ELOOP} and _is_link(parent, name):
            raise OSError(errno.ELOOP, _MOVED, str(whole)) from None
        raise OSError(error.errno, error.strerror, str(whole)) from None


def open_exactly(path: Path, flags: int, mode: int = 0o666) -> int:
    """A descriptor of this very file. Raises OSError, ELOOP for a link anywhere in `path`."""
    with anchored(path.parent) as parent:
        try:
            flags |= os.O_NOFOLLOW | os.O_CLOEXEC
            return os.open(path.name or ".", flags, mode, dir_fd=parent)
        except OSError as error:
            why = _MOVED if error.errno == errno.ELOOP else error.strerror
            raise OSError(error.errno, why, str(path)) from None


def kind_of(path: Path) -> int:
    """The kind and mode of what is at this very place; 0 for nothing, or nothing we may look at. A
    link is a link."""
    try:
        with anchored(path.parent) as parent:
            return os.stat(path.name or ".", dir_fd=parent, follow_symlinks=False).st_mode
    except (OSError, ValueError):
        return 0


def _is_link(parent: int, name: str) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
