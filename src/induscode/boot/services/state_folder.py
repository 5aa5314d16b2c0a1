"""One folder of small files: what a feature's state consists of. Neither grant nor lock is here."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path

from induscode.boot.services.durable import read_small, replace, sync
from induscode.boot.services.limits import STATE_BYTES, STATE_FILES
from induscode.errors import ServiceRefused
from induscode.tools.anchored import anchored

__all__ = ["PRIVATE_FILE", "PRIVATE_FOLDER", "Folder"]

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Folder:
    """`path` exists and has no link in it. Names are single segments, so nothing leads out."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str) -> bytes | None:
        safe = _checked(name)
        try:
            with anchored(self.path) as folder:
                return read_small(folder, safe, STATE_BYTES)
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Raises OSError, EDQUOT for what is over the bounds."""
        safe, whole = _checked(name), bytes(memoryview(data))
        others = self._sizes()
        others.pop(safe, None)
        if len(others) >= STATE_FILES:
            raise OSError(errno.EDQUOT, f"the state would have over {STATE_FILES} files", name)
        if sum(others.values()) + len(whole) > STATE_BYTES:
            raise OSError(errno.EDQUOT, f"the state would have over {STATE_BYTES} bytes", name)
        with anchored(self.path) as folder:
            replace(folder, safe, whole, PRIVATE_FILE)

    def remove(self, name: str) -> bool:
        safe = _checked(name)
        with anchored(self.path) as folder:
            try:
                os.unlink(safe, dir_fd=folder)
            except FileNotFoundError:
                return False
            sync(folder)
        return True

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._sizes()))

    def copy_to(self, path: Path) -> Folder:
        """The same files in a new folder, on disk when this returns."""
        path.mkdir(mode=PRIVATE_FOLDER)
        copy = Folder(path)
        for name in self.names():
            copy.write(name, self.read(name) or b"")
        return copy

    def _sizes(self) -> dict[str, int]:
        sizes: dict[str, int] = {}
        with os.scandir(self.path) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if _NAME.fullmatch(entry.name) and stat.S_ISREG(status.st_mode):
                    sizes[entry.name] = status.st_size
        return sizes


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ServiceRefused(
            f"{name!r} is no name of a file of the state",
            hint="use up to 100 of a-z, A-Z, 0-9, '.', '_' and '-', beginning with a letter or "
            "digit",
        )
    return name
