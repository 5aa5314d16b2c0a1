"""Steps under watch: what a call changes in the workspace is recorded so that it can be undone.

Calls that cannot write do not come here. `write` and `edit` say themselves which file they are
about to change (`record`); for commands and for tools of others the whole workspace is looked at
before and after. Only what changed in between belongs to the step.

Watching never fails a call: what could not be kept is told to the person, at once, and recorded.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from induscode.checkpoint.anchor import status_of
from induscode.checkpoint.baseline import Baseline, Ground
from induscode.checkpoint.changes import Changed, Keeper, changed_paths
from induscode.checkpoint.contents import ContentStore, Held
from induscode.checkpoint.gitobjects import GitObjects
from induscode.checkpoint.limits import FILES_PER_ENTRY, NAMED, SESSION_BYTES
from induscode.checkpoint.states import Seen, see, shown
from induscode.kernel.jsontext import digest
from induscode.kernel.tool import ToolKind
from induscode.policy.places import inside
from induscode.policy.subject import CallView
from induscode.session.entries import Checkpoint
from induscode.session.file_states import REWINDER, FileChange, FileState, Unrestorable

__all__ = ["Checkpoints", "Scene"]

_LOOKED_OVER = frozenset({ToolKind.SHELL, ToolKind.FOREIGN, ToolKind.DELEGATE})


class Scene(Struct, frozen=True):
    """Where steps happen. `home` is the workspace where the session began. `own` are directories of
    this program; `environ` is what git finds; `settings` are files outside of the workspace that
    say how git treats files; `speakable` says that a path may stand in the log as it is; `tell`
    reaches the person; `spent` is how many bytes the session has kept so far."""

    workspace: Path
    home: Path
    session: str
    store: ContentStore
    environ: Mapping[str, str]
    tell: Callable[[str], None]
    own: tuple[Path, ...] = ()
    settings: tuple[Path, ...] = ()
    speakable: Callable[[str], bool] = lambda _: True
    spent: int = 0


class Checkpoints:
    """Watches the steps of one session; it is also where `write` and `edit` file their records."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._root = scene.workspace
        self._held = Held(scene.store, scene.session)
        objects = GitObjects(scene.workspace, scene.environ)
        self._ground = Ground(
            self._root, self._held, objects, own=scene.own, settings=scene.settings
        )
        self._keeper = Keeper(self._root, scene.store, self._held, objects, most=SESSION_BYTES)
        self._keeper.spent = scene.spent
        self._open: list[_Step] = []
        self._told: set[str] = set()
        self._lock = threading.Lock()

    async def begin(self, call: str, view: CallView) -> _Step:
        """To be called when nothing of the call has happened yet."""
        step = _Step(self, call, view.tool)
        if view.kind in _LOOKED_OVER:
            try:
                step.base = await asyncio.to_thread(self._look_before)
            except OSError as error:
                step.trouble = f"nothing can be kept: {error.strerror or error}"
            self._tell_limits(step)
        self._open.append(step)
        return step

    def record(self, path: Path, previous: bytes | None) -> None:
        """The file at this place is about to be changed by the step that runs. What is on disk is
        what counts, with its mode; `previous` stands in where it cannot be read."""
        if not self._open:
            return
        step = self._open[-1]
        name = self._name(path)
        if name in step.records:
            return
        if ".git" in name.split("/"):
            step.gaps.append(Unrestorable(shown(name), "it is git's own"))
            return
        for folder in self._missing(name):
            step.records.setdefault(folder, Seen(FileState()))
        with self._lock:
            seen = see(self._root, name)
            step.records[name] = _standing_in(seen, previous)

    async def close(self) -> None:
        """Let go of what was held in case that it was needed."""
        self._open.clear()
        await asyncio.to_thread(self._held.close)

    async def end(self, step: _Step) -> list[Checkpoint]:
        """The entries to record; none when nothing changed."""
        self._open.remove(step)
        if step.base is None and not step.records and not step.gaps and not step.trouble:
            return []
        try:
            changed = await asyncio.to_thread(self._look_after, step)
        except OSError as error:
            changed = Changed()
            step.trouble = f"nothing can be kept: {error.strerror or error}"
        files = [change for change in changed.files if self._scene.speakable(change.path)]
        gaps = [gap for gap in changed.gaps if self._scene.speakable(gap.path)]
        if len(files) < len(changed.files):
            gaps.append(Unrestorable("?", "a secret stands in the name of a file"))
        if step.trouble:
            gaps.append(Unrestorable("./", step.trouble))
        if gaps:
            self._scene.tell(f"what {step.tool} just changed cannot be put back: {_listed(gaps)}")
        root = "" if self._scene.home == self._root else shown(str(self._root))
        return _entries(step, files, [*step.gaps, *gaps], root)

    def _look_before(self) -> Baseline:
        with self._lock:
            return self._ground.baseline(alone=not self._open)

    def _look_after(self, step: _Step) -> Changed:
        with self._lock:
            changed = self._keeper.of_records(step.records)
            if step.base is None:
                return changed
            paths = set(changed_paths(step.base, self._ground.look()))
            more = self._keeper.of_baseline(paths - step.records.keys(), step.base)
            for other in self._open:  # delegates run side by side: each change is recorded once
                if other.base is not None:
                    self._ground.refresh(other.base, paths)
            return Changed(changed.files + more.files, changed.gaps + more.gaps)

    def _tell_limits(self, step: _Step) -> None:
        """What a step could destroy for good is said before it begins, and once per session."""
        if step.base is None:
            return
        left = step.base.look.left.items()
        gaps = [Unrestorable(shown(path) + "/" if path else "./", why) for path, why in left]
        gaps += [
            Unrestorable(shown(path), source.why)
            for path, source in step.base.sources.items()
            if source.why
        ]
        fresh = [gap for gap in gaps if gap.path not in self._told]
        self._told.update(gap.path for gap in fresh)
        step.gaps = [gap for gap in fresh if self._scene.speakable(gap.path)]
        if fresh:
            self._scene.tell(
                f"if a command changes them, a rewind cannot put back: {_listed(fresh)}"
            )

    def _name(self, path: Path) -> str:
        if inside(self._root, path) and path != self._root:
            return str(path)[len(str(self._root).rstrip("/")) + 1 :]
        return str(path)

    def _missing(self, name: str) -> list[str]:
        """The folders that do not exist and that writing to `name` would make."""
        missing: list[str] = []
        folder = name.rpartition("/")[0]
        while folder and status_of(self._root, folder) is None:
            missing.append(folder)
            folder = folder.rpartition("/")[0]
        return missing


class _Step:
    """One call. `gaps` are limits told before it began, `trouble` is why nothing could be kept."""

    def __init__(self, watch: Checkpoints, call: str, tool: str) -> None:
        self.call = call
        self.tool = tool
        self.base: Baseline | None = None
        self.records: dict[str, Seen] = {}
        self.gaps: list[Unrestorable] = []
        self.trouble = ""
        self._watch = watch

    async def end(self) -> list[Checkpoint]:
        return await self._watch.end(self)


def _standing_in(seen: Seen, previous: bytes | None) -> Seen:
    """What was seen, or what the tool read where we could not."""
    if not seen.why or previous is None or seen.mark is None:
        return seen
    state = FileState("file", seen.state.mode, digest(previous), len(previous))
    return Seen(state, seen.mark, previous)


def _listed(gaps: Iterable[Unrestorable]) -> str:
    every = [f"{gap.path} ({gap.reason})" for gap in gaps]
    more = len(every) - NAMED
    return ", ".join(every[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _entries(
    step: _Step, files: list[FileChange], gaps: list[Unrestorable], root: str
) -> list[Checkpoint]:
    """As many entries as it takes; the first says what cannot be restored."""
    if not files and not gaps:
        return []
    return [
        Checkpoint(
            files=files[start : start + FILES_PER_ENTRY],
            call=step.call,
            tool=step.tool,
            unrestorable=gaps[:FILES_PER_ENTRY] if start == 0 else [],
            root=root,
            by=REWINDER,
        )
        for start in range(0, max(len(files), 1), FILES_PER_ENTRY)
    ]
