"""A whole tree as a value: every path with its kind, mode and bytes, `.git` left out."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

Leaf = tuple[str, int, bytes]
Tree = dict[str, Leaf]

ABSENT: Leaf = ("absent", 0, b"")


def tree_of(root: Path) -> Tree:
    found: Tree = {}
    _add(found, root, "")
    return found


def _add(found: Tree, folder: Path, prefix: str) -> None:
    for place in sorted(folder.iterdir()):
        if place.name == ".git":
            continue
        path = prefix + place.name
        mode = place.lstat().st_mode
        if stat.S_ISLNK(mode):
            found[path] = ("link", 0, os.fsencode(place.readlink()))
        elif stat.S_ISDIR(mode):
            found[path] = ("dir", stat.S_IMODE(mode), b"")
            _add(found, place, f"{path}/")
        else:
            found[path] = ("file", stat.S_IMODE(mode), place.read_bytes())


def digest_of(folder: Path) -> str:
    """Of every file below, its name, mode and bytes: one number for all of git's own state."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        total.update(f"{path.relative_to(folder)}\0{status.st_mode}\0".encode(errors="replace"))
        if stat.S_ISREG(status.st_mode):
            total.update(f"{status.st_mtime_ns}\0".encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def difference(one: Tree, other: Tree) -> list[str]:
    return sorted(
        f"{path!r}: {one.get(path, ABSENT)} != {other.get(path, ABSENT)}"
        for path in one.keys() | other.keys()
        if one.get(path) != other.get(path)
    )
