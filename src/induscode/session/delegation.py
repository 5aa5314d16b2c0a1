"""How a session and the sessions it handed work to name each other.

Before a delegate begins, a `delegate` entry of its parent names the delegate's session, and the
first entry of that session names the parent and the call. What the delegate used stands in the
details of the call's result, so that the parent's totals are a fold of the parent's log alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from induscode.session.entries import Delegate, Entry, Interrupted, Result
from induscode.session.totals import Totals

__all__ = [
    "DELEGATE_FEATURE",
    "Delegated",
    "Ended",
    "delegate_behind",
    "delegates_of",
    "used_by_delegate",
]

DELEGATE_FEATURE = "builtin:delegate"
"""The feature whose tool hands work on."""

_KEY = "delegate"

Ended = Literal["done", "failed", "stopped", "late", "spent"]
"""How a delegate ended: `stopped` with its parent, `late` when its time was over, `spent` when a
budget was."""


class Delegated(Struct, frozen=True):
    """What became of a delegate, and what it used."""

    session: str
    agent: str
    ended: Ended
    used: Totals

    def details(self) -> dict[str, Any]:
        """As a result carries it."""
        return {_KEY: msgspec.to_builtins(self)}


def used_by_delegate(details: Mapping[str, Any] | None) -> Totals:
    """What the delegate of a call used, from the details of the call's result."""
    said = (details or {}).get(_KEY)
    if said is None:
        return Totals()
    try:
        return msgspec.convert(said, Delegated).used
    except msgspec.ValidationError:
        return Totals()


def delegates_of(entries: Iterable[Entry]) -> dict[str, str]:
    """The session behind each call that handed work on, in the order in which they began."""
    return {entry.call: entry.session for entry in entries if isinstance(entry, Delegate)}


def delegate_behind(entries: Iterable[Entry]) -> dict[str, str]:
    """The delegate's session by the id of the entry that told its parent how it ended."""
    entries = list(entries)
    sessions = delegates_of(entries)
    return {
        entry.id: sessions[entry.call]
        for entry in entries
        if isinstance(entry, Result | Interrupted) and entry.call in sessions
    }
