"""Where skills may be in a folder: which files are candidates, and what was not looked at.

Directly in the root, every `*.md` is a skill of one file. In each folder below, at any depth, the
file `SKILL.md` is one, the case of its letters counting. Folders are entered by their own names
first and through links after that, each once, so that a link neither makes the walk endless nor
takes a skill's own place from it.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path

from msgspec import Struct

from induscode.briefing.contract import SkillDiagnostic, SkillOutcomeKind
from induscode.briefing.files import Child, Files, Refused

__all__ = [
    "PRUNED_DIRS",
    "SKILL_MANIFEST",
    "WALK_DEPTH",
    "WALK_FOLDERS",
    "WALK_SKILLS",
    "Candidate",
    "Walked",
    "walk_candidates",
]

SKILL_MANIFEST = "SKILL.md"
PRUNED_DIRS = frozenset({"node_modules", ".git"})
WALK_DEPTH = 12
"""How many folders deep below a root a skill may lie."""
WALK_FOLDERS = 4_000
"""How many folders of a root are looked into."""
WALK_SKILLS = 1_000
"""How many skills of a root are read."""

_LOOSE = ".md"


class Candidate(Struct, frozen=True):
    """A file that may be a skill. `folder` is the name of the folder that must have its name, None
    for a loose file; `real` is the path of the file itself, whatever links lead to it."""

    path: Path
    folder: str | None
    real: str


class Walked(Struct, frozen=True):
    """Candidates sorted by path, and what was left aside on the way."""

    candidates: tuple[Candidate, ...]
    skipped: tuple[SkillDiagnostic, ...]


def walk_candidates(root: Path, files: Files) -> Walked:
    """Every candidate below `root`, an absolute path. Raises nothing; a root that is not there has
    none."""
    return _Walk(root, files).all()


class _Folder(Struct, frozen=True):
    path: Path
    real: str
    depth: int


class _Walk:
    """Nearer folders before deeper ones: what a bound leaves out is what lies deepest."""

    def __init__(self, root: Path, files: Files) -> None:
        self._root = root
        self._files = files
        self._own: deque[_Folder] = deque()
        self._linked: deque[_Folder] = deque()
        self._seen: dict[str, Path] = {}
        self._found: list[Candidate] = []
        self._skipped: list[SkillDiagnostic] = []
        self._unseen: dict[str, tuple[Path, int]] = {}

    def all(self) -> Walked:
        self._own.append(_Folder(self._root, str(self._files.real(self._root)), 0))
        while self._own or self._linked:
            self._enter((self._own or self._linked).popleft())
        for reason, (first, count) in self._unseen.items():
            others = f", nor at {count - 1:,} more" if count > 1 else ""
            self._skip(first, f"it was not looked at{others}: {reason}")
        return Walked(
            candidates=tuple(sorted(self._found, key=lambda each: str(each.path).split("/"))),
            skipped=tuple(sorted(self._skipped, key=lambda each: str(each.location).split("/"))),
        )

    def _enter(self, folder: _Folder) -> None:
        if folder.real in self._seen:
            self._skip(folder.path, f"it leads to the same folder as {self._seen[folder.real]}")
            return
        self._seen[folder.real] = folder.path
        children = self._files.children(folder.path)
        if isinstance(children, Refused):
            self._skip(folder.path, children.reason)
            return
        for child in children:
            if child.name.startswith(".") or child.name in PRUNED_DIRS:
                continue
            if child.folder:
                self._queue(child, folder)
            elif _is_candidate(child.name, folder.depth):
                self._take(child, folder)

    def _queue(self, child: Child, above: _Folder) -> None:
        path = above.path / child.name
        if above.depth >= WALK_DEPTH:
            self._leave(path, f"skills lie at most {WALK_DEPTH} folders deep")
            return
        if len(self._seen) + len(self._own) + len(self._linked) >= WALK_FOLDERS:
            self._leave(path, f"a skill root has at most {WALK_FOLDERS:,} folders")
            return
        own, real = self._real(child, above)
        queue = self._own if own == real else self._linked
        queue.append(_Folder(path, real, above.depth + 1))

    def _take(self, child: Child, above: _Folder) -> None:
        path = above.path / child.name
        if len(self._found) >= WALK_SKILLS:
            self._leave(path, f"a skill root has at most {WALK_SKILLS:,} skills")
            return
        name = above.path.name if above.depth else None
        self._found.append(Candidate(path, name, self._real(child, above)[1]))

    def _real(self, child: Child, above: _Folder) -> tuple[str, str]:
        """Where it stands, and where it leads."""
        own = f"{above.real.rstrip('/')}/{child.name}"
        return own, str(self._files.real(above.path / child.name)) if child.link else own

    def _skip(self, location: Path, detail: str) -> None:
        self._skipped.append(SkillDiagnostic(SkillOutcomeKind.SKIPPED, location, detail))

    def _leave(self, path: Path, reason: str) -> None:
        first, count = self._unseen.get(reason, (path, 0))
        self._unseen[reason] = (first, count + 1)


def _is_candidate(name: str, depth: int) -> bool:
    return name == SKILL_MANIFEST if depth else name.lower().endswith(_LOOSE)
