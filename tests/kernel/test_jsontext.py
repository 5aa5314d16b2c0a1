"""JSON at the boundary: what is kept as it came, and what is refused."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from induscode.kernel.content import ToolCall
from induscode.kernel.jsontext import (
    MAX_DEPTH,
    JsonProblem,
    canonical,
    clean_text,
    digest,
    parse_object,
    raw_json,
)
from tests.requirements import requirement


class Point(msgspec.Struct):
    x: float


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain", "plain"),
        ("naïve 😀", "naïve 😀"),
        ("a\ud800b", "a\ufffdb"),
        ("\udcff.txt", "\ufffd.txt"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("\ufffd", "\ufffd"),
    ],
)
def test_lone_surrogates_are_replaced_and_it_is_said(text: str, cleaned: str):
    assert clean_text(text) == (cleaned, text != cleaned)
    cleaned.encode()


def test_a_file_name_that_is_not_utf8_becomes_text_that_can_be_encoded():
    name = b"caf\xe9.txt".decode(errors="surrogateescape")
    assert clean_text(name) == ("caf\ufffd.txt", True)


@requirement("log.pitfall.05-non-finite-numbers")
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(
    "wrap",
    [lambda n: n, lambda n: [n], lambda n: {"a": (n,)}, Point],
    ids=["bare", "list", "tuple", "struct"],
)
def test_numbers_that_are_not_finite_are_refused_in_our_own_data(number: float, wrap):
    with pytest.raises(JsonProblem, match="finite"):
        canonical(wrap(number))


@requirement("log.pitfall.05-non-finite-numbers")
@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400"])
def test_numbers_that_are_not_finite_are_refused_in_others_json(number: str):
    for text in (f'{{"a":{number}}}', f'{{"a":[{{"b":{number}}}]}}'):
        with pytest.raises(JsonProblem):
            parse_object(text)


@requirement("log.pitfall.06-keep-json-bytes")
def test_numbers_keys_and_escapes_keep_their_spelling_and_only_white_space_goes():
    text = ' {"b": 1.0, "a" :1e2,\n"c":[1.50, -0.0, 12345678901234567890123], "d":"\\u00e9 é" } '
    raw, value = parse_object(text)
    kept = b'{"b":1.0,"a":1e2,"c":[1.50,-0.0,12345678901234567890123],"d":"\\u00e9 \xc3\xa9"}'
    assert bytes(raw) == kept
    assert list(value) == ["b", "a", "c", "d"]
    assert parse_object(text.encode()) == (raw, value)


@requirement("log.pitfall.07-duplicate-keys")
@pytest.mark.parametrize(
    "text",
    ['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"x":[{"k":1,"k":1}]}', '{"a":1,"b":2,"a":1}'],
)
def test_a_key_that_appears_twice_is_refused_by_name(text: str):
    with pytest.raises(JsonProblem, match="appears twice"):
        parse_object(text)


@requirement("log.pitfall.08-broken-tool-json")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a":',
        '{"a":1,}',
        "{'a':1}",
        '{"a":1} x',
        "[1]",
        '"text"',
        "null",
        "1",
        "{]",
        "\x00",
    ],
)
def test_what_is_no_json_object_is_refused_with_a_sentence(text: str):
    with pytest.raises(JsonProblem) as refused:
        parse_object(text)
    assert len(str(refused.value)) > 10


@pytest.mark.parametrize("data", [b'{"a":"\xff"}', b"\xef\xbb\xbf{}", '{"a":"\ud800"}', b"\xff"])
@requirement("log.pitfall.08-broken-tool-json")
def test_bytes_and_text_that_cannot_be_encoded_are_refused(data: bytes | str):
    with pytest.raises(JsonProblem):
        parse_object(data)


@pytest.mark.parametrize("text", ['{"a":"\\ud800"}', '{"\\udc00":1}', '{"a":["\\ud800\\u0041"]}'])
def test_an_escaped_lone_surrogate_is_refused(text: str):
    with pytest.raises(JsonProblem):
        parse_object(text)


def nested(depth: int) -> str:
    return '{"a":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


@requirement("log.pitfall.03-deep-nesting")
def test_nesting_is_read_up_to_the_limit_and_refused_beyond_it():
    assert parse_object(nested(MAX_DEPTH))[1]
    for depth in (MAX_DEPTH + 2, 500, 2_000, 100_000):
        with pytest.raises(JsonProblem, match="nested deeper"):
            parse_object(nested(depth))


@requirement("log.pitfall.03-deep-nesting")
@pytest.mark.parametrize("depth", [MAX_DEPTH + 2, 100_000])
def test_nesting_of_our_own_data_is_capped(depth: int):
    value: object = 1
    for _ in range(depth):
        value = [value]
    with pytest.raises(JsonProblem, match="nested deeper"):
        canonical(value)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_what_a_gate_reads_is_what_a_tool_is_given(value: dict[str, object]):
    raw, read = parse_object(json.dumps(value, indent=1))
    assert read == value
    assert ToolCall("a", "t", raw).decoded() == value


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_canonical_bytes_do_not_depend_on_the_order_of_keys(value: dict[str, object]):
    turned = dict(reversed(list(value.items())))
    assert canonical(value) == canonical(turned)
    assert digest(canonical(value)) == digest(bytes(raw_json(turned)))
    assert b"\n" not in canonical(value)
