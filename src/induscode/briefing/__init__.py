"""What the model is told: the recipe of the system prompt, and the documents, macros and skills
that people keep for it.

May import: errors, kernel. Must not: know a tool, a session or a screen; read a file but through
`files.Files`. The composer does no I/O at all. Start reading at `contract.py`, then `compose.py`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from induscode.briefing.compose import (
        BRIEFING_SECTION_IDS,
        BRIEFING_SECTIONS,
        compose_briefing,
        compose_briefing_with_options,
        compose_with,
    )
    from induscode.briefing.context_docs import GatherContextDocsOptions, gather_context_docs
    from induscode.briefing.contract import (
        SKILL_DESCRIPTION_LIMIT,
        SKILL_NAME_LIMIT,
        BriefingFault,
        BriefingInput,
        BriefingSection,
        ComposeOptions,
        ContextDoc,
        Macro,
        MacroDef,
        MacroOrigin,
        MacroScope,
        MacroToken,
        SectionFn,
        SkillCard,
        SkillDiagnostic,
        SkillFrontmatter,
        SkillLoad,
        SkillOutcomeKind,
        SkillRoot,
        SubagentBrief,
        ToolDoc,
    )
    from induscode.briefing.macros import (
        apply_macros,
        apply_macros_reporting,
        build_macro_scope,
        expand_invocation,
        load_macros,
        read_macro_file,
        resolve_tokens,
        scan_macro_body,
        split_frontmatter,
    )
    from induscode.briefing.skills import (
        gather_skill_cards,
        load_skill_cards,
        model_invocable_cards,
    )

__all__ = [
    "BRIEFING_SECTIONS",
    "BRIEFING_SECTION_IDS",
    "SKILL_DESCRIPTION_LIMIT",
    "SKILL_NAME_LIMIT",
    "BriefingFault",
    "BriefingInput",
    "BriefingSection",
    "ComposeOptions",
    "ContextDoc",
    "GatherContextDocsOptions",
    "Macro",
    "MacroDef",
    "MacroOrigin",
    "MacroScope",
    "MacroToken",
    "SectionFn",
    "SkillCard",
    "SkillDiagnostic",
    "SkillFrontmatter",
    "SkillLoad",
    "SkillOutcomeKind",
    "SkillRoot",
    "SubagentBrief",
    "ToolDoc",
    "apply_macros",
    "apply_macros_reporting",
    "build_macro_scope",
    "compose_briefing",
    "compose_briefing_with_options",
    "compose_with",
    "expand_invocation",
    "gather_context_docs",
    "gather_skill_cards",
    "load_macros",
    "load_skill_cards",
    "model_invocable_cards",
    "read_macro_file",
    "resolve_tokens",
    "scan_macro_body",
    "split_frontmatter",
]

_ELSEWHERE = {
    "compose": (
        "BRIEFING_SECTIONS",
        "BRIEFING_SECTION_IDS",
        "compose_briefing",
        "compose_briefing_with_options",
        "compose_with",
    ),
    "context_docs": ("GatherContextDocsOptions", "gather_context_docs"),
    "macros": (
        "apply_macros",
        "apply_macros_reporting",
        "build_macro_scope",
        "expand_invocation",
        "load_macros",
        "read_macro_file",
        "resolve_tokens",
        "scan_macro_body",
        "split_frontmatter",
    ),
    "skills": ("gather_skill_cards", "load_skill_cards", "model_invocable_cards"),
}
"""Names by the module that has them; all others are the contract's."""

_MODULES = {name: module for module, names in _ELSEWHERE.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_MODULES.get(name, 'contract')}")
    return getattr(module, name)
