"""What is told of a change: the places, and no more than a person can read."""

from __future__ import annotations

import pytest

from induscode.addons.trial.differences import DIFFERENCES_MOST, TEXT_MOST, differences
from induscode.addons.trial.report import Difference
from induscode.kernel.tool import ToolResult


def test_the_same_value_has_no_differences() -> None:
    assert differences({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}) == ()


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 2}, [Difference("a", "1", "2")]),
        ({"a": 1}, {"a": True}, [Difference("a", "1", "true")]),
        ({"a": 1}, {}, [Difference("a", "1", None)]),
        ({}, {"a": "x"}, [Difference("a", None, "x")]),
        ({"a": {"b": "x"}}, {"a": {"b": "y"}}, [Difference("a.b", "x", "y")]),
        ([1, 2, 3], [1, 3], [Difference("[1]", "2", None)]),
        ([1, 3], [1, 2, 3], [Difference("[1]", None, "2")]),
        ([{"a": 1}], [{"a": 2}], [Difference("[0].a", "1", "2")]),
        ({"a": [1]}, {"a": "x"}, [Difference("a", "[1]", "x")]),
    ],
)
def test_each_place_that_differs_is_named(
    before: object, after: object, expected: list[Difference]
) -> None:
    assert list(differences(before, after)) == expected


def test_a_result_is_compared_by_what_can_be_read_of_it() -> None:
    found = differences(ToolResult.text("one"), ToolResult.error("two"))

    assert found == (
        Difference("content[0].text", "one", "two"),
        Difference("is_error", "false", "true"),
    )


def test_a_long_text_is_cut_around_its_first_difference() -> None:
    before = "a" * 10_000 + "X" + "b" * 10_000
    after = "a" * 10_000 + "Y" + "b" * 10_000

    (found,) = differences({"text": before}, {"text": after})

    assert found.before is not None
    assert found.after is not None
    assert "X" in found.before
    assert "Y" in found.after
    assert len(found.before) <= TEXT_MOST + 2
    assert found.before.startswith("…")
    assert found.before.endswith("…")


def test_of_very_many_differences_the_first_are_told_and_the_others_counted() -> None:
    before = {f"k{number:03}": 0 for number in range(100)}

    found = differences(before, dict.fromkeys(before, 1))

    assert len(found) == DIFFERENCES_MOST + 1
    assert found[-1] == Difference("and 60 more places")


def test_a_long_list_of_the_same_is_compared_place_by_place() -> None:
    before = [{"text": "the same"}] * 50_000
    after = [*before[:49_999], {"text": "another"}]

    (found,) = differences(before, after)

    assert found == Difference("[49999].text", "the same", "another")
