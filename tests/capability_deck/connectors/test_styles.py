"""Every style of a parameter, as the tables of the OpenAPI specification spell it."""

from __future__ import annotations

from typing import Any

import pytest

from induscode.capability_deck.connectors.operation import Parameter, Place, Style
from induscode.capability_deck.connectors.styles import in_cookie, in_header, in_path, in_query

LIST = ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}


def parameter(place: Place, style: Style, *, explode: bool, **more: Any) -> Parameter:
    return Parameter("color", "color", place, {}, style=style, explode=explode, **more)


@pytest.mark.parametrize(
    ("style", "explode", "value", "spelled"),
    [
        (Style.SIMPLE, False, "blue", "blue"),
        (Style.SIMPLE, False, LIST, "blue,black,brown"),
        (Style.SIMPLE, True, LIST, "blue,black,brown"),
        (Style.SIMPLE, False, OBJECT, "R,100,G,200,B,150"),
        (Style.SIMPLE, True, OBJECT, "R=100,G=200,B=150"),
        (Style.LABEL, False, "blue", ".blue"),
        (Style.LABEL, False, LIST, ".blue,black,brown"),
        (Style.LABEL, True, LIST, ".blue.black.brown"),
        (Style.LABEL, False, OBJECT, ".R,100,G,200,B,150"),
        (Style.LABEL, True, OBJECT, ".R=100.G=200.B=150"),
        (Style.MATRIX, False, "blue", ";color=blue"),
        (Style.MATRIX, True, "blue", ";color=blue"),
        (Style.MATRIX, False, LIST, ";color=blue,black,brown"),
        (Style.MATRIX, True, LIST, ";color=blue;color=black;color=brown"),
        (Style.MATRIX, False, OBJECT, ";color=R,100,G,200,B,150"),
        (Style.MATRIX, True, OBJECT, ";R=100;G=200;B=150"),
    ],
)
def test_a_path_parameter(style: Style, explode: bool, value: object, spelled: str) -> None:
    assert in_path(parameter(Place.PATH, style, explode=explode), value) == spelled


@pytest.mark.parametrize(
    ("style", "explode", "value", "spelled"),
    [
        (Style.FORM, True, "blue", "color=blue"),
        (Style.FORM, True, "", "color="),
        (Style.FORM, True, True, "color=true"),
        (Style.FORM, True, 1.5, "color=1.5"),
        (Style.FORM, True, LIST, "color=blue&color=black&color=brown"),
        (Style.FORM, False, LIST, "color=blue,black,brown"),
        (Style.FORM, False, [], ""),
        (Style.FORM, True, OBJECT, "R=100&G=200&B=150"),
        (Style.FORM, False, OBJECT, "color=R,100,G,200,B,150"),
        (Style.SPACE, False, LIST, "color=blue%20black%20brown"),
        (Style.SPACE, True, LIST, "color=blue&color=black&color=brown"),
        (Style.SPACE, False, OBJECT, "color=R%20100%20G%20200%20B%20150"),
        (Style.PIPE, False, LIST, "color=blue%7Cblack%7Cbrown"),
        (Style.PIPE, True, LIST, "color=blue&color=black&color=brown"),
        (Style.TAB, False, LIST, "color=blue%09black%09brown"),
        (Style.DEEP, True, OBJECT, "color[R]=100&color[G]=200&color[B]=150"),
        (Style.DEEP, True, {"a": {"b": [1, 2]}}, "color[a][b][0]=1&color[a][b][1]=2"),
        (Style.DEEP, True, "blue", "color=blue"),
        (Style.FORM, False, ["a,b", "c&d=é"], "color=a%2Cb,c%26d%3D%C3%A9"),
    ],
)
def test_a_query_parameter(style: Style, explode: bool, value: object, spelled: str) -> None:
    pairs = in_query(parameter(Place.QUERY, style, explode=explode), value)
    assert "&".join(f"{name}={each}" for name, each in pairs) == spelled


def test_reserved_characters_stay_where_that_is_allowed_but_never_those_that_end_a_value() -> None:
    given = parameter(Place.QUERY, Style.FORM, explode=True, allow_reserved=True)
    assert in_query(given, "a/b?c:[d]&e=f#g+h") == [("color", "a/b?c:[d]%26e%3Df%23g%2Bh")]


def test_a_parameter_with_content_is_sent_as_json() -> None:
    given = parameter(Place.QUERY, Style.FORM, explode=True, as_json=True)
    assert in_query(given, {"a": [1]}) == [("color", "%7B%22a%22%3A%5B1%5D%7D")]


@pytest.mark.parametrize(
    ("explode", "value", "spelled"),
    [
        (False, LIST, "blue,black,brown"),
        (False, OBJECT, "R,100,G,200,B,150"),
        (True, OBJECT, "R=100,G=200,B=150"),
        (False, 7, "7"),
    ],
)
def test_a_header_is_not_encoded(explode: bool, value: object, spelled: str) -> None:
    assert in_header(parameter(Place.HEADER, Style.SIMPLE, explode=explode), value) == spelled


@pytest.mark.parametrize("value", ["a\nb", "a\rb", "a\0b", "é"])
def test_a_header_takes_nothing_that_could_begin_another(value: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        in_header(parameter(Place.HEADER, Style.SIMPLE, explode=False), value)


def test_a_cookie() -> None:
    given = parameter(Place.COOKIE, Style.FORM, explode=False)
    assert in_cookie(given, LIST) == "color=blue,black,brown"
    assert in_cookie(given, "a; b") == "color=a%3B%20b"
