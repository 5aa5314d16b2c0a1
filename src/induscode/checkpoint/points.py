"""Where a session can be taken back to: before one of its inputs, or right after any entry."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from induscode.errors import UsageError, UserError
from induscode.kernel.content import Text
from induscode.session.entries import Entry, Input
from induscode.session.tree import path_to

__all__ = ["Point", "Said", "find_point", "inputs_of"]

_WORDS = 60
_SHORT = 8
_LISTED = 12


class Said(Struct, frozen=True):
    """An input: its number among all of the log, its entry, and its first words. `live` says that
    it is on the branch that goes on."""

    number: int
    entry: Input
    words: str
    live: bool


class Point(Struct, frozen=True):
    """A moment of a session: right after the entry `entry`, when `seq` entries were in the log.
    `before` is the input that it lies before, if it was named so."""

    entry: str
    seq: int
    before: Said | None = None


def inputs_of(entries: Sequence[Entry]) -> list[Said]:
    """What the person said, on every branch, in the order of time. What was said while the agent
    worked belongs to the input before it."""
    live = {entry.id for entry in path_to(entries, len(entries) - 1)}
    said = [entry for entry in entries if isinstance(entry, Input) and not entry.steer]
    return [
        Said(number, entry, _words(entry), entry.id in live) for number, entry in enumerate(said, 1)
    ]


def find_point(entries: Sequence[Entry], wanted: str | None) -> Point:
    """`wanted` is the number of an input, or an entry's id or the end of one; None means before the
    last input of the live branch. Raises `UsageError` with what there is, or `UserError`."""
    said = inputs_of(entries)
    if wanted is None:
        live = [one for one in said if one.live]
        if not live:
            raise UserError("nothing was said yet in this session", hint="there is nothing to undo")
        return _before(live[-1], entries)
    for one in said:
        if wanted == str(one.number):
            return _before(one, entries)
    found = [entry for entry in entries if entry.id == wanted] or [
        entry for entry in entries if len(wanted) >= _SHORT and entry.id.endswith(wanted)
    ]
    if len(found) != 1:
        many = f"{len(found)} entries end in" if found else "there is no input or entry"
        raise UsageError(f"{many} {wanted!r}", hint=_known(said))
    return Point(found[0].id, found[0].seq)


def _before(said: Said, entries: Sequence[Entry]) -> Point:
    """The moment before an input. The entry that it follows may be on another branch of time."""
    parents = {entry.id for entry in entries}
    entry = said.entry
    if entry.parent in parents:
        return Point(entry.parent, entry.seq - 1, said)
    earlier = [other for other in entries if other.seq < entry.seq]
    if not earlier:
        raise UserError("the log holds nothing before this input", hint="choose a later one")
    return Point(earlier[-1].id, entry.seq - 1, said)


def _known(said: list[Said]) -> str:
    rows = [f"{one.number} ({one.words})" for one in said[-_LISTED:]]
    return f"inputs: {', '.join(rows)}; or give an entry's id" if rows else "nothing was said yet"


def _words(entry: Input) -> str:
    for block in entry.content:
        if isinstance(block, Text) and block.text.strip():
            line = block.text.strip().splitlines()[0]
            return line if len(line) <= _WORDS else f"{line[: _WORDS - 1]}…"
    return "…"
