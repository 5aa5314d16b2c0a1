"""Inputs of the composer whose prompts are kept as goldens, one file each."""

from __future__ import annotations

from pathlib import Path

from induscode.briefing import (
    BriefingInput,
    ComposeOptions,
    ContextDoc,
    MacroOrigin,
    SkillCard,
    SkillFrontmatter,
    SubagentBrief,
    ToolDoc,
)
from induscode.capability_deck import capability_ids

NOON = 1_780_574_400_000
"""2026-06-04T12:00:00.000Z"""


def tool(name: str, description: str = "") -> ToolDoc:
    return ToolDoc(name, description, {"type": "object"})


def skill(name: str, description: str, folder: str = "/repo/.indus/skills") -> SkillCard:
    return SkillCard(
        name=name,
        description=description,
        body="# How\n\nDo it.",
        location=Path(folder, name, "SKILL.md"),
        origin=MacroOrigin.PROJECT,
        frontmatter=SkillFrontmatter(name, description),
        line=3,
        body_line=5,
    )


EVERY_TOOL = tuple(tool(str(name), f"What {name} does.") for name in capability_ids())
DOCUMENTS = (
    ContextDoc("/srv/AGENTS.md", "Speak plainly.", file="/srv/AGENTS.md"),
    ContextDoc("./AGENTS.md", "\nUse two-space indent.\n\nSee @style.md\n", file="/repo/AGENTS.md"),
    ContextDoc(
        "./style.md",
        "No tabs.",
        file="/repo/style.md",
        line=3,
        importer="/repo/AGENTS.md:3",
        cut=12,
    ),
)
AGENTS = (
    SubagentBrief("reviewer", "review diffs", "a PR is ready"),
    SubagentBrief("scout", "Looks around."),
)
SKILLS = (
    skill("pdf-forms", "Fill in <PDF> forms & check them."),
    skill("deploy", "Ship it.", "/home/u/.claude/skills & more"),
)
WHOLE = BriefingInput(
    workspace="/repo",
    cwd="/repo/src",
    tools=(*EVERY_TOOL, tool("skill_search", "Find a skill."), tool("linear__list")),
    skills=SKILLS,
    unlisted=3,
    subagents=AGENTS,
    context_docs=DOCUMENTS,
    left_out=("~/AGENTS.md",),
    now_ms=NOON,
)

INPUTS: dict[str, tuple[BriefingInput, ComposeOptions]] = {
    "empty": (BriefingInput(now_ms=NOON), ComposeOptions()),
    "read-only": (
        BriefingInput(
            workspace="/repo", tools=tuple(map(tool, ("read", "ls", "grep", "find"))), now_ms=NOON
        ),
        ComposeOptions(),
    ),
    "whole": (WHOLE, ComposeOptions()),
    "around": (
        BriefingInput(cwd="/repo", now_ms=NOON),
        ComposeOptions(prelude=" Before. ", append_system="\nAfter.\n"),
    ),
    "replaced": (
        WHOLE,
        ComposeOptions(system="You are a clerk.", prelude="PRE", append_system="POST"),
    ),
}
