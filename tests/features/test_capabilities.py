"""Capabilities as words and as data: what is written is read again, and one is not another."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from induscode.feature.capability import (
    AnyCapability,
    InheritEnvironment,
    SendMessage,
    SetModel,
    SetThinking,
    ShapeEnvironment,
    parse_capability,
)

WORDS: dict[str, AnyCapability] = {
    "send-message": SendMessage(),
    "set-model": SetModel(),
    "set-thinking": SetThinking(),
    "shape-environment(TARGET)": ShapeEnvironment("TARGET"),
    "inherit-environment(LANG)": InheritEnvironment("LANG"),
}


@pytest.mark.parametrize("text", WORDS)
def test_the_words_of_a_capability_are_read_again(text: str) -> None:
    assert parse_capability(text) == WORDS[text]
    assert WORDS[text].text() == text


@pytest.mark.parametrize("text", WORDS)
def test_a_capability_survives_json(text: str) -> None:
    encoded = msgspec.json.encode(WORDS[text])
    assert msgspec.json.decode(encoded, type=AnyCapability) == WORDS[text]
    assert msgspec.json.decode(encoded)["kind"] == text.partition("(")[0]


def test_a_grant_for_one_variable_is_none_for_another_or_for_another_use() -> None:
    held = ShapeEnvironment("TARGET")
    assert held.covers(ShapeEnvironment("TARGET"))
    assert not held.covers(ShapeEnvironment("PATH"))
    assert not held.covers(InheritEnvironment("TARGET"))
    for one in WORDS.values():
        assert [other for other in WORDS.values() if one.covers(other)] == [one]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("shape-environment", "in brackets stands name"),
        ("shape-environment(A, B)", "in brackets stands name"),
        ("set-model(scripted)", "in brackets stands nothing"),
        ("send-message(", "the closing"),
    ],
)
def test_words_that_are_none_are_told_with_what_there_is(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parse_capability(text)


def test_every_kind_has_a_name_of_its_own() -> None:
    tags = [str(kind.__struct_config__.tag) for kind in get_args(AnyCapability)]
    assert len(set(tags)) == len(tags)
