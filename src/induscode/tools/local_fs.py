"""Files of this machine, as the `Filesystem` port promises them."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from induscode.tools.anchored import anchored, kind_of, open_exactly
from induscode.tools.limits import FILE_BYTES

__all__ = ["LocalFilesystem"]


class LocalFilesystem:
    """Takes paths with every link already followed, and follows none itself (`anchored.py`). Reads
    only regular files, judged by what was opened. Writes replace atomically: a reader, and a crash,
    sees the old bytes or the new ones."""

    def read(self, path: Path) -> bytes:
        with self.open(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > FILE_BYTES:
                raise _too_large(size, path)
            data = file.read(FILE_BYTES + 1)
        if len(data) > FILE_BYTES:
            raise _too_large(len(data), path)
        return data

    def open(self, path: Path) -> BinaryIO:
        # Without O_NONBLOCK, opening a FIFO that nobody writes to would wait for ever.
        descriptor = open_exactly(path, os.O_RDONLY | os.O_NONBLOCK)
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISREG(mode):
            return os.fdopen(descriptor, "rb")
        os.close(descriptor)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "is a directory", str(path))
        raise _irregular(path, mode)

    def write(self, path: Path, data: bytes) -> None:
        with anchored(path.parent, make=True) as folder:
            before = _status(path.name, folder)
            if before is not None:
                _check_replaceable(path, before, folder)
            temporary = f".{path.name[:100]}.{os.urandom(8).hex()}.tmp"
            try:
                _create(temporary, data, before, folder)
                os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                _remove(temporary, folder)
                raise

    def is_file(self, path: Path) -> bool:
        return stat.S_ISREG(kind_of(path))

    def is_dir(self, path: Path) -> bool:
        return stat.S_ISDIR(kind_of(path))

    def names(self, path: Path) -> tuple[str, ...]:
        descriptor = open_exactly(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with os.scandir(descriptor) as entries:
                return tuple(sorted(f"{e.name}/" if e.is_dir() else e.name for e in entries))
        finally:
            os.close(descriptor)


def _irregular(path: Path, mode: int) -> OSError:
    kinds = (
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
        (stat.S_ISLNK, "a link"),
    )
    kind = next((name for test, name in kinds if test(mode)), "something else")
    told = f"is {kind}, not a regular file; only a command can use it"
    return OSError(errno.EINVAL, told, str(path))


def _too_large(size: int, path: Path) -> OSError:
    megabytes = f"is {size / 1024 / 1024:.1f} MB; at most {FILE_BYTES // 1024 // 1024} MB are read"
    return OSError(errno.EFBIG, megabytes, str(path))


def _status(name: str, folder: int) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _check_replaceable(path: Path, before: os.stat_result, folder: int) -> None:
    if not stat.S_ISREG(before.st_mode):
        raise _irregular(path, before.st_mode)
    if not os.access(path.name, os.W_OK, dir_fd=folder):
        raise PermissionError(errno.EACCES, "is write-protected", str(path))


def _create(name: str, data: bytes, like: os.stat_result | None, folder: int) -> None:
    """A new file with `data`, and with the mode and owner of the one it will replace."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(name, flags, 0o666 if like is None else 0o600, dir_fd=folder)
    with os.fdopen(handle, "wb") as file:
        if like is not None:
            status = os.fstat(file.fileno())
            if (status.st_uid, status.st_gid) != (like.st_uid, like.st_gid):
                _give(file.fileno(), like)
            os.fchmod(file.fileno(), stat.S_IMODE(like.st_mode))
        file.write(data)


def _remove(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return


def _give(descriptor: int, like: os.stat_result) -> None:
    try:
        os.fchown(descriptor, like.st_uid, like.st_gid)
    except PermissionError:
        # Somebody else's file that we may write: the new one becomes ours, as editors do it.
        return
