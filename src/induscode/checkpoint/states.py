"""From a place on disk to what an entry says of it, and between names and text."""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path

from msgspec import Struct

from induscode.checkpoint.anchor import below, open_file, status_of
from induscode.checkpoint.limits import FILE_BYTES
from induscode.checkpoint.walk import Mark, mark_of
from induscode.kernel.jsontext import clean_text, digest
from induscode.session.file_states import FileChange, FileState

__all__ = ["Seen", "bare", "change_of", "path_of", "see", "shown", "too_large"]


class Seen(Struct, frozen=True):
    """What is at a path. `data` is the bytes of a file or of a link's target; None when there are
    none, or they could not be had: `why` says so. `mark` is None where nothing is."""

    state: FileState
    mark: Mark | None = None
    data: bytes | None = None
    why: str = ""


def see(root: Path, path: str) -> Seen:
    """Look at a path and read it. Never raises OSError: what cannot be read is said in `why`."""
    try:
        status = status_of(root, path)
        if status is None:
            return Seen(FileState())
        mark = mark_of(status)
        if mark.is_link:
            with below(root, path) as (folder, name):
                data = os.fsencode(os.readlink(name, dir_fd=folder))
            return Seen(_with(bare(mark), data), mark, data)
        return _see_file(root, path, mark) if mark.is_file else Seen(bare(mark), mark)
    except FileNotFoundError:
        return Seen(FileState())
    except OSError as error:
        why = f"it cannot be read: {error.strerror}"
        return Seen(FileState("special"), None, None, why)


def _see_file(root: Path, path: str, mark: Mark) -> Seen:
    if mark.size > FILE_BYTES:
        return Seen(bare(mark), mark, None, too_large(mark.size))
    try:
        descriptor = open_file(root, path)
    except FileNotFoundError:
        return Seen(FileState())
    except OSError as error:
        return Seen(bare(mark), mark, None, f"it cannot be read: {error.strerror}")
    with os.fdopen(descriptor, "rb") as file:
        mark = mark_of(os.fstat(file.fileno()))
        data = file.read(FILE_BYTES + 1)
    if len(data) > FILE_BYTES:
        return Seen(bare(mark), mark, None, too_large(len(data)))
    return Seen(_with(bare(mark), data), mark, data)


def bare(mark: Mark) -> FileState:
    """The state as far as a mark tells it: without a digest."""
    mode = stat.S_IMODE(mark.mode)
    if mark.is_dir:
        return FileState("dir", mode)
    if mark.is_file:
        return FileState("file", mode, size=mark.size)
    return FileState("link", size=mark.size) if mark.is_link else FileState("special")


def _with(state: FileState, data: bytes) -> FileState:
    return FileState(state.kind, state.mode, digest(data), len(data))


def too_large(size: int) -> str:
    limit = FILE_BYTES // 1024 // 1024
    return f"its {size / 1024 / 1024:.0f} MB are more than the {limit} MB that are kept of a file"


def change_of(path: str, before: FileState, after: FileState) -> FileChange:
    text, replaced = clean_text(path)
    raw = base64.b64encode(os.fsencode(path)).decode() if replaced else ""
    return FileChange(text, before, after, raw)


def path_of(change: FileChange, root: str = "") -> str:
    """The path as `change_of` was given it, absolute where it was relative to another `root`.
    Raises ValueError for one that cannot be a path."""
    path = os.fsdecode(base64.b64decode(change.raw, validate=True)) if change.raw else change.path
    parts = path.removeprefix("/").split("/")
    if "\0" in path or any(part in {"", ".", ".."} for part in parts):
        raise ValueError(f"{change.path!r} is not a path of a file")
    return path if path.startswith("/") or not root else f"{root.rstrip('/')}/{path}"


def shown(path: str) -> str:
    """The path as a text that can be written anywhere."""
    return clean_text(path)[0]
