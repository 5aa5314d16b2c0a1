"""Skills that the prompt has no room for are found by a tool, which is bounded as every tool is."""

from __future__ import annotations

import json

import pytest

from tests.briefing.turn.kept import skill
from tests.cli.home import Home, answer

SEARCH = ("skill_search", {"query": "whale songs"})
TABLE = "[briefing]\nmax_skills_characters = 400\n"


@pytest.fixture
def many(home: Home) -> Home:
    home.config(TABLE)
    for number in range(6):
        skill(home, f"s-{number}", "x", description=f"Number {number} does things.")
    skill(home, "whales", "Sing.", description="Whale songs and how to sing them.")
    skill(home, "z-hidden", "x", description="Whale songs.", disable_model_invocation="true")
    return home


def tools(home: Home) -> list[str]:
    return [row["name"] for row in home.entries("toolset")[-1]["tools"]]


@pytest.mark.parametrize("mode", ["plan", "ask", "full"])
def test_it_finds_what_is_not_listed_in_every_mode_and_nothing_hidden(
    many: Home, mode: str
) -> None:
    ran = many.run("-p", "go", "-m", many.script(answer("", SEARCH) + answer()), "--mode", mode)
    assert ran.code == 0, ran.err
    (result,) = many.entries("result")
    told = result["content"][0]["text"]
    assert result["outcome"] == "ok"
    assert "whales: Whale songs and how to sing them." in told
    assert str(many.indus / "skills/whales/SKILL.md") in told
    assert "z-hidden" not in told
    assert [row["by"] for row in many.entries("toolset")[0]["tools"]][-1] == "builtin:skills"


def test_it_takes_a_limit_and_refuses_what_is_none(many: Home) -> None:
    calls = [
        ("skill_search", {"query": "things", "limit": 2}),
        ("skill_search", {"query": "things", "limit": 0}),
        ("skill_search", {"query": 7}),
    ]
    many.run("-p", "go", "-m", many.script(answer("", *calls) + answer()))
    results = sorted(many.entries("result"), key=lambda entry: entry["call"])
    assert [entry["outcome"] for entry in results] == ["ok", "invalid", "invalid"]
    assert results[0]["content"][0]["text"].count("does things.") == 2


def test_it_is_there_only_when_the_list_is_too_long(many: Home) -> None:
    many.config("")
    many.run("-p", "go", "-m", many.script(answer()))
    assert "skill_search" not in tools(many)


@pytest.mark.parametrize(
    ("words", "there"),
    [
        ([], True),
        (["--tools", "read,skill-search"], True),
        (["--tools", "read"], False),
        (["--no-tools"], False),
        (["--profile", "read-only"], False),
        (["--profile", "coding"], False),
        (["--profile", "all"], True),
    ],
)
def test_flags_bound_it_as_every_tool(many: Home, words: list[str], there: bool) -> None:
    assert many.run("-p", "go", "-m", many.script(answer()), *words).code == 0
    assert ("skill_search" in tools(many)) is there


def test_a_deny_rule_and_a_withdrawn_grant_take_it_away(many: Home) -> None:
    script = many.script(answer("", SEARCH) + answer())
    many.run("-p", "go", "-m", script, "--deny", "skill_search")
    assert [entry["outcome"] for entry in many.entries("result")] == ["denied"]
    withdrawn = many.run("grants", "withdraw", "builtin:skills", "contribute-tool(skill_search)")
    assert withdrawn.code == 0, withdrawn.err
    many.run("-p", "go", "-m", many.script(answer()))
    assert "skill_search" not in tools(many)


def test_the_feature_is_listed_with_its_commands_and_its_tool(many: Home) -> None:
    listed = json.loads(many.run("feature", "list", "--json").out)
    (report,) = [each for each in listed if each["feature_id"] == "builtin:skills"]
    assert report["installed_tools"] == ["skill_search"]
    assert "skill:whales" in report["installed_commands"]
    assert "skill:z-hidden" in report["installed_commands"]
