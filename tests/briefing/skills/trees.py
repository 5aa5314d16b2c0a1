"""Skills on a real disk, written in as few words as a test needs."""

from __future__ import annotations

from pathlib import Path

from induscode.briefing import MacroOrigin, SkillCard, SkillDiagnostic, SkillLoad, load_skill_cards

PROJECT = MacroOrigin.PROJECT
USER = MacroOrigin.USER


def packaged(root: Path, name: str, head: str | None = None, body: str = "Do it.\n") -> Path:
    """A skill in a folder of its own. `head` is all of its header, if given."""
    file = root / name / "SKILL.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    own = f"name: {file.parent.name}\ndescription: Does what {file.parent.name} does"
    file.write_text(f"---\n{own if head is None else head}\n---\n{body}")
    return file


def loose(root: Path, name: str, head: str = "description: Helps", body: str = "Do it.\n") -> Path:
    root.mkdir(parents=True, exist_ok=True)
    file = root / name
    file.write_text(f"---\n{head}\n---\n{body}")
    return file


def foreign(tmp_path: Path) -> Path:
    """A folder that is shared with other programs."""
    return tmp_path / ".claude" / "skills"


def ours(tmp_path: Path) -> Path:
    return tmp_path / ".indus" / "skills"


def loaded(root: Path) -> SkillLoad:
    return load_skill_cards(root, PROJECT)


def names(load: SkillLoad) -> list[str]:
    return [card.name for card in load.cards]


def only_card(load: SkillLoad) -> SkillCard:
    (card,) = load.cards
    return card


def only_told(load: SkillLoad) -> SkillDiagnostic:
    (diagnostic,) = load.diagnostics
    return diagnostic


def kinds(load: SkillLoad) -> list[str]:
    return [diagnostic.kind.value for diagnostic in load.diagnostics]
