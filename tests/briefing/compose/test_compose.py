"""The composer: a recipe folded into one text."""

from __future__ import annotations

import copy
import subprocess
import sys

import msgspec
import pytest

from induscode.briefing import (
    BRIEFING_SECTION_IDS,
    BRIEFING_SECTIONS,
    BriefingInput,
    ComposeOptions,
    compose_briefing,
    compose_briefing_with_options,
    compose_with,
)
from induscode.briefing import sections as sections_module
from induscode.kernel.clock import iso
from tests.briefing.compose.golden import golden
from tests.briefing.compose.inputs import INPUTS, NOON, WHOLE
from tests.requirements import requirement


@requirement("briefing.golden")
@pytest.mark.parametrize("name", list(INPUTS))
def test_the_prompt_is_the_golden_one(name: str) -> None:
    ctx, options = INPUTS[name]
    assert compose_briefing_with_options(ctx, options) + "\n" == golden(name).read_text()


@requirement("briefing.pure")
def test_composing_reads_no_file_and_says_the_same_twice() -> None:
    program = """
import sys
from tests.briefing.compose.inputs import WHOLE
from induscode.briefing import compose_briefing
compose_briefing(WHOLE)
opened = []
sys.addaudithook(lambda event, args: opened.append(args) if event == "open" else None)
first, second = compose_briefing(WHOLE), compose_briefing(WHOLE)
assert first == second
assert not opened, opened
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=40)


@requirement("briefing.no-deck-import")
def test_the_briefing_imports_nothing_of_the_deck() -> None:
    program = """
import sys
from induscode.briefing import *
assert not [name for name in sys.modules if name.startswith("induscode.capability_deck")]
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=40)


@requirement(
    "briefing.section.gates-and-renders", "briefing.compose.trims", "briefing.compose.blank-lines"
)
def test_what_a_section_leaves_out_or_leaves_empty_is_not_there() -> None:
    made = [lambda _: "\n one \n", lambda _: None, lambda _: " \n\t", lambda _: "", lambda _: "two"]
    assert compose_with(made, BriefingInput()) == "one\n\ntwo"


@requirement("briefing.compose.order", "briefing.compose.recipe-is-data")
def test_a_recipe_is_rendered_in_its_order_whatever_stands_in_it() -> None:
    def house(ctx: BriefingInput) -> str:
        return f"House rules for {ctx.cwd}."

    ctx = BriefingInput(cwd="/repo", now_ms=NOON)
    recipe = [BRIEFING_SECTIONS[-1], house, BRIEFING_SECTIONS[0]]
    footer, rules, role = compose_with(recipe, ctx).split("\n\n")
    assert footer.startswith("Working directory: /repo")
    assert rules == "House rules for /repo."
    assert role.startswith("You are")


@requirement("briefing.compose.prelude-append")
@pytest.mark.parametrize(
    ("prelude", "append", "whole"),
    [
        pytest.param(" PRE\n", "\nPOST ", "PRE\n\none\n\nPOST", id="both"),
        pytest.param(" \n", None, "one", id="empty prelude"),
        pytest.param(None, "", "one", id="empty append"),
    ],
)
def test_what_stands_around_the_sections(
    prelude: str | None, append: str | None, whole: str
) -> None:
    assert compose_with([lambda _: "one"], BriefingInput(), prelude, append) == whole


@requirement("briefing.compose.default-recipe", "briefing.options.none")
def test_without_options_the_built_in_recipe_is_rendered() -> None:
    whole = compose_with(BRIEFING_SECTIONS, WHOLE)
    assert compose_briefing(WHOLE) == whole
    assert compose_briefing_with_options(WHOLE, ComposeOptions()) == whole


@requirement(
    "briefing.options.system-replaces", "briefing.options.prelude", "briefing.options.append"
)
def test_a_given_system_prompt_takes_the_place_of_every_section() -> None:
    def composed(system: str | None) -> str:
        options = ComposeOptions(system=system, prelude="PRE", append_system="POST")
        return compose_briefing_with_options(WHOLE, options)

    assert composed("BODY") == "PRE\n\nBODY\n\nPOST"
    usual = composed(None)
    assert usual.startswith("PRE\n\nYou are a terminal-based")
    assert usual.endswith("Z\n\nPOST")


@requirement("briefing.options.bracketing", "briefing.options.trimmed")
def test_each_override_is_trimmed_and_dropped_when_nothing_is_left() -> None:
    options = ComposeOptions(system=" BODY ", prelude="PRE\n", append_system=" \n")
    assert compose_briefing_with_options(WHOLE, options) == "PRE\n\nBODY"
    assert compose_briefing_with_options(WHOLE, ComposeOptions(system=" ")) == ""


@requirement("briefing.recipe.ten", "briefing.recipe.ids")
def test_the_recipe_has_ten_sections_with_stable_ids() -> None:
    assert BRIEFING_SECTION_IDS == (
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
    assert len(BRIEFING_SECTIONS) == len(BRIEFING_SECTION_IDS) == 10
    rendered = dict(
        zip(BRIEFING_SECTION_IDS, (s(WHOLE) or "" for s in BRIEFING_SECTIONS), strict=True)
    )
    headings = {name: text.splitlines()[0] for name, text in rendered.items()}
    assert headings["tools"] == "# Tools"
    assert headings["guidelines"] == "# Working guidance"
    assert headings["tasks"] == "# Task tracking"
    assert headings["subagents"] == "# Delegates"
    assert headings["plan-mode"] == "# Plan mode"
    assert headings["connectors"] == "# Connectors"
    assert headings["project-context"] == "# Project context"
    assert headings["skills"] == "# Skills"


@requirement("briefing.section.no-mutation", "briefing.input.immutable")
def test_sections_leave_their_input_as_it_is() -> None:
    before = copy.deepcopy(msgspec.to_builtins(WHOLE, enc_hook=str))
    compose_briefing(WHOLE)
    assert msgspec.to_builtins(WHOLE, enc_hook=str) == before
    with pytest.raises(AttributeError):
        WHOLE.cwd = "/elsewhere"  # pyright: ignore[reportAttributeAccessIssue] that is the test


@requirement("briefing.recipe.empty-input", "briefing.input.defaults")
def test_an_empty_input_has_a_role_guidance_and_a_footer() -> None:
    role, heading, bullets, footer = compose_briefing(BriefingInput()).split("\n\n")
    assert role.startswith("You are a terminal-based software engineering assistant")
    assert heading == "# Working guidance"
    assert [line[:2] for line in bullets.splitlines()] == ["- ", "- "]
    assert footer.startswith("Current time: ")


@requirement("briefing.input.now-ms", "briefing.clock.iso")
def test_a_given_time_is_the_footers_and_else_the_clock_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Later:
        def now_ms(self) -> int:
            return NOON + 1

    monkeypatch.setattr(sections_module, "SystemClock", Later)
    given = sections_module.section_footer(BriefingInput(now_ms=NOON))
    assert given == "Current time: 2026-06-04T12:00:00.000Z"
    assert sections_module.section_footer(BriefingInput()) == (
        "Current time: 2026-06-04T12:00:00.001Z"
    )


@requirement("briefing.clock.epoch-zero", "briefing.clock.leap-day")
@pytest.mark.parametrize(
    ("now", "text"),
    [
        pytest.param(0, "1970-01-01T00:00:00.000Z", id="the beginning"),
        pytest.param(1_709_251_199_123, "2024-02-29T23:59:59.123Z", id="a leap day"),
        pytest.param(253_402_300_799_999, "9999-12-31T23:59:59.999Z", id="the end"),
    ],
)
def test_times_are_written_in_utc_with_milliseconds(now: int, text: str) -> None:
    assert iso(now) == text
    assert compose_briefing(BriefingInput(now_ms=now)).endswith(f"Current time: {text}")


@requirement("briefing.input.cwd-preferred", "briefing.section.footer")
@pytest.mark.parametrize(
    ("ctx", "first"),
    [
        pytest.param(
            BriefingInput(workspace="/w", cwd="/w/sub"), "Working directory: /w/sub", id="cwd"
        ),
        pytest.param(BriefingInput(workspace="/w"), "Working directory: /w", id="workspace"),
        pytest.param(BriefingInput(), "Current time: ", id="neither"),
    ],
)
def test_the_footer_says_where(ctx: BriefingInput, first: str) -> None:
    footer = sections_module.section_footer(ctx) or ""
    assert footer.splitlines()[0].startswith(first)
    assert footer.splitlines()[-1].startswith("Current time: ")
