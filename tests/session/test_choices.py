"""Which model a session goes on with."""

from __future__ import annotations

import pytest

from induscode.kernel.request import Parameters
from induscode.session.choices import SET_MODEL, SET_THINKING, Choice, last_choice
from induscode.session.entries import Entry, Hook, ModelChoice, Notice


def model(name: str, thinking: str = "off", reason: str = "input") -> ModelChoice:
    return ModelChoice(
        provider="p",
        model=name,
        wire="scripted",
        parameters=Parameters(max_output=1, thinking=thinking),
        reason=reason,
    )


def chose(point: str, value: str) -> Hook:
    return Hook(point=point, decision="rewrite", reason=value)


@pytest.mark.parametrize(
    ("entries", "choice"),
    [
        ([], Choice()),
        ([model("a", "low")], Choice("p/a", "low")),
        ([model("a"), model("b", "high"), Notice(text="x")], Choice("p/b", "high")),
        ([model("a"), model("b", "high", "fallback: gone")], Choice("p/a", "off")),
        ([model("a"), chose(SET_MODEL, "q/c")], Choice("q/c", "off")),
        ([model("a"), chose(SET_THINKING, "high")], Choice("p/a", "high")),
        ([model("a"), chose(SET_MODEL, "q/c"), chose(SET_MODEL, "q/d")], Choice("q/d", "off")),
        ([model("a"), chose(SET_MODEL, "q/c"), model("b")], Choice("p/b", "off")),
        ([model("a"), chose("exec", "ls")], Choice("p/a", "off")),
    ],
)
def test_the_last_choice_counts(entries: list[Entry], choice: Choice) -> None:
    assert last_choice(entries) == choice
