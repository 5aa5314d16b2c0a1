"""Copies of addons in our own folders: made of exactly what was looked at, whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from induscode.addons.contract import LoaderError, LoaderErrorKind
from induscode.addons.package import AddonPackage, package_at
from induscode.kernel.jsontext import digest
from induscode.policy.belongings import Belonging, Kind
from induscode.policy.contents import MAX_FILES, read_marked
from induscode.policy.glance import glance_of

__all__ = ["copy_into", "file_of", "glance_at", "place_in", "removed", "unfinished"]

_FOLDER = 0o700
_FILE = 0o600
_NEW = ".new-"
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_ENTRIES_MOST = 2 * MAX_FILES


def place_in(folder: Path, file: str) -> Path:
    """The package in the folder that a copy is: the folder itself, or the one file in it."""
    return folder / file if file else folder


def file_of(package: AddonPackage) -> str:
    """The name of the file that a package is; "" for a folder."""
    return package.path.name if "" in package.files else ""


def copy_into(package: AddonPackage, folder: Path, *, durable: bool) -> None:
    """Make `folder` a copy of the package: files of the person alone, and no links. It appears
    under its name when it is complete; one that is there already stays. Raises `LoaderError` when
    the package is not any more what it was, OSError as the disk does."""
    folder.parent.mkdir(parents=True, exist_ok=True, mode=_FOLDER)
    fresh = folder.with_name(f"{_NEW}{secrets.token_hex(8)}")
    try:
        _fill(package, fresh, durable=durable)
        if package_at(place_in(fresh, file_of(package))).digest != package.digest:
            raise _changed(package)
        _appear(fresh, folder)
        if durable:
            _sync(folder.parent)
    finally:
        removed(fresh)


def unfinished(folder: Path) -> list[Path]:
    """What a copy that was interrupted left in there, or one that is being made."""
    return list(folder.glob(f"{_NEW}*"))


def _fill(package: AddonPackage, fresh: Path, *, durable: bool) -> None:
    root, item = package.path.parent, Belonging(Kind.ADDON, package.path.name)
    fresh.mkdir(mode=_FOLDER)
    folders = {fresh}
    for name, mark in package.files.items():
        data = read_marked(root, item, name, mark)
        if data is None:
            raise _changed(package)
        file = fresh / (name or package.path.name)
        for parent in reversed(file.relative_to(fresh).parents):
            if fresh / parent not in folders:
                (fresh / parent).mkdir(mode=_FOLDER)
                folders.add(fresh / parent)
        _write(file, data, _FOLDER if mark.executable else _FILE, durable=durable)
    if durable:
        for made in folders:
            _sync(made)


def _write(file: Path, data: bytes, mode: int, *, durable: bool) -> None:
    with os.fdopen(os.open(file, _WRITE, mode), "wb") as opened:
        os.fchmod(opened.fileno(), mode)
        opened.write(data)
        opened.flush()
        if durable:
            os.fsync(opened.fileno())


def _appear(fresh: Path, folder: Path) -> None:
    try:
        fresh.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise  # else somebody else made the same copy, and whoever uses it looks at it


def _sync(folder: Path) -> None:
    handle = os.open(folder, _OPEN_FOLDER)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def removed(path: Path) -> None:
    """Take it away as far as it is there. Raises OSError."""
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return
    import shutil

    shutil.rmtree(path)


def glance_at(folder: Path) -> str:
    """What a look at every name below tells without opening one: two are equal when nothing was
    written, replaced, moved or given away in between. "" when that cannot be told."""
    seen: list[tuple[str, tuple[int | str, ...]]] = []
    try:
        for path, status in _below(str(folder)):
            seen.append((path, glance_of(status)))
            if len(seen) > _ENTRIES_MOST:
                return ""
        return digest(msgspec.json.encode(sorted(seen)))
    except (OSError, ValueError):  # a name that is no text is none of ours
        return ""


def _below(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    yield folder, os.lstat(folder)
    with os.scandir(folder) as entries:
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                yield from _below(entry.path)
            else:
                yield entry.path, status


def _changed(package: AddonPackage) -> LoaderError:
    return LoaderError(
        LoaderErrorKind.UNREADABLE,
        package.path,
        "it changed while it was copied",
        hint="try again when nothing writes there",
    )
