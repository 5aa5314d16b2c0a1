"""Where each piece of a session's prompt stands, and that it is what the composer says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from induscode.boot.features import Fragment
from induscode.boot.invocation import Invocation
from induscode.boot.materials import Materials
from induscode.boot.prompt import Prompt
from induscode.boot.surroundings import surroundings
from induscode.briefing import (
    BriefingInput,
    ComposeOptions,
    SubagentBrief,
    compose_briefing_with_options,
)
from induscode.conductor.ports import BriefSpan
from induscode.kernel.clock import FixedClock
from tests.briefing.compose.inputs import NOON

AGENTS = (SubagentBrief("scout", "Looks around."),)


@pytest.fixture
def materials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Materials:
    (tmp_path / "work").mkdir()
    (tmp_path / "AGENTS.md").write_text("Speak plainly.\n@style.md\n")
    (tmp_path / "style.md").write_text("No tabs.\n")
    folder = tmp_path / ".claude" / "skills" / "ship"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: ship\ndescription: Ships.\n---\nShip.\n")
    monkeypatch.chdir(tmp_path / "work")
    home = {"HOME": str(tmp_path), "INDUS_HOME": str(tmp_path / "indus")}
    return Materials(surroundings(Invocation(), {**os.environ, **home}))


def prompt(materials: Materials, options: ComposeOptions, *fragments: Fragment) -> Prompt:
    cwd = str(Path.cwd())
    errand = (BriefSpan("delegate", "You are sent.", "builtin:briefing"),) if fragments else ()
    return Prompt(
        options,
        cwd,
        cwd,
        FixedClock(NOON),
        materials,
        lambda: AGENTS,
        lambda: fragments,
        errand,
    )


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(ComposeOptions(), id="recipe"),
        pytest.param(ComposeOptions(prelude=" PRE\n", append_system="POST"), id="around"),
        pytest.param(ComposeOptions(system="BODY\n", append_system=" "), id="replaced"),
    ],
)
def test_the_spans_are_what_the_composer_says(
    materials: Materials, options: ComposeOptions
) -> None:
    made = prompt(materials, options).spans([])
    documents = materials.documents()
    ctx = BriefingInput(
        workspace=str(Path.cwd()),
        cwd=str(Path.cwd()),
        subagents=AGENTS,
        context_docs=documents.docs,
        skills=tuple(materials.skills().cards),
        now_ms=NOON,
    )
    assert len(documents.docs) == 2
    assert "\n\n".join(span.text for span in made) == compose_briefing_with_options(ctx, options)


def test_what_features_add_stands_after_its_section_or_before_the_footer(
    materials: Materials,
) -> None:
    added = [
        Fragment(slot, BriefSpan(f"{slot}/x", f"About {slot}.", "user:x"))
        for slot in ("footer", "features", "role", "skills", "no such section")
    ]
    names = [span.name for span in prompt(materials, ComposeOptions(), *added).spans([])]
    assert names[:4] == ["role", "delegate", "role/x", "guidelines"]
    assert names[-6:] == [
        "skills",
        "skills/x",
        "features/x",
        "no such section/x",
        "footer",
        "footer/x",
    ]
    replaced = prompt(materials, ComposeOptions(system="BODY"), *added).spans([])
    assert [span.name for span in replaced] == ["system", "delegate"]


def test_only_the_clock_is_not_compared(materials: Materials) -> None:
    made = {span.name: span.lasting for span in prompt(materials, ComposeOptions()).spans([])}
    assert made.pop("footer") == f"Working directory: {Path.cwd()}"
    assert set(made.values()) == {None}
