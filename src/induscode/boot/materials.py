"""What the prompt is made of besides tools: documents, rules, skills and commands that people keep.

Read when first asked for, and again only when something that was looked at has changed; of a
workspace, only what is trusted. What most people have none of is not even imported before there is
a folder for it. A session and its delegates share one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from induscode.boot.briefing_settings import briefing_settings
from induscode.boot.places import user_home
from induscode.boot.surroundings import Surroundings
from induscode.boot.trusted_files import TrustedFiles
from induscode.briefing.contract import (
    Gathered,
    MacroLoad,
    MacroOrigin,
    SkillCard,
    SkillLoad,
    SkillOutcomeKind,
    SkillRoot,
)
from induscode.channels.terminal import exact
from induscode.policy.belongings import CONTEXT_NAMES

if TYPE_CHECKING:
    from induscode.briefing.rules import RuleDoc

__all__ = ["Materials"]

_SKILLS = (".indus/skills", ".indusagi/skills", ".agents/skills", ".claude/skills")
_COMMANDS = (".indus/commands", ".indusagi/commands", ".claude/commands")
_NESTED = ".claude/commands"
_RULES = ".claude/rules"
_TOLD = 5
"""Faults of one kind that a person is told by themselves; of more, how to see them."""

T = TypeVar("T")


class Materials:
    """Raises `ConfigError` for a `[briefing]` table that cannot be used; else nothing raises."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._home = user_home(around.environ)
        self.settings = briefing_settings(around.config, around.places)
        self._files = TrustedFiles(around.door)
        self._kept: dict[str, object] = {}
        self._told: set[str] = set()
        self._waits = ""

    def refresh(self) -> None:
        """To be called before each turn: what follows is as things are now."""
        if self._kept and not self._files.unchanged():
            before, self._files = self._files.door, self._files.renewed()
            self._kept.clear()
            self._waits = self._files.door.news(before)

    def documents(self) -> Gathered:
        return self._once("documents", self._gather)

    def rules(self) -> Sequence[RuleDoc]:
        """Those that join when a file they speak of is touched."""
        return self._once("rules", self._load_rules)

    def skills(self) -> SkillLoad:
        return self._once("skills", self._load_skills)

    def listed(self) -> tuple[Sequence[SkillCard], int]:
        """The skills that the prompt lists, and how many more there are that it has no room for."""
        return self._once("listed", self._list_skills)

    def macros(self) -> MacroLoad:
        return self._once("macros", self._load_macros)

    def news(self) -> Iterator[str]:
        """What a person should know without asking and was not told yet, a sentence each."""
        waits, self._waits = self._waits, ""
        yield from filter(None, [waits])
        for sentence in self._faults():
            if sentence not in self._told:
                self._told.add(sentence)
                yield sentence

    # How each is made

    def _once(self, name: str, make: Callable[[], T]) -> T:
        if name not in self._kept:
            self._kept[name] = make()
        return cast("T", self._kept[name])

    def _gather(self) -> Gathered:
        rules = self._present((_RULES,))
        if not self.settings.documents or not (rules or self._any_document()):
            return Gathered()
        from induscode.briefing.context_docs import GatherContextDocsOptions, gather

        settings, around = self.settings, self._around
        options = GatherContextDocsOptions(
            max_import_depth=settings.max_import_depth,
            max_bytes_per_doc=settings.max_bytes_per_doc,
            max_bytes=settings.max_bytes,
            files=self._files,
            rules=rules,
        )
        return gather(around.cwd, self._home, options)

    def _any_document(self) -> bool:
        folders = (self._around.cwd, *self._around.cwd.parents, self._home)
        return any(
            self._files.read(folder / name, 0) is not None
            for folder in folders
            for name in CONTEXT_NAMES
        )

    def _load_rules(self) -> Sequence[RuleDoc]:
        folders = self._present((_RULES,)) if self.settings.documents else ()
        if not folders:
            return ()
        from induscode.briefing.rules import load_rules

        loaded = load_rules(folders, self._files, self._around.cwd, self._home)
        return tuple(rule for rule in loaded.rules if rule.globs)

    def _load_skills(self) -> SkillLoad:
        folders = self._present(_SKILLS, own="skills") if self.settings.skills else ()
        if not folders:
            return SkillLoad()
        from induscode.briefing.skills import gather_skill_cards

        roots = [
            SkillRoot(folder, self._origin(folder), self._lenient(folder)) for folder in folders
        ]
        return gather_skill_cards(roots, self._files)

    def _list_skills(self) -> tuple[Sequence[SkillCard], int]:
        cards = self.skills().cards
        if not cards:
            return (), 0
        from induscode.briefing.skill_listing import LISTING_CHARACTERS, listed
        from induscode.briefing.skills import model_invocable_cards

        room = self.settings.max_skills_characters
        found = listed(model_invocable_cards(cards), LISTING_CHARACTERS if room is None else room)
        return found.cards, len(found.unlisted)

    def _load_macros(self) -> MacroLoad:
        folders = self._present(_COMMANDS, own="commands") if self.settings.commands else ()
        if not folders:
            return MacroLoad()
        from induscode.briefing.macro_files import MacroRoot, discover_macros

        roots = [
            MacroRoot(folder, self._origin(folder), nested=folder.match(_NESTED))
            for folder in folders
        ]
        return discover_macros(roots, self._files)

    # Where they are

    def _present(self, names: Sequence[str], own: str = "") -> tuple[Path, ...]:
        """Folders with something in them: of the workspace first, then the user's own, then those
        of the home that other programs share."""
        bases = [self._around.workspace / name for name in names]
        bases += [self._around.places.config / own] if own else []
        bases += [self._home / name for name in names]
        return tuple(folder for folder in dict.fromkeys(bases) if self._files.children(folder))

    def _origin(self, folder: Path) -> MacroOrigin:
        inside = folder.is_relative_to(self._around.workspace)
        own = (
            folder.is_relative_to(self._around.places.config) or folder.parent.parent == self._home
        )
        return MacroOrigin.PROJECT if inside and not own else MacroOrigin.USER

    def _lenient(self, folder: Path) -> bool | None:
        """Our own folder is as strict as `.indus` is, whatever it is called."""
        return False if folder.is_relative_to(self._around.places.config) else None

    # What is wrong with them

    def _faults(self) -> Iterator[str]:
        yield from _few([note.sentence() for note in self.documents().notes], "documents", "")
        yield from _few(self.macros().faults, "commands", "")
        bad = [
            exact(f"{each.location}: {each.detail}")
            for each in self.skills().diagnostics
            if each.kind in {SkillOutcomeKind.INVALID, SkillOutcomeKind.COLLISION}
        ]
        bad += self._once("hidden", self._hidden_texts)
        yield from _few(bad, "skills", "; see them all: indus skills")

    def _hidden_texts(self) -> list[str]:
        """Skills that say more than a person sees in them."""
        cards = self.skills().cards
        if not cards:
            return []
        from induscode.briefing.invisible import invisible_characters

        counted = [(card, invisible_characters(card.description + card.body)) for card in cards]
        return [
            exact(f"{card.location}: holds {count} invisible characters; look: indus skills")
            for card, count in counted
            if count
        ]


def _few(sentences: Sequence[str], what: str, how: str) -> Iterator[str]:
    yield from sentences[:_TOLD]
    more = len(sentences) - _TOLD
    if more > 0:
        yield f"{more} more faults of {what}{how}"
