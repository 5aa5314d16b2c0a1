"""What joins a turn besides the person's words: texts of files, and what narrows the turn.

A command brings such with the input it makes; a call brings it by what it touched. Each text is in
the log before the model sees it, and there once, as long as its file says the same; what narrows a
turn is recorded before it is in force, and ends with the turn.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from induscode.conductor.ports import BoundTool, Emit, Permission, Touched
from induscode.conductor.recorder import Recorder
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.content import SaidBlock, Text
from induscode.kernel.events import Alert, Noticed
from induscode.kernel.jsontext import clean_text
from induscode.kernel.provenance import SourcePart, carried
from induscode.policy.subject import CallView
from induscode.session.entries import KEPT, Narrowing, Notice
from induscode.session.state import SessionState

__all__ = ["NOTHING", "Brought", "Joining"]


class Brought(Struct, frozen=True):
    """What a command brings into the turn that it begins: which files stand behind the input's
    text, the notices to be read before it, and what narrows the turn. Each entry names its
    producer."""

    parts: tuple[SourcePart, ...] = ()
    notices: tuple[Notice, ...] = ()
    narrowing: Narrowing | None = None


NOTHING = Brought()


class Joining:
    """Serves one session."""

    def __init__(
        self,
        recorder: Recorder,
        state: SessionState,
        permission: Permission,
        touched: Touched,
        emit: Emit,
        clock: Clock,
    ) -> None:
        self._recorder = recorder
        self._state = state
        self._permission = permission
        self._touched = touched
        self._emit = emit
        self._clock = clock
        self._told: set[str] = set()

    def notices(self, brought: Brought) -> list[Notice]:
        """Those of a command that the conversation does not have, fit to be recorded."""
        return self._new(brought.notices)

    def parts(self, said: Sequence[SaidBlock], brought: Brought) -> list[SourcePart]:
        """The parts of the first text that is said, as it will be recorded."""
        match said:
            case [Text(text), *_]:
                return self._encodable(carried(text, brought.parts, self._clean)[1])
            case _:
                return []

    def tell(self, notices: Sequence[Notice]) -> None:
        """These are on record; the person hears of those that the model sees."""
        for notice in notices:
            if notice.only != KEPT:
                self._emit(Noticed(text=notice.text, by=notice.by, at=self._now()))

    def narrow(self) -> None:
        """In force is what the log says of this turn."""
        for sentence in self._permission.narrow(self._state.narrowings):
            if sentence not in self._told:
                self._told.add(sentence)
                self._emit(Alert(text=sentence, at=self._now()))

    def end(self) -> None:
        """The turn is over."""
        self._permission.narrow(())
        self._told.clear()

    async def touched(self, tool: BoundTool, call: CallView) -> None:
        """A call went well: record what it brings along. Nothing happens between the look at what
        is there and the record, so that calls side by side do not bring the same thing twice."""
        joins = self._touched(tool, call)
        notices = self._new([entry for entry in joins if isinstance(entry, Notice)])
        narrowings = [
            entry for entry in joins if isinstance(entry, Narrowing) and not self._in_force(entry)
        ]
        if notices or narrowings:
            await self._recorder.write(*notices, *narrowings, by="", cancel=CancelToken())
            self.tell(notices)
        if narrowings:
            self.narrow()

    def _new(self, notices: Sequence[Notice]) -> list[Notice]:
        fit = [self._fit(notice) for notice in notices]
        return [notice for notice in fit if not self._state.noticed.has(notice)]

    def _fit(self, notice: Notice) -> Notice:
        text, parts = carried(notice.text, notice.parts, self._clean)
        if notice.parts and not parts:  # which file it was is still known, if not which words
            parts = (msgspec.structs.replace(notice.parts[0], start=len(text)),)
        return msgspec.structs.replace(notice, text=text, parts=self._encodable(parts))

    def _encodable(self, parts: Sequence[SourcePart]) -> list[SourcePart]:
        """A file's name may hold what no text can."""
        return [
            msgspec.structs.replace(
                part, file=self._clean(part.file), importer=self._clean(part.importer)
            )
            for part in parts
        ]

    def _in_force(self, entry: Narrowing) -> bool:
        same = (entry.by, entry.why, entry.rules)
        return any(same == (one.by, one.why, one.rules) for one in self._state.narrowings)

    def _clean(self, text: str) -> str:
        return clean_text(self._recorder.secrets.text(text))[0]

    def _now(self) -> str:
        return iso(self._clock.now_ms())
