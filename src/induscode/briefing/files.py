"""How the loaders look at files: one small port, and the disk behind it.

A loader asks a `Files` and never the disk itself, so that the host decides what of a workspace may
be read, and notices later whether anything that was looked at has changed. Nothing here raises.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

__all__ = ["Child", "DiskFiles", "Files", "Refused"]


class Refused(Struct, frozen=True):
    """It is there and may not or cannot be read; `reason` is a clause about it."""

    reason: str


class Child(Struct, frozen=True):
    """An entry of a folder, links followed. Without a `link` at its place, its real path is its
    folder's and its name; where that is not known, there may be one."""

    name: str
    folder: bool
    link: bool = True


class Files(Protocol):
    def read(self, path: Path, most: int) -> bytes | Refused | None:
        """The content, at most `most` bytes of it and one more where it is longer. None when there
        is no such file."""
        ...

    def children(self, folder: Path) -> Sequence[Child] | Refused:
        """Regular files and folders in it, sorted by name. Nothing for a folder that is not."""
        ...

    def real(self, path: Path) -> Path:
        """One path for one file, whatever links lead to it."""
        ...

    def barred(self, importer: Path, target: Path) -> str:
        """Why `importer` may not bring in `target`, as a clause; empty when it may, and where there
        is nothing to bring in."""
        ...


class DiskFiles:
    """The disk as it is. An import may name any document, but no link leads it out of the importing
    file's folder, and outside of that a file must look like a document. A host that knows what its
    user trusts bars more."""

    def read(self, path: Path, most: int) -> bytes | Refused | None:
        try:
            # Without O_NONBLOCK, opening a FIFO that nobody writes to would wait for ever.
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            return Refused(f"it cannot be read: {_said(error)}")
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return Refused("it is not a regular file")
            with open(handle, "rb", closefd=False) as file:
                return file.read(most + 1)
        except OSError as error:
            return Refused(f"it cannot be read: {_said(error)}")
        finally:
            os.close(handle)

    def children(self, folder: Path) -> Sequence[Child] | Refused:
        found: list[Child] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    mode = _mode(entry)
                    if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
                        found.append(Child(entry.name, stat.S_ISDIR(mode), entry.is_symlink()))
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except (OSError, ValueError) as error:
            return Refused(f"it cannot be listed: {_said(error)}")
        return sorted(found, key=lambda child: child.name)

    def real(self, path: Path) -> Path:
        try:
            return Path(os.path.realpath(path))
        except (OSError, ValueError):  # no name that a file could have
            return path

    def barred(self, importer: Path, target: Path) -> str:
        folder = importer.parent
        if not os.path.lexists(target):
            return ""
        if str(target).startswith(f"{folder}/"):
            real = self.real(target)
            if real != target and self.real(folder) not in real.parents:
                return "a link leads out of the folder of the file that names it"
        elif not target.suffix:
            return "it leads elsewhere and does not look like a document"
        return ""


def _mode(entry: os.DirEntry[str]) -> int:
    """0 for what cannot be looked at: a link that leads nowhere, or in a circle."""
    try:
        return entry.stat().st_mode
    except OSError:
        return 0


def _said(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
