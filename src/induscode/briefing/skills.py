"""Skills of one folder and of several: walked, read, judged and merged.

Nothing here raises. Every candidate has exactly one diagnostic, every card exactly one that says
loaded; one bad file costs only itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from induscode.briefing.contract import (
    MacroOrigin,
    SkillCard,
    SkillDiagnostic,
    SkillLoad,
    SkillOutcomeKind,
    SkillRoot,
)
from induscode.briefing.files import DiskFiles, Files
from induscode.briefing.skill_file import examine_skill
from induscode.briefing.skill_walk import Candidate, walk_candidates

__all__ = [
    "STRICT_FOLDERS",
    "gather_skill_cards",
    "load_skill_cards",
    "model_invocable_cards",
]

STRICT_FOLDERS = frozenset({".indus", ".indusagi"})
"""Folders of ours: a key that the format does not have is an error below them, a note elsewhere."""


def load_skill_cards(
    folder: Path,
    origin: MacroOrigin,
    files: Files | None = None,
    *,
    lenient: bool | None = None,
) -> SkillLoad:
    """The skills of one root. Of two with one name the first counts, in the order of their paths.
    `lenient` as in `SkillRoot`."""
    return gather_skill_cards((SkillRoot(folder, origin, lenient),), files)


def gather_skill_cards(roots: Sequence[SkillRoot], files: Files | None = None) -> SkillLoad:
    """The skills of several roots, earlier roots first. The first skill of a name counts and each
    later one is a collision; a file that was loaded already is skipped, whatever links lead to it
    again."""
    gathering = _Gathering(files or DiskFiles())
    for root in roots:
        gathering.add(root)
    return SkillLoad(tuple(gathering.cards.values()), tuple(gathering.diagnostics))


def model_invocable_cards(cards: Iterable[SkillCard]) -> tuple[SkillCard, ...]:
    """Those that the model may be told of; the others are for people, as `/skill:<name>`."""
    return tuple(card for card in cards if not card.frontmatter.disable_model_invocation)


class _Gathering:
    def __init__(self, files: Files) -> None:
        self.cards: dict[str, SkillCard] = {}
        self.diagnostics: list[SkillDiagnostic] = []
        self._files = files
        self._loaded: dict[str, Path] = {}

    def add(self, root: SkillRoot) -> None:
        folder = root.dir.absolute()
        lenient = root.lenient
        if lenient is None:
            lenient = STRICT_FOLDERS.isdisjoint(folder.parts)
        walked = walk_candidates(folder, self._files)
        self.diagnostics.extend(walked.skipped)
        for candidate in walked.candidates:
            first = self._loaded.get(candidate.real)
            if first is None:
                self.diagnostics.append(self._judge(candidate, root.origin, lenient=lenient))
            else:
                self._skip(candidate.path, f"it is the same file as {first}, which is loaded")

    def _judge(
        self, candidate: Candidate, origin: MacroOrigin, *, lenient: bool
    ) -> SkillDiagnostic:
        seen = examine_skill(candidate, origin, self._files, lenient=lenient)
        notes = tuple(problem.text() for problem in seen.problems if not problem.wrong)
        kind, card = SkillOutcomeKind.SKIPPED, seen.card
        if card is None:
            wrong = "; ".join(problem.text() for problem in seen.problems if problem.wrong)
            kind = SkillOutcomeKind.INVALID if wrong else kind
            return SkillDiagnostic(kind, candidate.path, wrong or seen.aside, notes)
        if first := self.cards.get(card.name):
            taken = f"the name {card.name} is taken by {first.location} (rename one of them)"
            return SkillDiagnostic(SkillOutcomeKind.COLLISION, candidate.path, taken, notes)
        self.cards[card.name] = card
        self._loaded[candidate.real] = candidate.path
        loaded = f"loaded as {card.name}"
        return SkillDiagnostic(SkillOutcomeKind.LOADED, candidate.path, loaded, notes)

    def _skip(self, location: Path, detail: str) -> None:
        self.diagnostics.append(SkillDiagnostic(SkillOutcomeKind.SKIPPED, location, detail))
