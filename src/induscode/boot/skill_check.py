"""Skills judged for their authors: by the strict rules, with every problem by itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from induscode.briefing.contract import MacroOrigin, SkillDiagnostic
from induscode.briefing.files import DiskFiles, Refused
from induscode.briefing.skill_file import Examined, examine_skill
from induscode.briefing.skill_rules import Problem
from induscode.briefing.skill_walk import SKILL_MANIFEST, Candidate, Walked, walk_candidates
from induscode.errors import UsageError

__all__ = ["Checked", "Checks", "check_skills"]

_ACCEPTED_ELSEWHERE = Problem(
    "file",
    "in folders that are shared with other agents it would load, with notes",
    "mend it, or keep it in .agents/skills or .claude/skills",
    wrong=False,
)


class Checked(Struct, frozen=True):
    """One file. `name` is empty when it is no skill; `aside` then says why it need not be one."""

    location: Path
    name: str = ""
    problems: tuple[Problem, ...] = ()
    aside: str = ""

    @property
    def good(self) -> bool:
        return not any(problem.wrong for problem in self.problems)


class Checks(Struct, frozen=True):
    """`skipped` is what was not looked at."""

    skills: tuple[Checked, ...]
    skipped: tuple[SkillDiagnostic, ...]

    @property
    def good(self) -> bool:
        return all(skill.good for skill in self.skills)

    def as_json(self, shown: Callable[[str], str]) -> dict[str, object]:
        """For a program; `shown` makes text of a path."""
        skills = [
            {
                "location": shown(str(each.location)),
                "name": each.name or None,
                "good": each.good,
                "aside": each.aside,
                "problems": each.problems,
            }
            for each in self.skills
        ]
        skipped = [
            {"location": shown(str(each.location)), "detail": shown(each.detail)}
            for each in self.skipped
        ]
        return {"good": self.good, "skills": skills, "skipped": skipped}


def check_skills(words: Sequence[str], *, lenient: bool) -> Checks:
    """Each of `words` is a skill file, the folder of a skill, or a folder of skills. Raises
    `UsageError` when there is nothing to check at one of them."""
    walks = [_candidates(word) for word in words]
    firsts: dict[str, Path] = {}
    checked: dict[Path, Checked] = {}
    for candidate in (candidate for walk in walks for candidate in walk.candidates):
        if candidate.path not in checked:
            checked[candidate.path] = _checked(candidate, firsts, lenient=lenient)
    skipped = tuple(diagnostic for walk in walks for diagnostic in walk.skipped)
    return Checks(tuple(checked.values()), skipped)


def _candidates(word: str) -> Walked:
    files = DiskFiles()
    path = Path(os.path.normpath(Path(word).absolute()))
    if path.is_file():
        folder = path.parent.name if path.name.lower() == SKILL_MANIFEST.lower() else None
        return Walked((Candidate(path, folder, str(files.real(path))),), ())
    if not path.is_dir():
        raise UsageError(f"there is no {word}", hint="name a skill file or a folder")
    found = walk_candidates(path, files)
    if own := _own_file(path, files):
        inner = (each for each in found.candidates if each.folder is not None)
        found = Walked((Candidate(own, path.name, str(files.real(own))), *inner), found.skipped)
    if not found.candidates and not found.skipped:
        hint = f"a skill is a folder with a file {SKILL_MANIFEST}, the case of its letters counting"
        raise UsageError(f"there is no skill in {word}", hint=hint)
    return found


def _own_file(folder: Path, files: DiskFiles) -> Path | None:
    """The file that makes a skill of the folder, or that was meant to."""
    children = files.children(folder)
    names = () if isinstance(children, Refused) else (each.name for each in children)
    alike = [name for name in names if name.lower() == SKILL_MANIFEST.lower()]
    if not alike:
        return None
    return folder / (SKILL_MANIFEST if SKILL_MANIFEST in alike else alike[0])


def _checked(candidate: Candidate, firsts: dict[str, Path], *, lenient: bool) -> Checked:
    seen = _examined(candidate, lenient=lenient)
    problems = list(_more(candidate, seen, lenient=lenient))
    name = seen.card.name if seen.card else ""
    if name and (first := firsts.setdefault(name, candidate.path)) != candidate.path:
        found = f"{name} is also the name of {first}, and only one of them can load"
        problems.append(Problem("name", found, "rename one of them", wrong=False))
    return Checked(candidate.path, name, (*seen.problems, *problems), seen.aside)


def _more(candidate: Candidate, seen: Examined, *, lenient: bool) -> Iterator[Problem]:
    named = candidate.path.name
    if candidate.folder is not None and named != SKILL_MANIFEST:
        found = f"its name is {named}, and the case of the letters counts"
        yield Problem("file", found, f"rename it to {SKILL_MANIFEST}")
    if seen.card is None and not lenient and _examined(candidate, lenient=True).card:
        yield _ACCEPTED_ELSEWHERE


def _examined(candidate: Candidate, *, lenient: bool) -> Examined:
    return examine_skill(candidate, MacroOrigin.PATH, DiskFiles(), lenient=lenient)
