"""A session's log in the hands of its one writer.

Appending stamps entries (seq, id, parent, time), writes whole lines, and tells the folds that
follow the log. Opening reads everything that can be read, keeps a torn tail beside the file and
cuts it off, and appends a quarantine entry for each damaged stretch. Opening fails only when
another process holds the session or the system refuses the file.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from enum import Enum
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.errors import LogCorrupt, LogDown
from induscode.kernel.clock import Clock, iso
from induscode.kernel.ids import IdMint
from induscode.kernel.scrubbing import Scrubber
from induscode.session.entries import Entry, KnownEntry
from induscode.session.line import LINE_LIMIT, encode_line
from induscode.session.logfile import LogFile
from induscode.session.pause import collector_paused
from induscode.session.reader import Damage, Scan, scan
from induscode.session.salvage import free_name, quarantine_of, set_aside
from induscode.session.scrub import scrub_entry
from induscode.session.tree import path_to

__all__ = ["Durability", "OpenReport", "SessionLog", "read_only"]

_HOST = "builtin:session"


class Durability(Enum):
    """WRITTEN survives the death of this process; COMMITTED also that of the machine."""

    WRITTEN = "written"
    COMMITTED = "committed"


class OpenReport(Struct, frozen=True):
    """What opening found and did; `sentences` is for the person."""

    damages: tuple[Damage, ...] = ()
    torn_bytes: int = 0
    torn_file: str = ""

    def sentences(self) -> list[str]:
        lines: list[str] = []
        if self.torn_bytes:
            kept = f", kept in {self.torn_file}" if self.torn_file else ""
            lines.append(
                f"the log ended in the middle of an entry: {self.torn_bytes} bytes cut off{kept}"
            )
        for damage in self.damages:
            what = f"{damage.length} bytes at {damage.offset}" if damage.length else "a gap"
            lines.append(
                f"the log is damaged after entry {damage.after_seq} ({what}: {damage.reason});"
                " the rest stays readable"
            )
        return lines


class SessionLog:
    """The append-only list of entries, on disk and in memory.

    `follow` hands a fold every entry on the live branch, past and future, in order. With a
    `scrubber`, no secret that it knows gets into an entry, on disk or in memory.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock,
        mint: IdMint,
        entries: list[Entry],
        file: LogFile | None,
        scrubber: Scrubber | None = None,
    ) -> None:
        self.path = path
        self._scrubber = scrubber
        self.entries = entries
        self._clock = clock
        self._mint = mint
        self._file = file
        self._seq = entries[-1].seq if entries else 0
        self._head = entries[-1].id if entries else ""
        self._followers: list[Callable[[Entry], None]] = []
        self._mends: list[Callable[[], None]] = []

    @classmethod
    def create(
        cls, path: Path, clock: Clock, mint: IdMint, *, scrubber: Scrubber | None = None
    ) -> SessionLog:
        """A new log. Nothing is on disk before the first append."""
        return cls(path, clock, mint, [], None, scrubber)

    @classmethod
    def open(
        cls, path: Path, clock: Clock, mint: IdMint, *, scrubber: Scrubber | None = None
    ) -> tuple[SessionLog, OpenReport]:
        """Lock, then read, then cut the tail. Raises `SessionBusy` or OSError, nothing else.

        When the disk does not let us put the tail aside or record the damage, the log is readable
        at once, and mended before the first append.
        """
        handle = LogFile.lock(path)
        try:
            found = scan(handle)
        except OSError:
            os.close(handle)
            raise
        fresh = tuple(found.unreported())
        file = LogFile(path, handle, found.end)
        log = cls(path, clock, mint, found.entries, file, scrubber)
        kept = free_name(path, found.end) if found.torn else None
        if kept is not None:
            log._mends.append(lambda: set_aside(kept, handle, file))
        if fresh:
            log._mends.append(lambda: log._quarantine(fresh))
        with contextlib.suppress(LogDown):
            log._mended()
        return log, OpenReport(fresh, found.torn, kept.name if kept else "")

    @property
    def session(self) -> str:
        return self.path.stem

    @property
    def head(self) -> str:
        return self._head

    @property
    def unsynced(self) -> bool:
        return self._file is not None and self._file.unsynced

    def append(
        self,
        *entries: KnownEntry,
        by: str = "",
        durability: Durability = Durability.WRITTEN,
    ) -> tuple[KnownEntry, ...]:
        """Record entries in order, all or none, and return them as recorded.

        `by` fills in the producer of those that name none; an entry with an id of `new_id` keeps
        it. Raises `LogDown` when the disk does not take them, or (COMMITTED) cannot make them
        durable; nothing was recorded then. Raises `LogCorrupt` for an entry that could not be read
        again.
        """
        self._mended()
        at = iso(self._clock.now_ms())
        stamped: list[KnownEntry] = []
        head, seq = self._head, self._seq
        lines: list[bytes] = []
        for entry in entries:
            seq += 1
            recorded = msgspec.structs.replace(
                entry,
                seq=seq,
                id=entry.id or self._mint.mint(),
                parent=head,
                at=at,
                by=entry.by or by,
            )
            line = _checked_line(recorded)
            if self._scrubber is not None and self._scrubber.touches(line):
                recorded = scrub_entry(recorded, self._scrubber)
                line = _checked_line(recorded)
            lines.append(line)
            stamped.append(recorded)
            head = recorded.id
        if self._file is None:
            self._file = LogFile.create(self.path)
        self._file.append(b"".join(lines))
        if durability is Durability.COMMITTED:
            try:
                self._file.sync()
            except LogDown:
                self._file.take_back()
                raise
        self._head, self._seq = head, seq
        self.entries.extend(stamped)
        for entry in stamped:
            for follower in self._followers:
                follower(entry)
        return tuple(stamped)

    def new_id(self) -> str:
        """An id for an entry that another names, which is recorded in one go with it."""
        return self._mint.mint()

    def sync(self) -> None:
        """Return when all that was appended is on disk. Raises `LogDown`."""
        if self._file is not None:
            self._file.sync()

    def branch(self, at: str) -> None:
        """Let the next entry follow the entry `at` instead of the last one. Folds that followed
        the old branch are let go: follow anew after the next append."""
        self._head = at
        self._followers.clear()

    def follow(self, *folds: Callable[[Entry], None]) -> None:
        with collector_paused():
            for entry in self.path_entries():
                for fold in folds:
                    fold(entry)
        self._followers.extend(folds)

    def path_entries(self) -> list[Entry]:
        return path_to(self.entries, len(self.entries) - 1)

    def _mended(self) -> None:
        """Finish what opening could not, each step once. Raises `LogDown`."""
        while self._mends:
            steps, self._mends = self._mends, []
            try:
                steps[0]()
            except OSError as error:
                self._mends = steps
                raise LogDown(
                    f"the damaged log cannot be put right: {error.strerror or error}",
                    hint="free space or fix permissions, then resume",
                ) from error
            except LogDown:
                self._mends = steps
                raise
            self._mends = steps[1:]

    def _quarantine(self, damages: tuple[Damage, ...]) -> None:
        named = [quarantine_of(damage) for damage in damages]
        self.append(*named, by=_HOST, durability=Durability.COMMITTED)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def read_only(path: Path) -> Scan:
    """Read a log without locking, cutting or appending anything; raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return scan(handle)
    finally:
        os.close(handle)


def _checked_line(entry: KnownEntry) -> bytes:
    try:
        line = encode_line(entry)
    except (ValueError, RecursionError) as error:
        raise LogCorrupt(f"an entry cannot be written: {error}") from error
    if len(line) > LINE_LIMIT:
        raise LogCorrupt(f"an entry of {len(line)} bytes is over the limit of {LINE_LIMIT}")
    return line
