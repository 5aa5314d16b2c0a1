"""Reading a log file: every entry that can be read, and what could not be, named.

Never raises for what the file contains. The scan holds one chunk and one line at a time; a line
over the limit is passed over without being loaded.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator

from msgspec import Struct

from induscode.session.entries import Entry, Quarantine
from induscode.session.line import LINE_LIMIT, read_line
from induscode.session.pause import collector_paused

__all__ = ["Damage", "Scan", "scan"]

_CHUNK = 1024 * 1024


class Damage(Struct, frozen=True):
    """A stretch of the file that holds no readable entry, or (length 0) entries that are gone."""

    offset: int
    length: int
    after_seq: int
    reason: str
    sha256: str = ""


class Scan(Struct):
    """`end` is the offset behind the last complete line; `torn` how many bytes follow it."""

    entries: list[Entry]
    damages: list[Damage]
    end: int
    torn: int

    def unreported(self) -> list[Damage]:
        """Damage that no quarantine entry names yet."""
        named = {(e.offset, e.length) for e in self.entries if isinstance(e, Quarantine)}
        return [damage for damage in self.damages if (damage.offset, damage.length) not in named]


def scan(handle: int) -> Scan:
    """Read the whole file behind a descriptor, from its beginning."""
    with collector_paused():
        return _scan(handle)


def _scan(handle: int) -> Scan:
    entries: list[Entry] = []
    damages: list[Damage] = []
    last_seq = 0
    end = 0
    torn = 0
    for offset, length, line in _lines(handle):
        if line is None and length < 0:
            torn = -length
            break
        found = "longer than any entry" if line is None else read_line(line)
        end = offset + length + 1
        if not isinstance(found, str) and found.seq == last_seq + 1:  # nearly always
            last_seq = found.seq
            entries.append(found)
            continue
        if not isinstance(found, str) and found.seq <= last_seq:
            found = f"its number {found.seq} was already used"
        if isinstance(found, str):
            _note(damages, Damage(offset, length + 1, last_seq, found))
            continue
        if not (damages and damages[-1].after_seq == last_seq):
            missing = found.seq - last_seq - 1
            reason = f"{missing} entries before number {found.seq} are missing"
            damages.append(Damage(offset, 0, last_seq, reason))
        last_seq = found.seq
        entries.append(found)
    return Scan(entries, [_with_digest(handle, damage) for damage in damages], end, torn)


def _note(damages: list[Damage], damage: Damage) -> None:
    """Record damage, joined to the stretch right before it."""
    previous = damages[-1] if damages else None
    if previous and previous.length and previous.offset + previous.length == damage.offset:
        damages[-1] = Damage(
            previous.offset, previous.length + damage.length, previous.after_seq, previous.reason
        )
    else:
        damages.append(damage)


def _lines(handle: int) -> Iterator[tuple[int, int, bytes | None]]:
    """Offset, length and bytes of each line; None for one over the limit; at last, if the file
    does not end in a newline, one item with the negative length of what follows."""
    position = 0
    start = 0
    carry = b""
    skipped = 0
    while chunk := os.pread(handle, _CHUNK, position):
        position += len(chunk)
        pieces = chunk.split(b"\n")
        for piece in pieces[:-1]:
            if skipped:
                yield start, skipped + len(piece), None
                start += skipped + len(piece) + 1
            else:
                line = carry + piece if carry else piece
                yield start, len(line), line
                start += len(line) + 1
            carry, skipped = b"", 0
        if skipped:
            skipped += len(pieces[-1])
        elif len(carry) + len(pieces[-1]) > LINE_LIMIT:
            carry, skipped = b"", len(carry) + len(pieces[-1])
        else:
            carry = carry + pieces[-1] if carry else pieces[-1]
    rest = skipped or len(carry)
    if rest:
        yield start, -rest, None


def _with_digest(handle: int, damage: Damage) -> Damage:
    total = hashlib.sha256()
    position, stop = damage.offset, damage.offset + damage.length
    while position < stop:
        chunk = os.pread(handle, min(_CHUNK, stop - position), position)
        if not chunk:
            break
        total.update(chunk)
        position += len(chunk)
    return Damage(damage.offset, damage.length, damage.after_seq, damage.reason, total.hexdigest())
