"""`builtin:skills`: each skill as the command `/skill:NAME`, and a search where a list is too long.

A person's command brings the skill's text into the conversation. The model opens a skill by reading
its file; it finds those that the prompt has no room for with `skill_search`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from induscode.boot.kept_commands import declarations
from induscode.boot.materials import Materials
from induscode.briefing.contract import SkillCard
from induscode.errors import UserError
from induscode.feature.command import BroughtNotice, CommandContribution, Submit
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.registry import FeatureInstallContext, Package
from induscode.feature.tool import ToolContribution, ToolDeclaration
from induscode.kernel.provenance import SourcePart
from induscode.kernel.sources import sources_digest
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.version import VERSION

__all__ = ["SKILLS", "SKILL_SEARCH", "skill_package", "skill_text"]

SKILLS = "builtin:skills"
SKILL_SEARCH = "skill_search"
_PREFIX = "skill:"
_SOURCES = ("boot/skill_feature.py", "boot/file_joins.py", "briefing/skill*.py")
_FOUND_MOST = 50


def skill_package(materials: Materials) -> Package | None:
    """None when there is no skill."""
    cards = materials.skills().cards
    if not cards:
        return None
    root = Path(__file__).parent.parent
    digest = sources_digest(file for name in _SOURCES for file in root.glob(name))
    return Package(SkillFeature(materials, cards), digest, "builtin", SKILLS, ours=True)


def skill_text(card: SkillCard) -> tuple[str, tuple[SourcePart, ...]]:
    """A skill as it is put into a conversation, with what stands behind it."""
    head = f"The skill {card.name}. Paths in it are relative to {card.location.parent}.\n\n"
    return head + card.body, (SourcePart(len(head), str(card.location), card.body_line),)


class SkillFeature:
    """A command for each of `cards`, also for those that the model does not hear of."""

    def __init__(self, materials: Materials, cards: tuple[SkillCard, ...]) -> None:
        self._materials = materials
        self._cards = cards
        self._searched = materials.listed()[1] > 0

    def descriptor(self) -> FeatureDescriptor:
        return FeatureDescriptor(
            id=FeatureId.parse(SKILLS),
            display_name="Skills",
            version=VERSION,
            declared_tools=(ToolDeclaration(SKILL_SEARCH),) if self._searched else (),
            declared_commands=declarations(
                {f"{_PREFIX}{card.name}": card.description for card in self._cards}
            ),
        )

    def install(self, ctx: FeatureInstallContext, /) -> None:
        if self._searched:
            ctx.tools.register(ToolContribution(SKILL_SEARCH, SkillSearch(self._materials)))
        for card in self._cards:
            command = SkillCommand(card, self._materials)
            ctx.commands.register(CommandContribution(f"{_PREFIX}{card.name}", command))


class SkillCommand:
    """`card` is as it was when the session began."""

    def __init__(self, card: SkillCard, materials: Materials) -> None:
        self._known = card
        self._materials = materials

    async def run(self, arguments: str) -> Submit:
        """Raises `UserError` for a skill that is not there any more."""
        card = self._now()
        text, sources = skill_text(card)
        more = f"\n\n{arguments}" if arguments else ""
        return Submit(
            f"Use the skill {card.name}.{more}",
            only=card.frontmatter.allowed_tools,
            notices=(BroughtNotice(text, sources, pinned=True),),
        )

    def _now(self) -> SkillCard:
        for card in self._materials.skills().cards:
            if card.name == self._known.name:
                return card
        raise UserError(
            f"the skill {self._known.name} is not there any more: {self._known.location} is gone,"
            " cannot be used, or waits for your trust",
            hint="see: indus skills",
        )


class SkillSearch:
    """The tool. It finds what the model may use, whether it is listed or not."""

    name = SKILL_SEARCH
    label = "Find a skill"
    description = (
        "Find skills by words of their names and descriptions. Not all skills are listed in your"
        " instructions: search before you do something that a skill may be about."
    )
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "words, such as: pdf tables"},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": _FOUND_MOST,
                "description": "how many at most; 10 unless given",
            },
        },
        "required": ["query"],
    }
    read_only = True

    def __init__(self, materials: Materials) -> None:
        self._materials = materials

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        from induscode.briefing.skill_listing import FOUND_SKILLS, found_text, search_skills
        from induscode.briefing.skills import model_invocable_cards

        del context
        cards = model_invocable_cards(self._materials.skills().cards)
        limit = min(arguments.get("limit", FOUND_SKILLS), _FOUND_MOST)
        return ToolResult.text(found_text(search_skills(cards, arguments["query"], limit)))
