"""A file that only its user may read or change, and that is never seen half written.

What the user granted lives in such files. They are refused when somebody else could have written
them, changed under a lock so that two processes lose nothing, and replaced as a whole.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from induscode.errors import ConfigError
from induscode.policy.file_lock import lock_within

__all__ = ["read_private", "update_private"]

_PRIVATE_FILE = 0o600
_PRIVATE_FOLDER = 0o700
_LOCK_SECONDS = 5.0
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def read_private(file: Path) -> bytes | None:
    """The content; None when there is no such file. Raises `ConfigError` for one that cannot be
    read, or that somebody else owns or may write."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(file, error.strerror or "cannot be read", "make it readable") from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise _unusable(file, "it is not a regular file", "remove it")
        if status.st_uid not in {os.geteuid(), 0}:
            raise _unusable(file, "somebody else owns it", "remove it, or make it yours")
        if status.st_mode & _OTHERS_WRITE:
            raise _unusable(file, "others may write it", f"run: chmod 600 {file}")
        with os.fdopen(handle, "rb", closefd=False) as opened:
            return opened.read()
    finally:
        os.close(handle)


def update_private(file: Path, change: Callable[[bytes | None], bytes]) -> None:
    """Replace the content by what `change` makes of it, on disk when this returns. Raises
    `ConfigError` as `read_private` does, and when the disk does not take it."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
        with _locked(file):
            _replace(file, change(read_private(file)))
    except OSError as error:
        found = error.strerror or str(error)
        raise _unusable(file, found, "free space or fix permissions, then try again") from None


@contextmanager
def _locked(file: Path) -> Generator[None]:
    """Held by one process at a time. The lock is a file of its own: the other one is replaced."""
    name = file.with_name(f"{file.name}.lock")
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    handle = os.open(name, flags, _PRIVATE_FILE)
    try:
        lock_within(handle, _LOCK_SECONDS, "another process holds its lock")
        yield
    finally:
        os.close(handle)


def _replace(file: Path, data: bytes) -> None:
    fresh = file.with_name(f"{file.name}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    handle = os.open(fresh, flags, _PRIVATE_FILE)
    try:
        os.fchmod(handle, _PRIVATE_FILE)
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)
    fresh.replace(file)
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _unusable(file: Path, found: str, hint: str) -> ConfigError:
    return ConfigError(str(file), field="file", found=found, hint=hint)
