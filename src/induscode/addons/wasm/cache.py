"""Compiled components, kept so that each is compiled once.

Compiled code is machine code that the engine runs as it is: whoever can change an entry runs in our
process. So an entry counts only when the folder and the file are the user's and nobody else may
write them, and when its content has the digest that stands at its beginning. One that does not
count is compiled anew and replaced. The key is the digest of the component and of everything else
that the result depends on.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from pathlib import Path

from induscode.addons.wasm.limits import CACHE_ENTRIES

__all__ = ["CompileCache"]

_MARK = b"indus-wasm-1 "
_HEAD = len(_MARK) + 64 + 1
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


class CompileCache:
    """`folder` is ours alone and is made when it is needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, name: str) -> bytes | None:
        """The entry; None when there is none, or none that can be trusted."""
        try:
            folder = _opened(self._folder, _READ | os.O_DIRECTORY)
        except OSError:
            return None
        try:
            return _read(folder, name)
        except OSError:
            return None
        finally:
            os.close(folder)

    def store(self, name: str, compiled: bytes) -> None:
        """Replaces what is there, whole or not at all. Raises OSError, for a folder that somebody
        else may write too."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = _opened(self._folder, _READ | os.O_DIRECTORY)
        try:
            _write(folder, name, compiled)
            _forget_oldest(folder)
        finally:
            os.close(folder)


def _opened(path: Path | str, flags: int, *, dir_fd: int | None = None) -> int:
    """Raises PermissionError for what is not the user's alone to write."""
    handle = os.open(path, flags, dir_fd=dir_fd)
    status = os.fstat(handle)
    if status.st_uid != os.geteuid() or status.st_mode & _OTHERS_WRITE:
        os.close(handle)
        raise PermissionError(f"{path}: somebody else owns it or may write it")
    return handle


def _read(folder: int, name: str) -> bytes | None:
    handle = _opened(name, _READ, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        head, body = file.read(_HEAD), file.read()
        if head != _head(body):
            return None
        os.utime(handle)
        return body


def _head(body: bytes) -> bytes:
    return _MARK + hashlib.sha256(body).hexdigest().encode() + b"\n"


def _write(folder: int, name: str, body: bytes) -> None:
    fresh = f"{name}.{secrets.token_hex(8)}.new"
    try:
        with os.fdopen(os.open(fresh, _WRITE, 0o600, dir_fd=folder), "wb") as file:
            file.write(_head(body))
            file.write(body)
        os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        _removed(folder, fresh)
        raise


def _forget_oldest(folder: int) -> None:
    """Files that a killed process left half written go the same way."""
    used: list[tuple[float, str]] = []
    for name in os.listdir(folder):
        try:
            used.append((os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime, name))
        except FileNotFoundError:
            continue
    for _, name in sorted(used, reverse=True)[CACHE_ENTRIES:]:
        _removed(folder, name)


def _removed(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
