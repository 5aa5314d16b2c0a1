"""Small files that survive a crash and a second process: one lock, one way to replace.

All of it happens in a directory that is already open, by single names, and follows no link.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress

from induscode.boot.services.limits import LOCK_SECONDS
from induscode.policy.file_lock import lock_within

__all__ = ["locked", "read_small", "replace", "sync"]

_LOCK = ".lock"
_FRESH = ".new"
_HELD = f"another process has been writing here for over {LOCK_SECONDS:g} s"


@contextmanager
def locked(folder: int, mode: int) -> Generator[None]:
    """Held by one holder at a time, of this process or another; what is killed lets go. Raises
    OSError when somebody else does not let go in `LOCK_SECONDS`."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    handle = os.open(_LOCK, flags, mode, dir_fd=folder)
    try:
        lock_within(handle, LOCK_SECONDS, _HELD)
        yield
    finally:
        os.close(handle)


def read_small(folder: int, name: str, most: int) -> bytes:
    """A regular file of at most `most` bytes. Raises OSError for anything else."""
    # Without O_NONBLOCK, opening a FIFO that nobody writes to would wait for ever.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(name, flags, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", name)
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(most + 1)
    finally:
        os.close(handle)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"has over {most} bytes", name)
    return data


def replace(folder: int, name: str, data: bytes, mode: int) -> None:
    """On disk when this returns; before that the old file is whole. Only under the lock: what a
    killed process left half written has a fixed name and is overwritten."""
    with suppress(FileNotFoundError):
        os.unlink(_FRESH, dir_fd=folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(_FRESH, flags, mode, dir_fd=folder), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(_FRESH, name, src_dir_fd=folder, dst_dir_fd=folder)
    sync(folder)


def sync(folder: int) -> None:
    """So that a name put into the directory survives a crash of the machine."""
    handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
