"""`indus skills`: what skills there are here, what is wrong with the others; and for authors."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from induscode.boot.commands.common import here, out, out_json, parser
from induscode.boot.places import user_home
from induscode.boot.waiting import shown_path
from induscode.briefing.contract import SkillCard, SkillDiagnostic, SkillLoad, SkillOutcomeKind
from induscode.channels.terminal import Ink, exact
from induscode.errors import UsageError
from induscode.policy.belongings import Kind
from induscode.policy.trust import ItemState, State, Trust

if TYPE_CHECKING:
    from induscode.boot.skill_check import Checked

__all__ = ["run"]

_EXAMPLES = """\
  indus skills                              what there is here, and what did not load
  indus skills --json                       the same for a program
  indus skills check .indus/skills          every skill of a folder, for its author
  indus skills check my-skill/SKILL.md      one of them; exit 1 when something is wrong
  indus skills check --lenient .claude/skills    as folders of other agents are read
"""
_COLOURS = {
    SkillOutcomeKind.LOADED: "green",
    SkillOutcomeKind.SKIPPED: "dim",
    SkillOutcomeKind.INVALID: "red",
    SkillOutcomeKind.COLLISION: "yellow",
}


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser(
        "skills", "List the skills of this workspace and yours, or check some.", _EXAMPLES
    )
    words.add_argument("action", nargs="?", default="list", choices=("list", "check"))
    words.add_argument("paths", nargs="*", metavar="PATH", help="with check: files and folders")
    words.add_argument("--lenient", action="store_true", help="with check: unknown keys are notes")
    words.add_argument("--json", action="store_true", help="one JSON object")
    asked = words.parse_intermixed_args(argv)
    if asked.action == "check":
        if not asked.paths:
            raise UsageError("check needs a PATH", hint="e.g. indus skills check .indus/skills")
        return _check(asked.paths, environ, lenient=asked.lenient, as_json=asked.json)
    if asked.paths or asked.lenient:
        raise UsageError("list takes no more words", hint="see: indus skills --help")
    return _list(environ, as_json=asked.json)


def _list(environ: Mapping[str, str], *, as_json: bool) -> int:
    from induscode.boot.materials import Materials

    around = here(environ)
    materials = Materials(around)
    load = materials.skills()
    seen = {card.name for card in materials.listed()[0]}
    waiting = _waiting(around.trust)
    if as_json:
        out_json(_as_json(load, seen, waiting, around.trust))
        return 0
    view = _View(environ)
    if not materials.settings.skills:
        out("skills are switched off by `skills = false` under [briefing] in your config.toml")
    elif not load.cards:
        out("there are no skills here; docs/skills.md says where they are looked for")
    notes = {each.location: each.notes for each in load.diagnostics}
    for card in load.cards:
        view.card(card, notes.get(card.location, ()), listed=card.name in seen)
    view.others([each for each in load.diagnostics if each.kind is not SkillOutcomeKind.LOADED])
    view.waiting(waiting, around.trust)
    return 0


def _as_json(
    load: SkillLoad, seen: set[str], waiting: Sequence[ItemState], trust: Trust
) -> dict[str, object]:
    notes = {each.location: each.notes for each in load.diagnostics}
    cards = [
        {
            "name": card.name,
            "origin": card.origin,
            "location": str(card.location),
            "description": card.description,
            "model_invocable": not card.frontmatter.disable_model_invocation,
            "listed": card.name in seen,
            "allowed_tools": card.frontmatter.allowed_tools,
            "notes": notes.get(card.location, ()),
        }
        for card in load.cards
    ]
    diagnostics = [
        {
            "kind": each.kind,
            "location": exact(str(each.location)),
            "detail": exact(each.detail),
            "notes": each.notes,
        }
        for each in load.diagnostics
    ]
    items = [
        {"path": exact(each.item.path), "state": each.state, "reason": each.reason}
        for each in waiting
    ]
    return {
        "workspace": exact(str(trust.workspace)),
        "skills": cards,
        "diagnostics": diagnostics,
        "waiting": items,
    }


def _waiting(trust: Trust) -> list[ItemState]:
    states = (trust.state(item) for item in trust.items if item.kind is Kind.SKILL)
    return [each for each in states if each.state is not State.UNCHANGED]


class _View:
    """What a person reads: every character visible, colour only where somebody looks."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._ink = Ink(sys.stdout, environ)
        self._home = user_home(environ)

    def card(self, card: SkillCard, notes: Sequence[str], *, listed: bool) -> None:
        out(f"{self._ink(card.name, 'bold')} {card.origin.label()}  {self.path(card.location)}")
        out(f"    {exact(card.description)}")
        if card.frontmatter.disable_model_invocation:
            out(f"    only for you: /skill:{card.name}")
        elif not listed:
            out("    the list in the prompt has no room for it; the model finds it by searching")
        if card.frontmatter.allowed_tools is not None:
            out(f"    tools: {exact(', '.join(card.frontmatter.allowed_tools)) or 'none'}")
        for note in notes:
            out(f"    {self._ink('note', 'yellow')}: {exact(note)}")

    def checked(self, checked: Checked) -> None:
        where = self.path(checked.location)
        for problem in checked.problems:
            kind = self._ink("wrong", "red") if problem.wrong else self._ink("note", "yellow")
            told = f"{problem.field}: {problem.found} ({problem.remedy})"
            out(f"{where}:{problem.line}: {kind}: {self._text(told)}")
        if checked.good:
            what = self._ink("good", "green") if checked.name else self._ink("skipped", "dim")
            out(f"{where}: {what}: {self._text(checked.name or checked.aside)}")

    def others(self, diagnostics: Sequence[SkillDiagnostic]) -> None:
        for each in diagnostics:
            kind = self._ink(each.kind.value, _COLOURS[each.kind])
            out(f"{kind}: {self.path(each.location)}")
            out(f"    {self._text(each.detail)}")

    def waiting(self, states: Sequence[ItemState], trust: Trust) -> None:
        for each in states:
            reason = f"  ({exact(each.reason)})" if each.reason else ""
            out(f"{self._ink(each.state.value, 'yellow')}: {shown_path(each.item)}{reason}")
        if states:
            how = trust.barred or "look: indus trust show; accept: indus trust grant"
            out(f"what waits for trust is not read; {exact(how)}")

    def path(self, path: Path) -> str:
        """From here, or from the home directory, where that is shorter."""
        for base, before in ((Path.cwd(), ""), (self._home, "~/")):
            if path.is_relative_to(base):
                return self._text(before + str(path.relative_to(base)))
        return self._text(str(path))

    def _text(self, text: str) -> str:
        return exact(text).replace("\n", "\u240a")


def _check(
    paths: Sequence[str], environ: Mapping[str, str], *, lenient: bool, as_json: bool
) -> int:
    from induscode.boot.skill_check import check_skills

    checks = check_skills(paths, lenient=lenient)
    if as_json:
        out_json(checks.as_json(exact))
    else:
        view = _View(environ)
        for each in checks.skills:
            view.checked(each)
        view.others(checks.skipped)
    return 0 if checks.good else 1
