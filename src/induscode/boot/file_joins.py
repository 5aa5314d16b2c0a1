"""What a call brings into the conversation by the file it touched: rules, and skills that it opens.

A rule for files like this one joins, for the rest of the session. A skill that the model reads is
recorded as opened, so that its text survives compaction and what it allows narrows the turn; the
model has just read it, so it is not shown again before that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from induscode.boot.materials import Materials
from induscode.boot.skill_feature import SKILLS, skill_text
from induscode.briefing.contract import SkillCard
from induscode.conductor.ports import BoundTool
from induscode.kernel.provenance import SourcePart
from induscode.policy.subject import CallView, PathSubject
from induscode.session.entries import KEPT, Narrowing, Notice
from induscode.session.known import FILES_FEATURE

if TYPE_CHECKING:
    from induscode.briefing.rules import RuleDoc, RuleMatcher

__all__ = ["FileJoins"]

_BRIEFING = "builtin:briefing"
_READ = "read"
_GLOBS_NAMED = 5


class FileJoins:
    """Serves one session: call it with each call that went well. Never raises."""

    def __init__(self, workspace: Path, materials: Materials) -> None:
        self._workspace = workspace
        self._materials = materials
        self._rules: Sequence[RuleDoc] = ()
        self._matchers: list[tuple[RuleDoc, RuleMatcher]] = []
        self._cards: Sequence[SkillCard] = ()
        self._names: frozenset[str] = frozenset()
        self._by_place: dict[Path, SkillCard] | None = None

    def __call__(self, tool: BoundTool, call: CallView) -> Sequence[Notice | Narrowing]:
        subject = call.subject
        if not isinstance(subject, PathSubject):
            return ()
        joined: list[Notice | Narrowing] = [*self._joined_rules(subject)]
        if tool.by == FILES_FEATURE and tool.tool.name == _READ:
            joined += self._opened_skill(subject)
        return joined

    def _joined_rules(self, subject: PathSubject) -> Iterator[Notice]:
        rules = self._materials.rules()
        if rules is not self._rules:
            self._rules, self._matchers = rules, _matched(rules)
        if not self._matchers:
            return
        places = {_below(self._workspace, place) for place in (subject.path, subject.named)} - {""}
        for rule, matcher in self._matchers:
            if any(matcher.matches(place) for place in places):
                yield _notice_of(rule)

    def _opened_skill(self, subject: PathSubject) -> Iterator[Notice | Narrowing]:
        card = self._card_at(subject)
        if card is None:
            return
        text, parts = skill_text(card)
        yield Notice(text=text, pinned=True, only=KEPT, parts=list(parts), by=SKILLS)
        allowed = card.frontmatter.allowed_tools
        if allowed is not None:
            yield Narrowing(why=f"the skill {card.name}", rules=list(allowed), by=SKILLS)

    def _card_at(self, subject: PathSubject) -> SkillCard | None:
        cards = self._materials.skills().cards
        if cards is not self._cards:
            self._cards, self._by_place = cards, None
            self._names = frozenset(card.location.name for card in cards)
        if subject.path.name not in self._names and subject.named.name not in self._names:
            return None
        if self._by_place is None:  # following links costs: only where a name may be meant
            real = {Path(os.path.realpath(card.location)): card for card in cards}
            self._by_place = {**real, **{card.location: card for card in cards}}
        return self._by_place.get(subject.named) or self._by_place.get(subject.path)


def _matched(rules: Sequence[RuleDoc]) -> list[tuple[RuleDoc, RuleMatcher]]:
    if not rules:
        return []
    from induscode.briefing.rules import RuleMatcher

    return [(rule, RuleMatcher(rule.globs)) for rule in rules]


def _below(workspace: Path, place: Path) -> str:
    """Its path from the workspace on; empty for what is not in it."""
    return place.relative_to(workspace).as_posix() if workspace in place.parents else ""


def _notice_of(rule: RuleDoc) -> Notice:
    more = len(rule.globs) - _GLOBS_NAMED
    globs = [*rule.globs[:_GLOBS_NAMED], *([f"{more} more"] if more > 0 else [])]
    head = f"Rules for files like {', '.join(globs)} ({rule.path}):\n\n"
    parts = [SourcePart(len(head), rule.file, rule.line)]
    return Notice(text=head + rule.body, pinned=True, parts=parts, by=_BRIEFING)
