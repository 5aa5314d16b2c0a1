"""Which files' texts the conversation has been given as notices: a fold of those notices.

A text that a file stands behind is put in front of the model once, and again only when the file
says something else; the newest is then the one that survives compaction. Resume and fork fold it
again from the log, and a rewind forgets what it goes back behind.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from induscode.kernel.jsontext import digest
from induscode.session.entries import KEPT, Notice

__all__ = ["Noticed"]


class _Last(Struct, frozen=True):
    entry: str
    sha256: str
    visible: bool


class Noticed:
    """What each producer last noticed of each file that its notice begins with."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], _Last] = {}

    def add(self, entry: Notice) -> str:
        """The entry that this one takes the place of, "" when there is none."""
        key = _key(entry)
        if key is None:
            return ""
        before = self._last.get(key)
        self._last[key] = _Last(entry.id, _sha256(entry), entry.only != KEPT)
        return before.entry if before is not None else ""

    def condensed(self, pinned: Iterable[str]) -> None:
        """After a compaction the model sees these, and nothing else of before."""
        names = set(pinned)
        for key, last in list(self._last.items()):
            if last.entry in names:
                self._last[key] = _Last(last.entry, last.sha256, visible=True)
            elif last.visible:
                del self._last[key]

    def has(self, notice: Notice) -> bool:
        """Whether there is no need for it: the same text is there, and where the model sees it if
        that is what the notice is for."""
        key = _key(notice)
        last = self._last.get(key) if key is not None else None
        if last is None or last.sha256 != _sha256(notice):
            return False
        return last.visible or notice.only == KEPT


def _key(notice: Notice) -> tuple[str, str] | None:
    if notice.only not in {"", KEPT} or not notice.parts or not notice.parts[0].file:
        return None
    return notice.by, notice.parts[0].file


def _sha256(notice: Notice) -> str:
    return digest(notice.text.encode())
