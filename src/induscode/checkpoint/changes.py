"""What a step changed: a baseline compared with what is there after it, contents kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from induscode.checkpoint.baseline import Baseline, Source
from induscode.checkpoint.contents import ContentStore, Held
from induscode.checkpoint.gitobjects import GitObjects, blob_id
from induscode.checkpoint.states import Seen, bare, change_of, see, shown
from induscode.checkpoint.walk import Look, Mark
from induscode.kernel.jsontext import digest
from induscode.session.file_states import FileChange, FileState, Unrestorable, same

__all__ = ["Changed", "Keeper", "changed_paths"]


class Changed(Struct):
    """What to record. `kept` are the digests that the changes name and that were stored."""

    files: list[FileChange] = []
    gaps: list[Unrestorable] = []
    kept: set[str] = set()


def changed_paths(base: Baseline, after: Look) -> Iterator[str]:
    """The paths that may differ: whose mark is another, or was too young to tell. In a folder that
    was left out before, nothing was known."""
    before, now = base.look.marks, after.marks
    for path, mark in before.items():
        if now.get(path) != mark or path in base.young:
            yield path
    left = tuple(f"{path}/" for path in base.look.left)
    yield from (path for path in now if path not in before and not path.startswith(left))


class Keeper:
    """Turns changed paths into what an entry says, and keeps the contents that it names. `spent`
    is what the session has kept so far, `most` what it may."""

    def __init__(
        self, root: Path, store: ContentStore, held: Held, objects: GitObjects, *, most: int
    ) -> None:
        self._root = root
        self._store = store
        self._held = held
        self._objects = objects
        self._most = most
        self.spent = 0

    def of_baseline(self, paths: Iterable[str], base: Baseline) -> Changed:
        """Raises OSError when contents cannot be stored."""
        changed = Changed()
        from_git: dict[str, tuple[Source, Seen]] = {}
        for path in sorted(paths):
            mark, after = base.look.marks.get(path), see(self._root, path)
            if after.why and after.mark is None:
                continue  # its folder was closed: nobody can tell, and its own mode is told
            source = base.source(path)
            if source is None or mark is None:
                before = FileState() if mark is None else bare(mark)
                self._note(changed, path, before, after.state, None, _special(before))
            elif source.oid:
                data = _unchanged(source, after)
                if data is None:
                    from_git[path] = (source, after)
                else:
                    self._note(changed, path, _state(mark, data), after.state, data)
            elif source.sha256:
                before = replace(bare(mark), sha256=source.sha256)
                self._note(changed, path, before, after.state, None)
            elif after.mark != mark:
                self._note(changed, path, bare(mark), after.state, None, source.why)
        self._fetch(changed, from_git)
        self._store.settle(changed.kept)
        return changed

    def of_records(self, records: dict[str, Seen]) -> Changed:
        """The same for paths that were looked at one by one."""
        changed = Changed()
        for path, before in sorted(records.items()):
            after = see(self._root, path)
            self._note(changed, path, before.state, after.state, before.data, before.why)
        self._store.settle(changed.kept)
        return changed

    def _fetch(self, changed: Changed, wanted: dict[str, tuple[Source, Seen]]) -> None:
        paths: dict[str, list[str]] = {}
        for path, (source, _) in wanted.items():
            paths.setdefault(source.oid, []).append(path)
        for oid, blob in self._objects.get(paths):
            for path in paths.pop(oid):
                source, after = wanted[path]
                self._note(changed, path, _state(source.mark, blob), after.state, blob)
        for path in (path for several in paths.values() for path in several):
            source, after = wanted[path]
            why = "git no longer has it"
            self._note(changed, path, bare(source.mark), after.state, None, why)

    def _note(
        self,
        changed: Changed,
        path: str,
        before: FileState,
        after: FileState,
        data: bytes | None,
        why: str = "",
    ) -> None:
        if not why and same(before, after):
            return
        if before.kind in {"file", "link"} and before.sha256:
            why = self._keep(before, data)
            if why:
                before = replace(before, sha256="")
            else:
                changed.kept.add(before.sha256)
        changed.files.append(change_of(path, before, after))
        if why:
            changed.gaps.append(Unrestorable(shown(path), why))

    def _keep(self, before: FileState, data: bytes | None) -> str:
        """Why the content cannot be kept; empty when it is."""
        if not self._store.has(before.sha256):
            if self.spent + before.size > self._most:
                return f"this session keeps no more than {self._most // 1024 // 1024} MB"
            self.spent += before.size
            if data is not None:
                self._store.put(data)
        return "" if self._held.keep(before.sha256) else "its copy is gone"


def _special(before: FileState) -> str:
    return "it was a pipe, a socket or a device" if before.kind == "special" else ""


def _state(mark: Mark, data: bytes) -> FileState:
    return replace(bare(mark), sha256=digest(data), size=len(data))


def _unchanged(source: Source, after: Seen) -> bytes | None:
    """The content before, where what is there now tells it; None where git must be asked."""
    if after.state.kind != "file" or after.data is None or blob_id(after.data) != source.oid:
        return None
    return after.data
