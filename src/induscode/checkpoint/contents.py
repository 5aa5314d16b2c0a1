"""Bytes kept by their sha256, outside the workspace, exactly as they were.

`<data>/checkpoints/<workspace>/ab/cdef…` holds what entries name. What might be needed by the end
of a step is *held* in a folder of the running session beside it, and is gone with the session;
`keep` moves it to where it stays. Secrets are not taken out: what is put back must be what was
there. Folders are 0700, files 0600.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from induscode.checkpoint.limits import SYNC_EACH
from induscode.kernel.jsontext import digest
from induscode.session.blobs import durable_directory, sync_directory

__all__ = ["ContentStore", "Held", "MissingContent"]

_NAME = re.compile(r"[0-9a-f]{64}\Z")
_HELD = "held-"


class MissingContent(LookupError):
    """What an entry names is gone or altered."""


class ContentStore:
    """What the sessions of one workspace keep."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, sha256: str) -> Path:
        """Where this content is, or would be. Raises `MissingContent` for what is no digest."""
        if not _NAME.match(sha256):
            raise MissingContent("no copy was kept")
        return self.root / sha256[:2] / sha256[2:]

    def has(self, sha256: str) -> bool:
        try:
            return self.path(sha256).is_file()
        except MissingContent:
            return False

    def get(self, sha256: str) -> bytes:
        """The content, verified. Raises `MissingContent`."""
        place = self.path(sha256)
        try:
            data = place.read_bytes()
        except OSError as error:
            raise MissingContent(f"its copy cannot be read: {error.strerror}") from error
        if digest(data) != sha256:
            raise MissingContent("its copy was altered")
        return data

    def put(self, data: bytes) -> str:
        """Keep `data`; durable after `settle`. Raises OSError."""
        sha256 = digest(data)
        place = self.path(sha256)
        if not place.is_file():
            durable_directory(place.parent)
            _write(place, data)
        return sha256

    def settle(self, kept: Iterable[str]) -> None:
        """Return when these contents are on disk. Raises OSError."""
        places = [self.path(sha256) for sha256 in set(kept)]
        if len(places) > SYNC_EACH:
            os.sync()
            return
        for place in places:
            handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        for folder in {place.parent for place in places}:
            sync_directory(folder)

    def adopt(self, place: Path, sha256: str) -> None:
        """Move a file that holds this content to where it stays. Raises OSError."""
        target = self.path(sha256)
        if not target.is_file():
            durable_directory(target.parent)
            place.replace(target)


class Held:
    """Copies for the time of one run. Its folder is locked: one that nobody locks belongs to a run
    that died, and is removed by the next."""

    def __init__(self, store: ContentStore, session: str) -> None:
        self._store = store
        self._folder = store.root / f"{_HELD}{session}-{os.getpid()}"
        self._lock = -1
        self._sizes: dict[str, int] = {}

    @property
    def total(self) -> int:
        return sum(self._sizes.values())

    def has(self, sha256: str) -> bool:
        return sha256 in self._sizes or self._store.has(sha256)

    def put(self, data: bytes) -> str:
        """Raises OSError."""
        sha256 = digest(data)
        if not self.has(sha256):
            self._ready()
            _fill(self._folder / sha256, data)
            self._sizes[sha256] = len(data)
        return sha256

    def keep(self, sha256: str) -> bool:
        """Move it to the store; False when it is not there any more. Raises OSError."""
        if self._sizes.pop(sha256, None) is not None:
            try:
                self._store.adopt(self._folder / sha256, sha256)
            except FileNotFoundError:
                return False
        return self._store.has(sha256)

    def only(self, wanted: set[str]) -> None:
        """Let go of everything else."""
        for sha256 in [one for one in self._sizes if one not in wanted]:
            del self._sizes[sha256]
            (self._folder / sha256).unlink(missing_ok=True)

    def close(self) -> None:
        if self._lock >= 0:
            shutil.rmtree(self._folder, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1
        self._sizes.clear()

    def _ready(self) -> None:
        if self._lock >= 0:
            return
        durable_directory(self._store.root)
        _sweep(self._store.root)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._lock = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sweep(root: Path) -> None:
    """Remove what dead runs held."""
    for folder in root.glob(f"{_HELD}*"):
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(handle)


def _write(place: Path, data: bytes) -> None:
    """The whole content under its name, or nothing."""
    temporary = place.with_name(f"{place.name}.{os.getpid()}.tmp")
    _fill(temporary, data)
    temporary.replace(place)


def _fill(place: Path, data: bytes) -> None:
    """Raises OSError, and then there is no such file."""
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
    except OSError:
        place.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)
