"""The user's own files outside of a workspace: read when nobody else could have written them.

Opened first, judged then: what is judged is what is read. Nothing here raises.
"""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from induscode.briefing.files import Child, Refused
from induscode.policy.ownership import faulty_file, faulty_folder, is_ours

__all__ = ["MAX_ENTRIES", "Listing", "followed", "list_owned", "read_owned"]

MAX_ENTRIES = 10_000
"""A folder that holds more is not listed."""

_MAX_LINKS = 40
_SYSTEM = ("proc", "sys", "dev")
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a FIFO that nobody writes to would wait for ever.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC


class Listing(Struct, frozen=True):
    """Files and folders, links followed, sorted by name; and the names of all links."""

    children: tuple[Child, ...] = ()
    links: tuple[str, ...] = ()


def followed(path: str) -> str | Refused | None:
    """Where an absolute path leads, every link of it made by the user or by root; None when it
    leads nowhere, or through a folder in which we may not look for it."""
    todo, done, links = path.split("/")[::-1], list[str](), 0
    try:
        while todo:
            name = todo.pop()
            if name in {"", "."}:
                continue
            if name == "..":
                del done[-1:]
                continue
            here = "/".join(("", *done, name))
            status = os.lstat(here)
            if not stat.S_ISLNK(status.st_mode):
                done.append(name)
                continue
            links += 1
            if not is_ours(status):
                return Refused(f"{here} is a link that somebody else made")
            if links > _MAX_LINKS:
                return Refused("its links lead in a circle")
            target = str(Path(here).readlink())
            if target.startswith("/"):
                done.clear()
            todo.extend(target.split("/")[::-1])
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except (OSError, ValueError) as error:
        return _failed("looked at", error)
    return "/" + "/".join(done)


def read_owned(place: str, most: int) -> bytes | Refused | None:
    """At most `most` bytes, and one more where it is longer. `place` is absolute; a link on its
    way that was not there a moment ago is not followed at its end."""
    folder, _, name = place.rpartition("/")
    if place.split("/")[1] in _SYSTEM:
        return Refused("it is no file of a disk")
    try:
        with ExitStack() as opened:
            above = os.open(folder or "/", _FOLDER)
            opened.callback(os.close, above)
            handle = os.open(name, _READ, dir_fd=above)
            opened.callback(os.close, handle)
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                return Refused("it is not a regular file")
            if reason := faulty_file(place, status, os.fstat(above)):
                return Refused(reason)
            with os.fdopen(handle, "rb", closefd=False) as file:
                return file.read(most + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        return _failed("read", error)


def list_owned(place: str) -> Listing | Refused:
    """`place` as `read_owned` takes it."""
    found: list[Child] = []
    links: list[str] = []
    try:
        handle = os.open(place, _LIST)
        try:
            if reason := faulty_folder(place, os.fstat(handle)):
                return Refused(reason)
            with os.scandir(handle) as entries:
                for seen, entry in enumerate(entries):
                    if seen >= MAX_ENTRIES:
                        return Refused(f"it holds more than {MAX_ENTRIES} entries")
                    mode = _mode(entry)
                    link = entry.is_symlink()
                    if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
                        found.append(Child(entry.name, stat.S_ISDIR(mode), link))
                    if link:
                        links.append(entry.name)
        finally:
            os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        return Listing()
    except (OSError, ValueError) as error:
        return _failed("listed", error)
    return Listing(tuple(sorted(found, key=lambda child: child.name)), tuple(links))


def _mode(entry: os.DirEntry[str]) -> int:
    """0 for what cannot be looked at: a link that leads nowhere, or in a circle."""
    try:
        return entry.stat().st_mode
    except OSError:
        return 0


def _failed(done: str, error: OSError | ValueError) -> Refused:
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return Refused(f"it cannot be {done}: {said}")
