"""Context documents: standing instructions from the folders above the working directory and from
the home, with what they import.

From the root down to the working directory, so that the closest document comes last of the chain;
then rules that always hold; then the home. A document stands before what it imports, and each file
appears once. Nothing raises, and nothing is cut or passed over without a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from induscode.briefing.contract import ContextDoc, DocNote, Gathered
from induscode.briefing.document import (
    DEFAULT_MAX_BYTES_PER_DOC,
    excerpt,
    one_line,
    read_page,
    shorten_path,
)
from induscode.briefing.files import DiskFiles, Files, Refused
from induscode.briefing.imports import Import, find_imports, is_text_file
from induscode.briefing.rules import load_rules
from induscode.kernel.jsontext import clean_text

__all__ = [
    "CANDIDATE_FILES",
    "DEFAULT_MAX_BYTES",
    "DEFAULT_MAX_BYTES_PER_DOC",
    "DEFAULT_MAX_IMPORT_DEPTH",
    "MOST_IMPORTS",
    "DocNote",
    "GatherContextDocsOptions",
    "Gathered",
    "gather",
    "gather_context_docs",
]

CANDIDATE_FILES = (
    "AGENTS.md",
    "CLAUDE.md",
    "INDUSAGI.md",
    "CLAUDE.local.md",
    "AGENTS.local.md",
    ".indusagi/CLAUDE.md",
    ".claude/CLAUDE.md",
)
"""In each directory, in this order: the later ones count more."""

DEFAULT_MAX_IMPORT_DEPTH = 5
DEFAULT_MAX_BYTES = 200_000
"""For all documents together."""

MOST_IMPORTS = 1_000
"""So many imports are looked up at most, counting those that name no file."""


class GatherContextDocsOptions(Struct, frozen=True):
    """None means the default. `rules` are folders of rules."""

    max_import_depth: int | None = None
    max_bytes_per_doc: int | None = None
    max_bytes: int | None = None
    files: Files | None = None
    rules: tuple[Path, ...] = ()


_DEFAULTS = GatherContextDocsOptions()


def gather_context_docs(
    cwd: Path, home: Path, opts: GatherContextDocsOptions = _DEFAULTS
) -> list[ContextDoc]:
    """The documents alone."""
    return list(gather(cwd, home, opts).docs)


def gather(cwd: Path, home: Path, opts: GatherContextDocsOptions = _DEFAULTS) -> Gathered:
    """The documents for work in `cwd`, both paths absolute."""
    walk = _Walk(cwd, home, opts)
    chain = [*reversed(cwd.parents), cwd]
    for at, folder in enumerate(chain, 1):
        walk.folder(folder, _STEP * at)
    for folder in opts.rules:
        walk.rules(folder, _rules_rank(folder, chain, home))
    if home not in chain:
        walk.folder(home, _HOME)
    return walk.result()


_HOME = 0
"""The rank of the home's documents: below all of the chain."""
_STEP = 2


def _rules_rank(folder: Path, chain: list[Path], home: Path) -> int:
    """Just below the documents of the directory that the rules belong to."""
    if home not in chain and folder.is_relative_to(home):
        return _HOME - 1
    above = [at for at, each in enumerate(chain, 1) if folder.is_relative_to(each)]
    return _STEP * max(above, default=_HOME) - 1


class _Asked(Struct, frozen=True):
    """By an import: of the document with this heading and file, on this line."""

    heading: str
    file: str
    line: int
    spec: str

    def refused(self, reason: str) -> DocNote:
        sentence = f"{one_line(self.spec)} is not brought in: {reason}"
        return DocNote(self.heading, self.line, sentence)


class _Wanted(Struct, frozen=True):
    path: Path
    rank: int
    depth: int = 0
    asked: _Asked | None = None


class _Found(Struct, frozen=True):
    doc: ContextDoc
    path: Path
    rank: int
    depth: int

    def size(self) -> int:
        return len(self.doc.body.encode())


class _Walk:
    def __init__(self, cwd: Path, home: Path, opts: GatherContextDocsOptions) -> None:
        self._cwd = cwd
        self._home = home
        self._files = opts.files or DiskFiles()
        self._depth = _given(opts.max_import_depth, DEFAULT_MAX_IMPORT_DEPTH)
        self._all = _given(opts.max_bytes, DEFAULT_MAX_BYTES)
        self._room = min(_given(opts.max_bytes_per_doc, DEFAULT_MAX_BYTES_PER_DOC), self._all)
        self._found: list[_Found] = []
        self._notes: list[DocNote] = []
        self._seen: set[Path] = set()
        self._looked_up = 0

    def folder(self, folder: Path, rank: int) -> None:
        for name in CANDIDATE_FILES:
            self._follow([_Wanted(folder / name, rank)])

    def rules(self, folder: Path, rank: int) -> None:
        loaded = load_rules([folder], self._files, self._cwd, self._home, self._room)
        self._notes.extend(loaded.notes)
        for rule, path in zip(loaded.rules, loaded.paths, strict=True):
            if not rule.globs and self._is_new(self._files.real(path)):
                doc = ContextDoc(rule.path, rule.body, rule.file, rule.line, cut=rule.cut)
                self._follow(self._take(_Found(doc, path, rank, 0)))

    def result(self) -> Gathered:
        """What fits. The least specific documents go first, an import before its importer."""
        size = sum(found.size() for found in self._found)
        order = sorted(enumerate(self._found), key=lambda each: (each[1].rank, -each[1].depth))
        left: set[int] = set()
        for at, found in order:
            if size <= self._all:
                break
            size -= found.size()
            left.add(at)
            reason = f"left out: all documents together are larger than {self._all:,} bytes"
            self._notes.append(DocNote(found.doc.path, 0, f"{reason}; shorten them"))
        docs = [found.doc for at, found in enumerate(self._found) if at not in left]
        gone = [found.doc.path for at, found in enumerate(self._found) if at in left]
        return Gathered(tuple(docs), tuple(self._notes), tuple(gone))

    def _follow(self, wanted: list[_Wanted]) -> None:
        """Depth first; a stack of its own, whatever depth is allowed."""
        waiting = wanted[::-1]
        while waiting:
            found = self._read(waiting.pop())
            if found is not None:
                waiting.extend(reversed(self._take(found)))

    def _read(self, wanted: _Wanted) -> _Found | None:
        path, asked = wanted.path, wanted.asked
        real = self._files.real(path) if asked else None
        if real in self._seen:
            return None
        page = read_page(self._files, path, self._room)
        heading = shorten_path(path, self._cwd, self._home) if page else ""
        if isinstance(page, Refused):
            note = DocNote(heading, 0, f"not read: {page.reason}")
            self._notes.append(asked.refused(page.reason) if asked else note)
            return None
        if page is None or not self._is_new(real or self._files.real(path)):
            return None
        kept = excerpt(page, heading, self._room)
        self._notes.extend(kept.notes)
        if not kept.body:
            return None
        importer = f"{asked.file}:{asked.line}" if asked else ""
        file = clean_text(str(path))[0]
        doc = ContextDoc(heading, kept.body, file, kept.line, importer, kept.cut)
        return _Found(doc, path, wanted.rank, wanted.depth)

    def _is_new(self, real: Path) -> bool:
        new = real not in self._seen
        self._seen.add(real)
        return new

    def _take(self, found: _Found) -> list[_Wanted]:
        """Put it with the others; what it asks for comes back."""
        self._found.append(found)
        return list(self._imports(found))

    def _imports(self, found: _Found) -> Iterator[_Wanted]:
        doc = found.doc
        for each in find_imports(_unbroken(doc), found.path, self._home):
            asked = _Asked(doc.path, doc.file, doc.line + each.line - 1, each.spec)
            self._looked_up += 1
            if self._looked_up > MOST_IMPORTS:
                reason = f"there are over {MOST_IMPORTS:,} imports, and none after it is followed"
                self._notes.append(asked.refused(reason))
                return
            reason = self._refusal(found, each)
            if reason is None:
                yield _Wanted(each.target, found.rank, found.depth + 1, asked)
            elif reason:
                self._notes.append(asked.refused(reason))

    def _refusal(self, found: _Found, each: Import) -> str | None:
        """Why it is not followed, as a clause; empty where that is nobody's concern, because there
        is no such file or it is here already. None when it is followed."""
        if reason := self._files.barred(found.path, each.target):
            return reason
        if not is_text_file(each.target):
            reason = f"{each.target.suffix or each.target.name} is no text file"
        elif found.depth >= self._depth:
            reason = f"imports are followed {self._depth} deep"
        else:
            return None
        here = self._files.real(each.target) in self._seen
        return "" if here or self._files.read(each.target, 0) is None else reason


def _given(value: int | None, default: int) -> int:
    return default if value is None else max(0, value)


def _unbroken(doc: ContextDoc) -> str:
    """The body without the word that was cut through: half a name is another name."""
    return doc.body.rpartition(max(" ", "\n", key=doc.body.rfind))[0] if doc.cut else doc.body
