"""What a rewind would do to files: a fold of the checkpoints since a moment, held against the disk.

A path goes back to what it was before the first step after that moment that changed it. It does so
only if it is now as the last step left it, and if every step found it as the one before left it:
otherwise the person changed it in between, and it stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from induscode.checkpoint.anchor import names_in
from induscode.checkpoint.contents import ContentStore
from induscode.checkpoint.states import path_of, see, shown
from induscode.session.entries import Checkpoint, Entry, Interrupted
from induscode.session.file_states import FileState, Unrestorable, same

__all__ = ["Conflict", "Plan", "Restore", "plan_files"]

_CHANGED = "it was changed since, and not by this session"
_BETWEEN = "it was changed between two steps, and not by this session"


class Restore(Struct, frozen=True):
    """A path to be brought from `now` to `target`. `data` is what is there now, to be kept."""

    path: str
    now: FileState
    target: FileState
    data: bytes | None = None


class Conflict(Struct, frozen=True):
    """A path that stays as it is."""

    path: str
    reason: str
    now: FileState
    target: FileState


class Plan(Struct, frozen=True):
    """`unrestorable` is what no copy exists of; `interrupted` are tools of steps that ended with
    the process, so that nobody knows what they changed."""

    restore: tuple[Restore, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    unrestorable: tuple[Unrestorable, ...] = ()
    interrupted: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.conflicts and not self.unrestorable and not self.interrupted


class _Story(Struct):
    """What the steps did to one path: as the first found it, as the last left it."""

    first: FileState
    last: FileState
    whole: bool = True


def plan_files(entries: Sequence[Entry], seq: int, root: Path, store: ContentStore) -> Plan:
    """How to bring the files to where they were when the log had `seq` entries. Reads only."""
    later = [entry for entry in entries if entry.seq > seq]
    stories = _stories(later)
    gaps = {gap.path: gap for e in later if isinstance(e, Checkpoint) for gap in e.unrestorable}
    draft = _Draft(root, store, gaps)
    for path, story in stories.items():
        draft.add(path, story)
    draft.settle()
    touched = {shown(path) for path in stories}
    beyond = [gap for name, gap in gaps.items() if name not in touched]
    stopped = [e.tool for e in later if isinstance(e, Interrupted) and e.started]
    return Plan(
        restore=tuple(draft.restore.values()),
        conflicts=tuple(draft.conflicts.values()),
        unrestorable=(*draft.lost, *beyond),
        interrupted=tuple(stopped),
    )


def _stories(later: Iterable[Entry]) -> dict[str, _Story]:
    stories: dict[str, _Story] = {}
    for entry in later:
        if not isinstance(entry, Checkpoint):
            continue
        for change in entry.files:
            try:
                path = path_of(change, entry.root)
            except ValueError:
                continue  # nobody could have a file of this name
            story = stories.get(path)
            if story is None:
                stories[path] = _Story(change.before, change.after)
            else:
                story.whole = story.whole and same(story.last, change.before)
                story.last = change.after
    return stories


class _Draft:
    def __init__(self, root: Path, store: ContentStore, gaps: dict[str, Unrestorable]) -> None:
        self.restore: dict[str, Restore] = {}
        self.conflicts: dict[str, Conflict] = {}
        self.lost: list[Unrestorable] = []
        self._root = root
        self._store = store
        self._gaps = gaps

    def add(self, path: str, story: _Story) -> None:
        seen, target = see(self._root, path), story.first
        unknown = target.kind == "file" and not target.sha256
        if same(seen.state, target) and not unknown:
            return
        known = self._gaps.get(shown(path))
        if target.kind == "special" or (target.kind in {"file", "link"} and not self._has(target)):
            why = known.reason if known else "no copy of it is left"
            self.lost.append(Unrestorable(shown(path), why))
        elif not same(seen.state, story.last):
            self._conflict(path, _CHANGED, seen.state, target)
        elif not story.whole:
            self._conflict(path, _BETWEEN, seen.state, target)
        elif seen.state.kind == "file" and seen.data is None:
            why = f"it stays: {seen.why}, so that this could not be undone"
            self.lost.append(Unrestorable(shown(path), why))
        else:
            self.restore[path] = Restore(path, seen.state, target, seen.data)

    def settle(self) -> None:
        """Let what cannot be done give way until the rest can."""
        while self._step():
            continue

    def _step(self) -> bool:
        before = len(self.restore)
        for path in sorted(self.restore, key=_depth, reverse=True):
            item = self.restore[path]
            if item.now.kind == "dir" and item.target.kind != "dir":
                if not self._empties(path):
                    self._give_up(item, "it holds what this session did not make")
            elif item.target.kind != "absent" and not self._held_up(path):
                self._give_up(item, f"the folder {shown(path.rpartition('/')[0])} is gone")
        return len(self.restore) < before

    def _empties(self, folder: str) -> bool:
        """Whether a folder will be empty once everything else is done."""
        try:
            names = names_in(self._root, folder)
        except OSError:
            return False
        inner = (self.restore.get(f"{folder}/{name}") for name in names)
        return all(item is not None and item.target.kind == "absent" for item in inner)

    def _held_up(self, path: str) -> bool:
        """Whether the folder above `path` is, or will be, a folder."""
        above = path.rpartition("/")[0]
        if not above:
            return True
        item = self.restore.get(above)
        state = item.target if item else see(self._root, above).state
        return state.kind == "dir"

    def _give_up(self, item: Restore, why: str) -> None:
        del self.restore[item.path]
        self._conflict(item.path, why, item.now, item.target)

    def _conflict(self, path: str, why: str, now: FileState, target: FileState) -> None:
        self.conflicts[path] = Conflict(path, why, now, target)

    def _has(self, state: FileState) -> bool:
        return self._store.has(state.sha256)


def _depth(path: str) -> int:
    return path.count("/")
