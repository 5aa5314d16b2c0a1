"""A rewind on the log: what will be done is recorded, then done, then told.

The entry with every path, as it is and as it will be, is on disk before the first file changes, and
the contents that it replaces are kept before that: so a rewind is a step like any other, and
another one undoes it. Going back in the conversation is a branch: the entry follows the one that is
gone back to, and nothing that was written is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from induscode.checkpoint.contents import ContentStore
from induscode.checkpoint.limits import FILES_PER_ENTRY, NAMED
from induscode.checkpoint.plan import Plan, Restore, plan_files
from induscode.checkpoint.points import Point
from induscode.checkpoint.restore import carry_out, sweep
from induscode.checkpoint.states import change_of, path_of, see, shown
from induscode.session.entries import Checkpoint, Entry, Notice
from induscode.session.file_states import (
    REWINDER,
    FileChange,
    Rewound,
    Unrestorable,
    same,
)
from induscode.session.log import Durability, SessionLog

__all__ = ["Done", "Scope", "finish_broken", "rewind"]

Scope = Literal["files", "chat", "both"]


class Done(Struct, frozen=True):
    """What came of a rewind. `undo` is the entry to which another one undoes it."""

    plan: Plan
    restored: tuple[Restore, ...]
    failed: tuple[Unrestorable, ...]
    undo: str

    @property
    def complete(self) -> bool:
        return self.plan.complete and not self.failed


def rewind(log: SessionLog, point: Point, scope: Scope, root: Path, store: ContentStore) -> Done:
    """Take the session back to `point`. Raises `LogDown` or OSError before any file is touched;
    afterwards only `LogDown`, and then the next open tells what came of it."""
    left = log.head
    plan = Plan() if scope == "chat" else plan_files(log.entries, point.seq, root, store)
    store.settle([store.put(item.data) for item in plan.restore if item.data is not None])
    mark = Rewound(to=point.entry, scope=scope, left=left)
    changes = [change_of(item.path, item.now, item.target) for item in plan.restore]
    opening = _entries(changes, mark)
    failed: dict[str, str] = {}
    if scope != "files":
        log.branch(point.entry)
    if changes:
        log.append(*opening, by=REWINDER, durability=Durability.COMMITTED)
        failed = carry_out(plan.restore, root, store)
        ends = _undone([change for change in changes if path_of(change) in failed], root)
        opening = _entries(ends, mark) if ends else []
    told = Notice(text=_told(scope, plan, failed))
    log.append(*opening, told, by=REWINDER, durability=Durability.COMMITTED)
    return Done(
        plan=plan,
        restored=tuple(item for item in plan.restore if item.path not in failed),
        failed=tuple(Unrestorable(shown(path), why) for path, why in failed.items()),
        undo=left,
    )


def finish_broken(log: SessionLog, root: Path) -> str:
    """Settle a rewind that ended with its process: record what came of it, tell the model, and
    return a sentence for the person; empty when there was none. Raises `LogDown`."""
    pending = _pending(log.entries)
    if not pending:
        return ""
    changes = [change for entry in pending for change in entry.files]
    sweep((path_of(change) for change in changes), root)
    missed = [c.path for c in changes if not same(see(root, path_of(c)).state, c.after)]
    ends = _undone(changes, root)
    mark = pending[0].rewind
    to = mark.to if mark else ""
    what = "all its files were put back"
    if missed:
        what = f"these files were not put back: {_listed(missed)}"
    told = f"[A rewind of files broke off half way; {what}.]"
    closing = _entries(ends, replace(mark, broken=True)) if ends and mark else []
    log.append(*closing, Notice(text=told), by=REWINDER, durability=Durability.COMMITTED)
    again = f"; to do it again: indus rewind {log.session} --files --to {to}" if missed else ""
    return f"a rewind of this session broke off half way: {what}{again}"


def _pending(entries: Sequence[Entry]) -> list[Checkpoint]:
    """The entries of a rewind that no notice of its end follows."""
    found: list[Checkpoint] = []
    for entry in reversed(entries):
        match entry:
            case Notice(by=by) if by == REWINDER:
                break
            case Checkpoint(rewind=mark) if mark is not None:
                found.append(entry)
            case Checkpoint():
                break  # steps were taken since: an end was told
            case _:
                continue
    return found[::-1]


def _undone(changes: list[FileChange], root: Path) -> list[FileChange]:
    """Corrections for what is still as it was, or only gone so far. Anything else that is not what
    was wanted was changed by somebody else: the log must not claim it."""
    found: list[FileChange] = []
    for change in changes:
        now = see(root, path_of(change)).state
        ours = same(now, change.before) or now.kind == "absent"
        if ours and not same(now, change.after):
            found.append(replace(change, before=change.after, after=now))
    return found


def _entries(files: list[FileChange], mark: Rewound) -> list[Checkpoint]:
    return [
        Checkpoint(files=files[start : start + FILES_PER_ENTRY], rewind=mark)
        for start in range(0, max(len(files), 1), FILES_PER_ENTRY)
    ]


def _told(scope: Scope, plan: Plan, failed: dict[str, str]) -> str:
    """What the model is told, in the place where the conversation goes on."""
    done = [item.path for item in plan.restore if item.path not in failed]
    stayed = [c.path for c in plan.conflicts] + [gap.path for gap in plan.unrestorable]
    stayed += list(failed)
    if scope == "chat":
        return (
            "[The user took the conversation back to this point. Files were not put back: what"
            " later steps changed is still there.]"
        )
    lead = (
        "The user took the conversation back to this point"
        if scope == "both"
        else "The user put files back to how they were earlier"
    )
    files = f"put back: {_listed(done)}" if done else "no file had to be put back"
    rest = f"; not put back: {_listed(stayed)}" if stayed else ""
    return f"[{lead}. Files {files}{rest}. Read a file again before relying on it.]"


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - NAMED
    return ", ".join(map(shown, paths[:NAMED])) + (f" and {more} more" if more > 0 else "")
