"""Every name of the briefing is where its users look for it."""

from __future__ import annotations

import typing
from importlib import import_module
from pathlib import Path

import pytest

import induscode.briefing as face
from induscode.briefing import contract
from induscode.briefing.contract import BriefingFaultKind
from tests.requirements import requirement

CONTRACT = (
    "BriefingFault",
    "BriefingInput",
    "BriefingSection",
    "ComposeOptions",
    "ContextDoc",
    "Macro",
    "MacroDef",
    "MacroOrigin",
    "MacroScope",
    "MacroToken",
    "SKILL_DESCRIPTION_LIMIT",
    "SKILL_NAME_LIMIT",
    "SectionFn",
    "SkillCard",
    "SkillDiagnostic",
    "SkillFrontmatter",
    "SkillLoad",
    "SkillOutcomeKind",
    "SkillRoot",
    "SubagentBrief",
    "ToolDoc",
)
ELSEWHERE = {
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
PLACES = [(name, "contract") for name in CONTRACT] + [
    (name, module) for module, names in ELSEWHERE.items() for name in names
]


@requirement(
    "briefing.surface.compose",
    "briefing.surface.sections",
    "briefing.surface.input",
    "briefing.surface.options",
    "briefing.surface.tool-doc",
    "briefing.surface.context-doc",
    "briefing.surface.macro-scope",
    "briefing.surface.skill-card",
    "briefing.surface.skill-diagnostic",
    "briefing.surface.skill-limits",
    "briefing.surface.fault",
    "briefing.surface.scan",
    "briefing.surface.apply",
    "briefing.surface.load-macros",
    "briefing.surface.gather-docs",
    "briefing.surface.skills",
)
@pytest.mark.parametrize(("name", "module"), PLACES)
def test_a_name_is_at_the_face_and_in_its_module(name: str, module: str) -> None:
    there = import_module(f"induscode.briefing.{module}")
    assert getattr(face, name) is getattr(there, name)
    assert name in there.__all__


def test_the_face_has_these_names_and_no_others() -> None:
    assert sorted(face.__all__) == sorted(name for name, _ in PLACES)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = face.Nothing  # pyright: ignore[reportAttributeAccessIssue] that is the test


def fields(struct: type) -> list[str]:
    return [name for name in typing.get_type_hints(struct) if not name.startswith("__")]


@requirement("briefing.surface.section-types", "briefing.surface.context-alias")
def test_aliases_are_the_same_thing() -> None:
    assert face.SectionFn is face.BriefingSection
    assert contract.BriefingContext is face.BriefingInput
    assert "BriefingContext" not in face.__all__


@requirement("briefing.surface.macro-def")
def test_a_macro_is_a_macro_def() -> None:
    assert face.Macro is face.MacroDef
    assert fields(face.MacroDef)[:5] == ["name", "description", "body", "origin", "source"]


@requirement("briefing.surface.macro-token")
def test_a_token_is_one_of_four() -> None:
    kinds = {kind.__name__ for kind in typing.get_args(face.MacroToken)}
    assert kinds == {"Literal", "Positional", "All", "Slice"}


@requirement("briefing.surface.macro-origin")
def test_an_origin_has_a_label() -> None:
    assert [(o.value, o.label()) for o in face.MacroOrigin] == [
        ("user", "(user)"),
        ("project", "(project)"),
        ("path", "(path)"),
        ("builtin", "(builtin)"),
    ]


@requirement("briefing.surface.subagent-brief")
def test_a_subagent_may_say_when() -> None:
    assert face.SubagentBrief("a", "b").when is None
    assert fields(face.SubagentBrief)[:3] == ["name", "purpose", "when"]


@requirement("briefing.surface.skill-frontmatter", "briefing.skill.card-fields")
def test_the_fields_of_a_skill() -> None:
    assert fields(face.SkillFrontmatter)[:7] == [
        "name",
        "description",
        "license",
        "compatibility",
        "metadata",
        "allowed_tools",
        "disable_model_invocation",
    ]
    assert fields(face.SkillCard)[:6] == [
        "name",
        "description",
        "body",
        "location",
        "origin",
        "frontmatter",
    ]


@requirement("briefing.surface.skill-load", "briefing.surface.skill-root")
def test_the_fields_of_a_load_and_a_root() -> None:
    assert fields(face.SkillLoad) == ["cards", "diagnostics"]
    assert face.SkillRoot(Path("/x"), face.MacroOrigin.USER).dir == Path("/x")
    assert {kind.value for kind in face.SkillOutcomeKind} == {
        "loaded",
        "skipped",
        "invalid",
        "collision",
    }


@requirement("briefing.fault.kinds", "briefing.fault.text")
def test_a_fault_says_its_kind_first() -> None:
    assert {kind.value for kind in BriefingFaultKind} == {"macro invalid", "skill invalid"}
    fault = face.BriefingFault(BriefingFaultKind.MACRO_INVALID, "/x/deploy.md: no text")
    assert str(fault) == "macro invalid: /x/deploy.md: no text"
    other = face.BriefingFault(BriefingFaultKind.SKILL_INVALID, "y")
    assert (str(other), other.kind) == ("skill invalid: y", BriefingFaultKind.SKILL_INVALID)
