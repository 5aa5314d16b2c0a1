"""The events of a workspace on disk: one file, appended to by every session there.

A change is made under a lock, on top of what other processes wrote, and is on disk when `record`
returns. What a crash tore off the end is kept beside the file and cut; a damaged line is passed
over and told. Opening never fails: with a file that cannot be used there is an empty ledger, the
reason, and `record` refuses.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from induscode.capability_deck.bridge_ledger.events import LedgerEvent
from induscode.capability_deck.bridge_ledger.ledger import BridgeLedger
from induscode.capability_deck.bridge_ledger.limits import LINE_BYTES, LOCK_SECONDS
from induscode.capability_deck.bridge_ledger.lines import LineBook
from induscode.errors import LogDown
from induscode.policy.file_lock import lock_within

__all__ = ["LedgerStore", "OpenReport"]

_CHUNK = 1024 * 1024
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_HELD = f"another process has been writing for over {LOCK_SECONDS:g} s"


class OpenReport(Struct, frozen=True):
    """What opening found. `whole` is False when decisions may be missing from the ledger: then
    nothing counts as seen for the first time. `sentences` are for the person."""

    whole: bool = True
    sentences: tuple[str, ...] = ()


class _Reading(Struct):
    """What reading from an offset gave: `end` is behind the last whole line."""

    events: list[LedgerEvent]
    damages: list[str]
    end: int
    torn: int = 0


class LedgerStore:
    """`ledger` is what this process knows; `record` and `refresh` take in what others wrote."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ledger = BridgeLedger.empty()
        self._book = LineBook()
        self._end = 0
        self._inode = 0

    @classmethod
    def open(cls, path: Path) -> tuple[LedgerStore, OpenReport]:
        """Never raises. Nothing is created before the first `record`."""
        store = cls(path)
        return store, store.refresh()

    def refresh(self) -> OpenReport:
        """Take in what other processes wrote. Never raises."""
        try:
            with self._opened(create=False) as handle:
                return self._caught_up(handle)
        except FileNotFoundError:
            return OpenReport()
        except OSError as error:
            return OpenReport(
                whole=False,
                sentences=(f"the ledger of MCP tools cannot be used: {_said(self.path, error)}",),
            )

    def record(self, change: Callable[[BridgeLedger], BridgeLedger]) -> BridgeLedger:
        """Apply a transition to the newest state and return the ledger that is on disk then. A
        change that records nothing writes nothing. Raises `LogDown`; nothing was recorded then."""
        try:
            with self._opened(create=True) as handle:
                self._caught_up(handle)
                changed = change(self.ledger)
                fresh = changed.log[len(self.ledger.log) :]
                if fresh:
                    self._append(handle, b"".join(map(self._book.encode, fresh)))
        except OSError as error:
            raise LogDown(
                f"the ledger of MCP tools cannot be written: {_said(self.path, error)}",
                hint="free space or fix permissions, then try again",
            ) from error
        for event in fresh:
            self._book.wrote(event)
        self.ledger = changed
        return changed

    @contextmanager
    def _opened(self, *, create: bool) -> Generator[int]:
        """The locked file. A new descriptor each time: after a failed sync an old one would claim
        that all is well."""
        flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        if create:
            _make_folder(self.path.parent)
            flags |= os.O_CREAT
        handle = os.open(self.path, flags, 0o600)
        try:
            _check_ours(handle)
            lock_within(handle, LOCK_SECONDS, _HELD)
            yield handle
        finally:
            os.close(handle)

    def _caught_up(self, handle: int) -> OpenReport:
        status = os.fstat(handle)
        if status.st_ino != self._inode or status.st_size < self._end:
            self._book.forget_file()
            self.ledger, self._end = BridgeLedger.empty(), 0
            self._inode = status.st_ino
        found = self._read(handle)
        self._end = found.end
        self.ledger = self.ledger.extended(found.events)
        sentences = _told(self.path, found.damages)
        if found.torn:
            kept = _set_aside(self.path, handle, found.end)
            sentences.append(
                f"the ledger of MCP tools ended in the middle of an event: {found.torn} bytes"
                f" cut off, kept in {kept}"
            )
        return OpenReport(whole=not found.damages, sentences=tuple(sentences))

    def _read(self, handle: int) -> _Reading:
        found = _Reading([], [], self._end)
        for offset, length, line in _lines(handle, self._end):
            if length < 0:
                found.torn = -length
                break
            event = "it is longer than any event" if line is None else self._book.read(line)
            if isinstance(event, str):
                found.damages.append(f"{length} bytes at {offset} hold no event: {event}")
            else:
                found.events.append(event)
            found.end = offset + length + 1
        return found

    def _append(self, handle: int, data: bytes) -> None:
        """Whole lines on disk, or none and OSError."""
        try:
            view, offset = memoryview(data), self._end
            while view:
                count = os.pwrite(handle, view, offset)
                view, offset = view[count:], offset + count
            os.fsync(handle)
            if self._end == 0:
                _sync_folder(self.path.parent)
        except OSError:
            with contextlib.suppress(OSError):  # a later reader takes a torn line for what it is
                os.ftruncate(handle, self._end)
            raise
        self._end = offset


def _lines(handle: int, start: int) -> Iterator[tuple[int, int, bytes | None]]:
    """Offset, length and bytes of each line from `start` on; None for one over the limit; at last,
    where the file does not end in a newline, one with the negative length of what follows."""
    position, carry, skipped = start, b"", 0
    while chunk := os.pread(handle, _CHUNK, position):
        position += len(chunk)
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            length = skipped + len(carry) + len(piece)
            yield start, length, None if skipped or length > LINE_BYTES else carry + piece
            start, carry, skipped = start + length + 1, b"", 0
        carry += rest
        if len(carry) > LINE_BYTES:
            carry, skipped = b"", skipped + len(carry)
    if skipped or carry:
        yield start, -(skipped + len(carry)), None


def _told(path: Path, damages: list[str]) -> list[str]:
    if not damages:
        return []
    more = f" and {len(damages) - 1} more" if len(damages) > 1 else ""
    what = f"the ledger of MCP tools is damaged: {path}: {damages[0]}{more}"
    return [f"{what}; the rest of it counts, and what is met for the first time is not approved"]


def _check_ours(handle: int) -> None:
    """What the user approved is in this file: nobody else may have written it."""
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is not a regular file")
    if status.st_uid != os.geteuid():
        raise OSError("somebody else owns it; remove it, or make it yours")
    if status.st_mode & _OTHERS_WRITE:
        raise OSError("others may write it; remove it, or run chmod 600 if they did not")


def _set_aside(path: Path, handle: int, end: int) -> str:
    """Copy what follows the last whole line beside the file, and then cut it off. Raises
    OSError."""
    kept, count = path.with_name(f"{path.name}.torn-{end}"), 1
    while os.path.lexists(kept):
        count += 1
        kept = path.with_name(f"{path.name}.torn-{end}-{count}")
    out = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        position = end
        while chunk := os.pread(handle, _CHUNK, position):
            position += os.write(out, chunk)
        os.fsync(out)
    except OSError:
        kept.unlink(missing_ok=True)
        raise
    finally:
        os.close(out)
    _sync_folder(path.parent)
    os.ftruncate(handle, end)
    os.fsync(handle)
    return kept.name


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True, mode=0o700)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _said(path: Path, error: OSError) -> str:
    return f"{path}: {error.strerror or error}"
