"""What came of a rewind, or would: for a person at a terminal and for programs."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from induscode.boot.commands.common import out
from induscode.channels.terminal import Ink, exact, safe
from induscode.checkpoint.contents import ContentStore, MissingContent
from induscode.checkpoint.plan import Conflict, Restore
from induscode.checkpoint.points import Point
from induscode.checkpoint.rewind import Done, Scope
from induscode.checkpoint.states import see, shown
from induscode.session.file_states import FileState
from induscode.tools.compare import unified

__all__ = ["RewindReport"]

_COMPARED = 200_000
_STATED = 200
_SCOPES = {"files": "files", "chat": "the conversation", "both": "conversation and files"}


class RewindReport(Struct, frozen=True):
    session: str
    point: Point
    scope: Scope
    done: Done
    root: Path
    store: ContentStore
    dry: bool

    def data(self) -> dict[str, Any]:
        plan, said = self.done.plan, self.point.before
        return {
            "session": self.session,
            "to": {"entry": self.point.entry, "input": said.number if said else None},
            "scope": self.scope,
            "dry_run": self.dry,
            "complete": self.done.complete,
            "files": [
                {
                    "path": shown(item.path),
                    "action": _action(item),
                    "before": to_builtins(item.now),
                    "after": to_builtins(item.target),
                }
                for item in self.done.restored
            ],
            "conflicts": [
                {
                    "path": shown(conflict.path),
                    "reason": conflict.reason,
                    "difference": self._difference(conflict),
                    "copy": self._copy(conflict.target),
                }
                for conflict in plan.conflicts
            ],
            "unrestorable": to_builtins([*plan.unrestorable, *self.done.failed]),
            "interrupted": list(plan.interrupted),
            "undo": self.done.undo,
        }

    def show(self, ink: Ink) -> None:
        said = self.point.before
        where = f'before input {said.number}, "{safe(said.words)}"' if said else "after that entry"
        verb = "would go back" if self.dry else "went back"
        out(f"{ink(self.session, 'bold')} {verb} to {where} ({_SCOPES[self.scope]})")
        if self.scope != "chat":
            self._show_files(ink)
        if not self.dry:
            out(f"to undo this: indus rewind {self.session} --to {self.done.undo}" + self._flag())

    def _flag(self) -> str:
        return "" if self.scope == "both" else f" --{self.scope}"

    def _show_files(self, ink: Ink) -> None:
        plan = self.done.plan
        if not self.done.restored:
            out("no file had to be put back" if self.done.complete else "no file was put back")
        many = len(self.done.restored) > _STATED
        for item in self.done.restored:
            stat = "" if many else self._stat(item)
            out(f"  {ink(_action(item).ljust(8), 'green')}  {exact(shown(item.path))}{stat}")
        for conflict in plan.conflicts:
            name = exact(shown(conflict.path))
            out(f"  {ink('conflict', 'yellow')}  {name}: {conflict.reason}; it stays as it is")
            self._show_conflict(conflict)
        for gap in (*plan.unrestorable, *self.done.failed):
            out(f"  {ink('not back', 'red')}  {exact(gap.path)}: {gap.reason}")
        for tool in plan.interrupted:
            out(f"  {ink('unknown ', 'red')}  {safe(tool)} was interrupted: what it changed stays")

    def _show_conflict(self, conflict: Conflict) -> None:
        for line in self._difference(conflict).splitlines():
            out(f"      {exact(line)}")
        copy = self._copy(conflict.target)
        if copy:
            out(f"      the earlier content, to take it by hand: {exact(copy)}")

    def _difference(self, conflict: Conflict) -> str:
        """From what is there to what would be put back; empty where that is not text."""
        now = see(self.root, conflict.path).data if conflict.now.kind == "file" else b""
        before, after = _text(now), _text(self._content(conflict.target))
        if before is None or after is None:
            return ""
        return unified(before, after, shown(conflict.path))

    def _copy(self, target: FileState) -> str:
        if target.kind != "file" or not self.store.has(target.sha256):
            return ""
        return str(self.store.path(target.sha256))

    def _content(self, target: FileState) -> bytes | None:
        if target.kind not in {"file", "link"}:
            return b""
        try:
            return self.store.get(target.sha256)
        except MissingContent:
            return None

    def _stat(self, item: Restore) -> str:
        before = _text(item.data if item.now.kind == "file" else b"")
        after = _text(self._content(item.target) if item.target.kind == "file" else b"")
        if before is None or after is None:
            return "  (not text)"
        if item.now.kind == item.target.kind and item.now.sha256 == item.target.sha256:
            return f"  ({item.now.mode:04o} to {item.target.mode:04o})"
        old, new = before.splitlines(), after.splitlines()
        codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        changed = [code for code in codes if code[0] != "equal"]
        gone = sum(code[2] - code[1] for code in changed)
        come = sum(code[4] - code[3] for code in changed)
        return f"  +{come} -{gone}" if gone or come else ""


def _action(item: Restore) -> str:
    if item.target.kind == "absent":
        return "removed"
    return "made" if item.now.kind == "absent" else "restored"


def _text(data: bytes | None) -> str | None:
    if data is None or len(data) > _COMPARED or b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
