"""What there was before a step, with a way to every content: in git, or held by ourselves.

Looking again costs little: what was read once is known by its mark, and read again only when that
changed, or when the file was so young that its mark could not tell.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from induscode.checkpoint.anchor import status_of
from induscode.checkpoint.contents import Held
from induscode.checkpoint.gitindex import NO_INDEX, Conversion, GitIndex, conversion, read_index
from induscode.checkpoint.gitobjects import GitObjects, blob_id
from induscode.checkpoint.limits import FILE_BYTES, HELD_BYTES, UNSETTLED_NS
from induscode.checkpoint.states import see, too_large
from induscode.checkpoint.walk import Look, Mark, look_over, mark_of

__all__ = ["Baseline", "Ground", "Source"]

_ATTRIBUTES = ".gitattributes"


class Source(NamedTuple):
    """Where the content of a path is: `sha256` held, or git's `oid`, or neither: `why`. `settled`
    says that the mark is to be trusted from now on."""

    mark: Mark
    sha256: str = ""
    oid: str = ""
    why: str = ""
    settled: bool = True


class Baseline(NamedTuple):
    """A look, and a way to each file and link in it: `clean` are git's objects, `sources` the
    others. `young` are the paths whose marks cannot be trusted to change when they do."""

    look: Look
    clean: dict[str, str]
    sources: dict[str, Source]
    young: set[str]

    def source(self, path: str) -> Source | None:
        oid = self.clean.get(path)
        return Source(self.look.marks[path], oid=oid) if oid else self.sources.get(path)


class Ground:
    """Takes baselines of one workspace, one after the other. Not for two threads at a time."""

    def __init__(
        self,
        root: Path,
        held: Held,
        objects: GitObjects,
        *,
        own: tuple[Path, ...] = (),
        settings: tuple[Path, ...] = (),
    ) -> None:
        self.root = root
        self._held = held
        self._objects = objects
        self._own = own
        self._settings = settings
        self._index: GitIndex = NO_INDEX
        self._known: dict[str, Source] = {}
        self._left: dict[str, str] = {}

    def look(self) -> Look:
        found = look_over(self.root, tracked=self._index.folders, left=self._left, own=self._own)
        self._left = found.left
        return found

    def baseline(self, *, alone: bool = True) -> Baseline:
        """Everything as it is now; `alone` says that no earlier baseline is needed any more.
        Raises OSError when nothing can be held."""
        self._index = read_index(self.root, self._index)
        looked_at = time.time_ns()
        look = self.look()
        clean = self._from_git(look)
        sources = self._recalled(look, clean)
        if alone:
            self._held.only({source.sha256 for source in sources.values()})
        self._read(look, clean, sources)
        self._known = sources
        young = {
            path
            for path, mark in look.marks.items()
            if not mark.is_dir and mark.ctime_ns > looked_at - UNSETTLED_NS
        }
        return Baseline(look, clean, sources, young)

    def refresh(self, base: Baseline, paths: Iterable[str]) -> None:
        """Let these paths count from now on: another step has already answered for what they were.
        Raises OSError when nothing can be held."""
        for path in paths:
            base.look.marks.pop(path, None)
            base.clean.pop(path, None)
            base.sources.pop(path, None)
            status = status_of(self.root, path)
            if status is None:
                continue
            mark = mark_of(status)
            base.look.marks[path] = mark
            base.young.add(path)
            if mark.is_file or mark.is_link:
                base.sources[path] = self._source(path, mark)
                base.look.marks[path] = base.sources[path].mark

    def _from_git(self, look: Look) -> dict[str, str]:
        """The files whose bytes git has, with its objects."""
        rows = self._index.rows
        if not rows or not self._objects.usable(next(iter(rows.values())).oid):
            return {}
        listed = [p for p in look.marks if p == _ATTRIBUTES or p.endswith(f"/{_ATTRIBUTES}")]
        kind = conversion(self.root, listed, self._settings)
        if kind is Conversion.ANY:
            return {}  # then only a comparison tells
        marks = look.marks
        clean = {
            path: row.oid for path, row in rows.items() if path in marks and row.clean(marks[path])
        }
        if kind is Conversion.NONE:
            return clean
        sizes = self._objects.sizes(clean.values())
        # A changed line end always changes the size.
        return {path: oid for path, oid in clean.items() if sizes.get(oid) == marks[path].size}

    def _recalled(self, look: Look, clean: dict[str, str]) -> dict[str, Source]:
        """What was read earlier and has not changed since."""
        marks = look.marks
        sources: dict[str, Source] = {}
        for path, known in self._known.items():
            if path in clean or not known.settled or marks.get(path) != known.mark:
                continue
            row = self._index.rows.get(path) if known.oid else None
            in_git = row is not None and row.oid == known.oid
            if known.why or in_git or (known.sha256 and self._held.has(known.sha256)):
                sources[path] = known
        return sources

    def _read(self, look: Look, clean: dict[str, str], sources: dict[str, Source]) -> None:
        """Read what has no source yet, small files first: the limit then serves the most."""
        room = HELD_BYTES - self._held.total
        fresh = [
            (path, mark)
            for path, mark in look.marks.items()
            if path not in clean and path not in sources and (mark.is_file or mark.is_link)
        ]
        for path, mark in sorted(fresh, key=lambda item: item[1].size):
            if mark.size > FILE_BYTES:
                sources[path] = Source(mark, why=too_large(mark.size))
            elif mark.size > room:
                why = f"all copies together may take {HELD_BYTES // 1024 // 1024} MB"
                sources[path] = Source(mark, why=why, settled=False)
            else:
                source = self._source(path, mark)
                sources[path] = source
                look.marks[path] = source.mark
                room -= source.mark.size if source.sha256 else 0

    def _source(self, path: str, mark: Mark) -> Source:
        read_at = time.time_ns()
        seen = see(self.root, path)
        if seen.mark is None or seen.data is None:
            return Source(mark, why=seen.why or "it was gone when it was read", settled=False)
        settled = seen.mark.ctime_ns < read_at - UNSETTLED_NS
        row = self._index.rows.get(path)
        if row is not None and self._objects.usable(row.oid) and blob_id(seen.data) == row.oid:
            return Source(seen.mark, oid=row.oid, settled=settled)
        return Source(seen.mark, sha256=self._held.put(seen.data), settled=settled)
