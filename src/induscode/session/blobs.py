"""Content kept once, by its sha256: prompts, tool sets, pictures, long texts.

A blob is durable before the entry that names it is written. Blobs are never changed; writing one
that exists costs a `stat`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from induscode.errors import LogDown
from induscode.kernel.jsontext import digest
from induscode.kernel.scrubbing import Scrubber

__all__ = ["BlobStore", "MissingBlob", "durable_directory", "sync_directory"]

_NAME = re.compile(r"[0-9a-f]{64}\Z")


class MissingBlob(LookupError):
    """The content that an entry names is gone or altered."""


class BlobStore:
    """A directory of blobs, `ab/cdef...` by digest, shared by all sessions of a home. With a
    `scrubber`, no secret that it knows gets into a blob."""

    def __init__(self, root: Path, scrubber: Scrubber | None = None) -> None:
        self._root = root
        self._scrubber = scrubber
        self._known: set[str] = set()

    def fit(self, data: bytes) -> bytes:
        """What `put` would store of `data`: whoever records a size or a digest asks first."""
        return data if self._scrubber is None else self._scrubber.data(data)

    def put(self, data: bytes) -> str:
        """Store what fits of `data` and return its digest. On return it is on disk. Raises
        `LogDown`."""
        data = self.fit(data)
        name = digest(data)
        if name in self._known:
            return name
        path = self._path(name)
        try:
            if not self._intact(path, data):
                self._write(path, data)
        except OSError as error:
            raise LogDown(
                f"cannot store session content: {error.strerror}: {path.parent}",
                hint="free space or fix permissions, then resume the session",
            ) from error
        self._known.add(name)
        return name

    def get(self, name: str) -> bytes:
        """The content, verified. Raises `MissingBlob`; `name` is from a log and may be anything."""
        if not _NAME.match(name):
            raise MissingBlob("a blob's name is no sha256")
        try:
            data = self._path(name).read_bytes()
        except OSError as error:
            raise MissingBlob(f"blob {name[:12]} cannot be read: {error.strerror}") from error
        if digest(data) != name:
            raise MissingBlob(f"blob {name[:12]} was altered")
        return data

    def _path(self, name: str) -> Path:
        return self._root / name[:2] / name[2:]

    @staticmethod
    def _intact(path: Path, data: bytes) -> bool:
        try:
            return path.stat().st_size == len(data) and path.read_bytes() == data
        except FileNotFoundError:
            return False

    @staticmethod
    def _write(path: Path, data: bytes) -> None:
        durable_directory(path.parent)
        temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            os.fdatasync(handle)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)
        temporary.replace(path)
        sync_directory(path.parent)


def durable_directory(path: Path) -> None:
    """Make `path` and the parents it lacks, each name synced in the folder that holds it."""
    if path.is_dir():
        return
    durable_directory(path.parent)
    path.mkdir(exist_ok=True, mode=0o700)
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make names created in `path` durable."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
