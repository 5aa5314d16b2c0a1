"""What may stand in a field, given by a program or typed by a person."""

from __future__ import annotations

from typing import Any

import pytest

from induscode.kernel.form import (
    ChoiceKind,
    ChoicesKind,
    Form,
    FormField,
    FormKind,
    NumberKind,
    Option,
    TextKind,
    YesNoKind,
)
from induscode.kernel.form_values import Wrong, form_problem, read_typed, value_problem

TEXT = TextKind(5, 2)
WHOLE = NumberKind(whole=True, least=1, most=9)
REAL = NumberKind(above=0, below=1)
COLOURS = (Option("r", "Red"), Option("g", "Green"), Option("1", "One"))
ONE, SOME = ChoiceKind(COLOURS), ChoicesKind(COLOURS, 1, 2)


def formatted(form: Any) -> TextKind:
    return TextKind(100, format=form)


FITS: list[tuple[FormKind, Any]] = [
    (TEXT, "ab"),
    (TEXT, "ä中🎉bc"),
    (formatted("email"), "ada@example.com"),
    (formatted("email"), "a+b@localhost"),
    (formatted("uri"), "https://example.com/a?b#c"),
    (formatted("uri"), "mailto:ada@example.com"),
    (formatted("date"), "2024-02-29"),
    (formatted("date-time"), "2026-01-31T09:30:00Z"),
    (formatted("date-time"), "2026-01-31t09:30:00.123+02:00"),
    (WHOLE, 1),
    (WHOLE, 9.0),
    (REAL, 0.5),
    (YesNoKind(), False),
    (ONE, "g"),
    (SOME, ["g", "r"]),
]
DOES_NOT_FIT: list[tuple[FormKind, Any, str]] = [
    (TEXT, "a", "at least 2"),
    (TEXT, "abcdef", "at most 5"),
    (TEXT, 12, "a text"),
    (TEXT, "a\ud800", "UTF-8"),
    (formatted("email"), "ada", "e-mail"),
    (formatted("email"), "a@b@c", "e-mail"),
    (formatted("email"), "a b@c.d", "e-mail"),
    (formatted("email"), "a@b..c", "e-mail"),
    (formatted("uri"), "example.com", "scheme"),
    (formatted("uri"), "https://a b", "scheme"),
    (formatted("date"), "2023-02-29", "a date"),
    (formatted("date"), "20230201", "a date"),
    (formatted("date"), "202\uff13-02-01", "a date"),
    (formatted("date-time"), "2026-01-31T09:30:00", "zone"),
    (formatted("date-time"), "2026-01-31", "zone"),
    (formatted("date-time"), "2026-01-31T25:30:00Z", "zone"),
    (WHOLE, 0, "at least 1"),
    (WHOLE, 10, "at most 9"),
    (WHOLE, 1.5, "whole"),
    (WHOLE, True, "number"),
    (WHOLE, "1", "number"),
    (REAL, 0, "more than 0"),
    (REAL, 1, "less than 1"),
    (NumberKind(), float("nan"), "number"),
    (NumberKind(), float("inf"), "number"),
    (NumberKind(), 2**64, "number"),
    (YesNoKind(), 1, "true or false"),
    (ONE, "Green", "list"),
    (ONE, ["g"], "list"),
    (SOME, "g", "a list"),
    (SOME, [], "at least 1"),
    (SOME, ["r", "g", "1"], "at most 2"),
    (SOME, ["r", "r"], "twice"),
    (SOME, ["x"], "list"),
    (SOME, [["r"]], "list"),
]


@pytest.mark.parametrize(("kind", "value"), FITS)
def test_a_value_that_fits_is_taken(kind: FormKind, value: Any) -> None:
    assert value_problem(kind, value) is None


@pytest.mark.parametrize(("kind", "value", "why"), DOES_NOT_FIT)
def test_a_value_that_does_not_fit_is_told_why(kind: FormKind, value: Any, why: str) -> None:
    problem = value_problem(kind, value)
    assert problem is not None
    assert problem.startswith("must ")
    assert why in problem


@pytest.mark.parametrize(
    ("kind", "line", "value"),
    [
        (TEXT, " ab ", " ab "),
        (formatted("email"), " ada@example.com ", "ada@example.com"),
        (WHOLE, " 7 ", 7),
        (WHOLE, "7.0", 7),
        (NumberKind(), "-1.5e3", -1500.0),
        (YesNoKind(), "Yes", True),
        (YesNoKind(), "n", False),
        (ONE, "2", "g"),
        (ONE, "green", "g"),
        (ONE, "r", "r"),
        (ONE, "1", "r"),
        (ONE, "3", "1"),
        (SOME, "1, green", ["r", "g"]),
        (SOME, "g,2,Green,", ["g"]),
    ],
)
def test_a_typed_line_means_a_value(kind: FormKind, line: str, value: Any) -> None:
    read = read_typed(FormField("f", kind, "f"), line)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (TEXT, "abcdef"),
        (WHOLE, "seven"),
        (WHOLE, "1_0"),
        (WHOLE, "٣"),
        (WHOLE, "9" * 10_000),
        (NumberKind(), "nan"),
        (NumberKind(), "1e999"),
        (NumberKind(), "9" * 300),
        (YesNoKind(), "maybe"),
        (ONE, "4"),
        (ONE, "0"),
        (ONE, "9" * 10_000),
        (SOME, "1,4"),
        (SOME, "1,2,3"),
    ],
)
def test_a_typed_line_that_means_none_is_told_why(kind: FormKind, line: str) -> None:
    assert isinstance(read_typed(FormField("f", kind, "f"), line), Wrong)


def test_a_whole_form_is_looked_at() -> None:
    form = Form(
        "1",
        "s",
        "m",
        (FormField("a", TEXT, "A", required=True), FormField("b", WHOLE, "B")),
    )
    assert form_problem(form, {"a": "ab"}) is None
    assert form_problem(form, {"a": "ab", "b": 1}) is None
    assert form_problem(form, {"b": 1}) == "'a' is missing"
    assert form_problem(form, {"a": "ab", "b": 0}) == "'b' must be at least 1"
    assert form_problem(form, {"a": "ab", "c": 0}) == "'c' is no field of this form"
