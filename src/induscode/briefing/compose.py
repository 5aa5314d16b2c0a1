"""The composer: a recipe of sections, folded into one prompt. It reads no file.

Reshaping the prompt is an edit of the recipe, never of the composer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from induscode.briefing.contract import BriefingInput, BriefingSection, ComposeOptions, SectionFn
from induscode.briefing.sections import (
    section_connectors,
    section_footer,
    section_guidelines,
    section_plan,
    section_project_context,
    section_role,
    section_skills,
    section_subagents,
    section_task,
    section_tools,
)

__all__ = [
    "BRIEFING_SECTIONS",
    "BRIEFING_SECTION_IDS",
    "compose_briefing",
    "compose_briefing_with_options",
    "compose_with",
]

BRIEFING_SECTIONS: Final[tuple[BriefingSection, ...]] = (
    section_role,
    section_tools,
    section_guidelines,
    section_task,
    section_subagents,
    section_plan,
    section_connectors,
    section_project_context,
    section_skills,
    section_footer,
)
BRIEFING_SECTION_IDS: Final[tuple[str, ...]] = (
    "role",
    "tools",
    "guidelines",
    "tasks",
    "subagents",
    "plan-mode",
    "connectors",
    "project-context",
    "skills",
    "footer",
)


def compose_with(
    sections: Sequence[SectionFn],
    ctx: BriefingInput,
    prelude: str | None = None,
    append: str | None = None,
) -> str:
    """What the sections say, in their order, between `prelude` and `append`; what is empty is left
    out, the rest stands apart by one blank line."""
    return _blocks([prelude, *(section(ctx) for section in sections), append])


def compose_briefing(ctx: BriefingInput) -> str:
    """The prompt by the built-in recipe."""
    return compose_with(BRIEFING_SECTIONS, ctx)


def compose_briefing_with_options(ctx: BriefingInput, options: ComposeOptions) -> str:
    """The same, as the options say: `system` takes the place of the whole recipe."""
    if options.system is not None:
        return _blocks([options.prelude, options.system, options.append_system])
    return compose_with(BRIEFING_SECTIONS, ctx, options.prelude, options.append_system)


def _blocks(texts: Iterable[str | None]) -> str:
    trimmed = [text.strip() for text in texts if text]
    return "\n\n".join(text for text in trimmed if text)
