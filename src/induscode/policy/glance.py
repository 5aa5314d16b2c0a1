"""Whether something is still what it was, told by a look that opens nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["MISSING", "Glance", "glance", "glance_of", "standing"]

Glance = tuple[int | str, ...]
"""Two are equal when nothing was written, replaced, moved or given away in between."""

MISSING: Glance = ()


def glance_of(status: os.stat_result) -> Glance:
    """Without the time of the last access, and without the count of links."""
    return (
        status.st_dev,
        status.st_ino,
        status.st_mode,
        status.st_uid,
        status.st_gid,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def glance(path: Path | str) -> Glance:
    """Of a link, what it is and what it leads to."""
    try:
        status = os.lstat(path)
        if not stat.S_ISLNK(status.st_mode):
            return glance_of(status)
        return glance_of(status) + _beyond(path)
    except (FileNotFoundError, NotADirectoryError):
        return MISSING
    except (OSError, ValueError) as error:
        return (str(error),)


def standing(folder: Path | str) -> Glance:
    """Whose folder it is and who may write it, whatever happens in it."""
    try:
        status = Path(folder).stat()
    except OSError:
        return MISSING
    return (status.st_dev, status.st_ino, status.st_mode, status.st_uid, status.st_gid)


def _beyond(link: Path | str) -> Glance:
    try:
        return glance_of(Path(link).stat())
    except OSError as error:
        return (str(error),)
