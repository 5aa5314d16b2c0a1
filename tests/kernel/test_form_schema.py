"""What a server asks becomes a form, or a reason why it cannot."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from induscode.kernel.form import (
    ChoiceKind,
    ChoicesKind,
    Form,
    FormField,
    NumberKind,
    Option,
    TextKind,
    YesNoKind,
)
from induscode.kernel.form_schema import (
    DESCRIPTION_CHARACTERS,
    FIELDS_MOST,
    MESSAGE_CHARACTERS,
    NAME_CHARACTERS,
    OPTIONS_MOST,
    URL_CHARACTERS,
    VALUE_CHARACTERS,
    UnreadableForm,
    form_of_schema,
    form_of_url,
)
from induscode.kernel.form_values import form_problem

RED = (Option("r", "Red"), Option("g", "Green"))


def read(schema: Any, message: str = "Hello?") -> Form:
    return form_of_schema("1", "the MCP server 'x'", message, schema)


def field(schema: Any, *required: str) -> FormField:
    (made,) = read({"type": "object", "properties": {"f": schema}, "required": [*required]}).fields
    return made


def visit(url: str) -> Form:
    return form_of_url("1", "the MCP server 'x'", "Go there.", url)


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "string"}, TextKind(VALUE_CHARACTERS)),
        ({"type": "string", "minLength": 2, "maxLength": 5}, TextKind(5, 2)),
        ({"type": "string", "maxLength": 10**9}, TextKind(VALUE_CHARACTERS)),
        ({"type": "string", "format": "email"}, TextKind(VALUE_CHARACTERS, format="email")),
        ({"type": "string", "format": "date-time"}, TextKind(VALUE_CHARACTERS, format="date-time")),
        ({"type": "number", "minimum": 0.5, "maximum": 2}, NumberKind(least=0.5, most=2)),
        ({"type": "integer", "exclusiveMinimum": 0}, NumberKind(whole=True, above=0)),
        ({"type": "boolean"}, YesNoKind()),
        ({"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]}, ChoiceKind(RED)),
        ({"enum": ["r"]}, ChoiceKind((Option("r", "r"),))),
        ({"type": "string", "const": "r"}, ChoiceKind((Option("r", "r"),))),
        (
            {
                "type": "string",
                "oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}],
            },
            ChoiceKind(RED),
        ),
        (
            {"type": "array", "items": {"type": "string", "enum": ["r"]}, "minItems": 1},
            ChoicesKind((Option("r", "r"),), 1, 1),
        ),
        (
            {
                "type": "array",
                "maxItems": 9,
                "items": {
                    "anyOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]
                },
            },
            ChoicesKind(RED, 0, 2),
        ),
    ],
)
def test_each_kind_of_field_is_read(schema: dict[str, Any], kind: object) -> None:
    assert field(schema).kind == kind


def test_what_a_field_says_of_itself_is_kept_and_defaults_are_those_that_fit() -> None:
    said = {"type": "string", "title": "Name", "description": "Yours.", "default": "Ada"}
    made = field(said, "f")
    assert (made.title, made.description, made.default, made.required) == (
        "Name",
        "Yours.",
        "Ada",
        True,
    )
    assert field({"type": "string", "maxLength": 2, "default": "Ada"}).default is None
    assert field({"type": "integer", "default": 1.5}).default is None
    assert field({"type": "string", "default": "a\x1b[2Jb"}).default is None
    assert field({"type": "boolean", "default": False}).default is False


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "T"},
        {"type": ["string", "null"], "title": "T"},
    ],
)
def test_a_value_that_may_be_null_is_optional_for_the_person(schema: dict[str, Any]) -> None:
    made = field(schema, "f")
    assert (made.kind, made.title) == (TextKind(VALUE_CHARACTERS), "T")
    assert (made.required, made.or_null) == (False, True)
    assert not field(schema).or_null


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "string", "pattern": "(a+)+$"}, "'pattern'"),
        ({"type": "string", "format": "password"}, "format"),
        ({"type": "string", "format": ["email"]}, "format"),
        ({"type": "string", "minLength": -1}, "minLength"),
        ({"type": "string", "minLength": 5, "maxLength": 4}, "length"),
        ({"type": "string", "minLength": VALUE_CHARACTERS + 1}, "length"),
        ({"type": "number", "minimum": "1"}, "minimum"),
        ({"type": "number", "maximum": float("nan")}, "maximum"),
        ({"type": "number", "multipleOf": 2}, "'multipleOf'"),
        ({"type": "object", "properties": {}}, "no text, number"),
        ({"type": "array", "items": {"type": "string"}}, "something else than choices"),
        ({"type": "array", "items": {"type": "number", "enum": ["a"]}}, "something else"),
        ({"type": "array", "items": {"enum": ["a"]}, "minItems": 2}, "more choices"),
        ({"type": "string", "enum": []}, "no choices"),
        ({"type": "string", "enum": ["a"] * 2}, "twice"),
        ({"type": "string", "enum": [str(n) for n in range(OPTIONS_MOST + 1)]}, "more than"),
        ({"type": "string", "enum": ["a\x1b"]}, "no usable text"),
        ({"type": "string", "enum": [1]}, "no usable text"),
        ({"type": "string", "enum": "ab"}, "`enum`"),
        ({"type": "string", "enum": ["a"], "oneOf": []}, "two ways"),
        ({"$ref": "file:///etc/passwd"}, "no text"),
        ({"type": "string", "$ref": "#/x"}, "'$ref'"),
        ({"type": ["string", "number"]}, "no text"),
        (True, "no schema"),
        ({}, "no text"),
    ],
)
def test_what_could_not_be_checked_is_not_asked(schema: Any, why: str) -> None:
    with pytest.raises(UnreadableForm) as caught:
        field(schema)
    assert why in caught.value.message
    assert "f" in caught.value.message


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {"properties": []},
        {"required": ["g"], "properties": {"f": {"type": "boolean"}}},
        {"required": "f", "properties": {"f": {"type": "boolean"}}},
        {"properties": {f"f{n}": {"type": "boolean"} for n in range(FIELDS_MOST + 1)}},
        {"properties": {"a\nb": {"type": "boolean"}}},
        {"properties": {"": {"type": "boolean"}}},
        {"properties": {"x" * (NAME_CHARACTERS + 1): {"type": "boolean"}}},
        {"properties": {}, "allOf": []},
    ],
)
def test_a_form_that_is_none_is_unreadable(schema: dict[str, Any]) -> None:
    with pytest.raises(UnreadableForm):
        read(schema)


def test_the_server_s_texts_are_bounded_and_cleaned() -> None:
    schema = {"type": "string", "title": "a\x1b]0;x\x07\nb\u202e", "description": "d\n" * 9_000}
    made = read({"properties": {"f": schema}}, "one\ntwo\x9b2J" + "m" * 9_000)
    assert made.fields[0].title == "a\ufffd]0;x\ufffd b\ufffd"
    assert len(made.fields[0].description) == DESCRIPTION_CHARACTERS
    assert made.message.startswith("one\ntwo\ufffd2J")
    assert (len(made.message), made.message[-1]) == (MESSAGE_CHARACTERS, "…")


def test_an_address_is_kept_whole_with_its_host() -> None:
    made = visit("https://Example.com:8443/a?b=c#d")
    assert (made.url, made.host) == ("https://Example.com:8443/a?b=c#d", "Example.com:8443")
    assert visit("http://[::1]:80/").host == "[::1]:80"
    assert visit("https://\u0430pple.com/").host == "xn--pple-43d.com"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "ftp://a.example/",
        "file:///etc/passwd",
        "https://",
        "https:evil.example",
        "https://good.example@evil.example/",
        "https://u:p@evil.example/",
        "https://evil.example\\@good.example/",
        "https://a.example/ b",
        "https://a.example/\x1b[2J",
        "https://a.example/\u202eb",
        "https://[::1/",
        "https://a.example:port/",
        "https://a.example/" + "x" * URL_CHARACTERS,
        "https://\u2100.example/",
    ],
)
def test_an_address_that_hides_where_it_leads_is_unreadable(url: str) -> None:
    with pytest.raises(UnreadableForm):
        visit(url)


TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
WORDS = ("enum", "enumNames", "oneOf", "anyOf", "const", "items", "format", "minLength", "maximum")
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(("", "a", "\ud800", "\x1b", "email", *TYPES)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from((*WORDS, "type", "title", "default")), inner, max_size=4)
    ),
    max_leaves=8,
)
FIELDS = JUNK | st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES)}, optional=dict.fromkeys((*WORDS, "default"), JUNK)
)


@given(FIELDS, JUNK)
def test_whatever_the_schema_is_there_is_a_form_or_a_reason(schema: Any, value: Any) -> None:
    try:
        form = read({"type": "object", "properties": {"f": schema}})
    except UnreadableForm:
        return
    problem = form_problem(form, {"f": value})
    assert problem is None or problem.startswith("'f' must ")
    default = form.fields[0].default
    assert default is None or form_problem(form, {"f": default}) is None
