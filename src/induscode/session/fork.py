"""A fork: a new, self-contained log that begins as a copy of a branch and names its origin.

Entries keep their ids, times and producers, so that whatever was said about them stays true; only
the first entry is new. Requests are copied too: the fork replays like its origin. What of the
origin cannot be read stays behind, and the fork says so in quarantine entries of its own.
"""

from __future__ import annotations

import bisect
from pathlib import Path

import msgspec

from induscode.errors import SessionNotFound
from induscode.kernel.clock import SystemClock, iso
from induscode.kernel.ids import IdMint
from induscode.session.entries import (
    FORMAT_VERSION,
    Entry,
    Foreign,
    Origin,
    Quarantine,
    SessionStart,
)
from induscode.session.line import encode_line
from induscode.session.log import read_only
from induscode.session.logfile import LogFile
from induscode.session.reader import Damage
from induscode.session.salvage import quarantine_of
from induscode.session.tree import path_to
from induscode.version import VERSION

__all__ = ["fork_log"]

_HOST = "builtin:session"


def fork_log(source: Path, target: Path, *, at: str = "") -> Path:
    """Write the branch of `source` that ends at entry `at` (default: its head) to `target`.

    The source is only read. Raises OSError, `LogDown`, or `SessionNotFound` for an unknown `at`.
    """
    found = read_only(source)
    entries = found.entries
    head = len(entries) - 1
    if at:
        head = next((index for index, entry in enumerate(entries) if entry.id == at), -1)
        if head < 0:
            raise SessionNotFound(
                f"session {source.stem} has no entry {at!r}",
                hint=f"see its entries with: indus why {source.stem}",
            )
    path = path_to(entries, head)
    last = path[-1].seq if path else 0
    lost = [damage for damage in found.unreported() if damage.after_seq < last]
    file = LogFile.create(target)
    try:
        file.append(b"".join(_copies(_completed(path, lost), source.stem, target.stem)))
        file.sync()
    finally:
        file.close()
    return target


def _completed(path: list[Entry], lost: list[Damage]) -> list[Entry]:
    """The branch with a first entry, if its own cannot be read, and with its losses named."""
    clock = SystemClock()
    mint, now = IdMint(clock), iso(clock.now_ms())
    complete = list(path)
    if not any(isinstance(entry, SessionStart) for entry in path):
        known_as = path[0].parent if path else ""
        start = SessionStart(format=FORMAT_VERSION, session="", workspace="", cwd="", indus=VERSION)
        complete.insert(
            0, msgspec.structs.replace(start, id=known_as or mint.mint(), at=now, by=_HOST)
        )
    complete.extend(
        msgspec.structs.replace(
            quarantine_of(damage), seq=path[-1].seq, id=mint.mint(), at=now, by=_HOST
        )
        for damage in lost
    )
    return complete


def _copies(path: list[Entry], origin: str, session: str) -> list[bytes]:
    lines: list[bytes] = []
    parent = ""
    last = path[-1].id if path else ""
    numbers = [entry.seq for entry in path]
    for seq, entry in enumerate(path, start=1):
        copy = entry
        match entry:
            case SessionStart():
                copy = msgspec.structs.replace(
                    entry, session=session, origin=Origin(origin, last), delegator=None
                )
            case Quarantine():
                # What is named here stayed behind; the copy still says from where on it is missing.
                after = bisect.bisect_right(numbers, entry.after_seq)
                copy = msgspec.structs.replace(entry, after_seq=after)
            case _:
                pass
        lines.append(_renumbered(copy, seq, parent))
        parent = entry.id
    return lines


def _renumbered(entry: Entry, seq: int, parent: str) -> bytes:
    if isinstance(entry, Foreign):
        fields = msgspec.json.decode(entry.fields, type=dict[str, msgspec.Raw])
        fields["seq"] = msgspec.Raw(b"%d" % seq)
        fields["parent"] = msgspec.Raw(msgspec.json.encode(parent))
        entry = msgspec.structs.replace(entry, fields=msgspec.Raw(msgspec.json.encode(fields)))
        return encode_line(entry)
    return encode_line(msgspec.structs.replace(entry, seq=seq, parent=parent))
