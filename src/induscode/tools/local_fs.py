"""Files of this machine, as the `Filesystem` port promises them."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from induscode.tools.limits import FILE_BYTES

__all__ = ["LocalFilesystem"]


class LocalFilesystem:
    """Reads only regular files, judged by what was opened, not by what the name meant before.
    Writes replace atomically: a reader, and a crash, sees the old bytes or the new ones."""

    def read(self, path: Path) -> bytes:
        # Without O_NONBLOCK, opening a FIFO that nobody writes to would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError(errno.EISDIR, "is a directory", str(path))
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "is not a regular file", str(path))
            if status.st_size > FILE_BYTES:
                raise _too_large(status.st_size, path)
            data = file.read(FILE_BYTES + 1)
        if len(data) > FILE_BYTES:
            raise _too_large(len(data), path)
        return data

    def write(self, path: Path, data: bytes) -> None:
        target = Path(os.path.realpath(path))
        before = _status(target)
        if before is not None and not stat.S_ISREG(before.st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        if before is not None and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "is write-protected", str(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name[:100]}.{os.urandom(8).hex()}.tmp")
        try:
            _create(temporary, data, before)
            temporary.replace(target)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

    def is_file(self, path: Path) -> bool:
        return stat.S_ISREG(_mode(path))

    def is_dir(self, path: Path) -> bool:
        return stat.S_ISDIR(_mode(path))

    def names(self, path: Path) -> tuple[str, ...]:
        with os.scandir(path) as entries:
            return tuple(sorted(f"{e.name}/" if e.is_dir() else e.name for e in entries))


def _mode(path: Path) -> int:
    """The mode of what is there, links followed; 0 for nothing, or nothing we may look at."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0


def _too_large(size: int, path: Path) -> OSError:
    megabytes = f"is {size / 1024 / 1024:.1f} MB; at most {FILE_BYTES // 1024 // 1024} MB are read"
    return OSError(errno.EFBIG, megabytes, str(path))


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _create(path: Path, data: bytes, like: os.stat_result | None) -> None:
    """A new file with `data`, and with the mode and owner of the one it will replace."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o666 if like is None else 0o600), "wb") as file:
        if like is not None:
            status = os.fstat(file.fileno())
            if (status.st_uid, status.st_gid) != (like.st_uid, like.st_gid):
                _give(file.fileno(), like)
            os.fchmod(file.fileno(), stat.S_IMODE(like.st_mode))
        file.write(data)


def _give(descriptor: int, like: os.stat_result) -> None:
    try:
        os.fchown(descriptor, like.st_uid, like.st_gid)
    except PermissionError:
        # Somebody else's file that we may write: the new one becomes ours, as editors do it.
        return
