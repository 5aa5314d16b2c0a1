"""Bytes on their way to the disk: whole lines or nothing, and a way back after a failure.

- A short or failed write is rolled back to the last good offset.
- After a failed sync the descriptor is not trusted any more (the kernel may have dropped the
  pages and cleared the error): the file is opened anew, its tail checked for another writer's
  entries, all that was not synced written again and the rest cut off; only a successful sync ends
  the trouble.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from induscode.errors import LogDown, SessionBusy
from induscode.session.blobs import durable_directory, sync_directory
from induscode.session.line import read_line

__all__ = ["LogFile"]


class LogFile:
    """One writer's hold on one log file. The file is locked as long as this is open."""

    def __init__(self, path: Path, handle: int, end: int) -> None:
        self.path = path
        self._handle = handle
        self._end = end
        self._synced = end
        self._unsynced: list[bytes] = []
        self._attempt = b""
        self._sound = True

    @classmethod
    def create(cls, path: Path) -> LogFile:
        """Make a new, empty file whose name is durable, or leave none and raise `LogDown`."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            durable_directory(path.parent)
            handle = os.open(path, flags, 0o600)
        except OSError as error:
            raise _down("created", error) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            sync_directory(path.parent)
        except OSError as error:
            os.close(handle)
            path.unlink(missing_ok=True)
            raise _down("created", error) from error
        return cls(path, handle, 0)

    @classmethod
    def lock(cls, path: Path) -> int:
        """Open an existing file for writing and lock it, or raise `SessionBusy` at once."""
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = _holder(handle)
            os.close(handle)
            raise SessionBusy(
                f"session {path.stem} is being written by {owner}",
                hint=f"wait for it, or start from a copy with: indus --fork {path.stem}",
            ) from None
        return handle

    @property
    def end(self) -> int:
        """The offset behind the last whole line."""
        return self._end

    @property
    def unsynced(self) -> bool:
        return bool(self._unsynced)

    def append(self, data: bytes) -> None:
        """Write whole lines behind the last good offset, or write nothing and raise `LogDown`."""
        if not self._sound:
            self._recover()
        self._attempt = data
        try:
            self._write(data)
        except OSError as error:
            self._roll_back()
            raise _down("written", error) from error
        self._unsynced.append(data)

    def sync(self) -> None:
        """Return when everything appended is on disk, or raise `LogDown`."""
        if not self._sound:
            self._recover()
            return
        if not self._unsynced:
            return
        try:
            os.fdatasync(self._handle)
        except OSError:
            self._sound = False
            self._recover()
            return
        self._settle()

    def take_back(self) -> None:
        """Forget the last append, whose sync failed: the recovery will not write it again."""
        self._unsynced.pop()

    def cut(self) -> None:
        """Cut off what follows the last good offset; raises OSError."""
        os.ftruncate(self._handle, self._end)
        os.fdatasync(self._handle)

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        offset = self._end
        while view:
            count = os.pwrite(self._handle, view, offset)
            view = view[count:]
            offset += count
        self._end = offset

    def _settle(self) -> None:
        self._synced = self._end
        self._unsynced.clear()

    def _roll_back(self) -> None:
        try:
            os.ftruncate(self._handle, self._end)
        except OSError:
            self._sound = False

    def _recover(self) -> None:
        """Open anew, write again what was not synced, cut off the rest, sync."""
        with contextlib.suppress(OSError):
            self.close()
        self._handle = -1
        try:
            self._handle = self.lock(self.path)
            self._verify_tail()
            # Written over before anything is cut: what this process was told is in the file must
            # survive it even when the recovery fails half way.
            self._end = self._synced
            self._write(b"".join(self._unsynced))
            self.cut()
        except OSError as error:
            raise _down("made durable", error) from error
        except SessionBusy as busy:
            raise LogDown(busy.message, hint="another process took the session over") from busy
        self._sound = True
        self._settle()

    def _verify_tail(self) -> None:
        """Raise `LogDown` when somebody else wrote, or cut, the file while it was not locked."""
        size = os.fstat(self._handle).st_size
        tail = os.pread(self._handle, max(0, size - self._synced), self._synced)
        ours = b"".join(self._unsynced) + self._attempt
        strange = [
            line
            for line in tail.split(b"\n")
            if line not in ours and not isinstance(read_line(line), str)
        ]
        if strange or size < self._synced:
            raise LogDown(
                f"another process changed the session {self.path.stem}",
                hint=f"go on from what it holds now with: indus --resume {self.path.stem}",
            )


def _down(what: str, error: OSError) -> LogDown:
    return LogDown(
        f"the session log cannot be {what}: {error.strerror or error}",
        hint="nothing more is run until it can; free space or fix the disk, then resume",
    )


def _holder(handle: int) -> str:
    """Who holds the lock, as far as the system tells."""
    inode = os.fstat(handle).st_ino
    try:
        rows = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return "another process"
    for row in rows:
        # 1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF
        match row.split():
            case [_, "FLOCK", _, _, pid, place, *_] if place.endswith(f":{inode}"):
                return f"process {pid}"
            case _:
                continue
    return "another process"
