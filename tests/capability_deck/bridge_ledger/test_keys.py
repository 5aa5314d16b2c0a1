"""Keys say what a tool is; approvals say what exactly was seen."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from induscode.capability_deck import (
    bridge_content_key,
    bridge_ulid_key,
    qualify_bridge_name,
    server_of_qualified,
)
from induscode.capability_deck.bridge_ledger.canonical import approval_form, identity_form
from induscode.capability_deck.bridge_ledger.definition import BridgeDefinition, define
from induscode.capability_deck.bridge_ledger.limits import DEFINITION_BYTES
from induscode.capability_deck.bridge_ledger.names import split_qualified
from induscode.kernel.jsontext import JsonProblem
from tests.capability_deck.bridge_ledger.samples import LAUNCH, OBJECT, definition, tool
from tests.requirements import requirement

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=10,
)


@requirement("ledger.key.content-form")
def test_a_content_key_is_bk_and_32_digits() -> None:
    assert re.fullmatch(r"bk_[0-9a-f]{32}", bridge_content_key("git", "status", OBJECT))
    said = b'git__status\0{"properties":{"path":{"type":"string"}},"type":"object"}'
    assert bridge_content_key("git", "status", OBJECT) == f"bk_{sha256(said).hexdigest()[:32]}"
    # What it was once it stays: keys are kept in files.
    assert bridge_content_key("git", "status", OBJECT) == "bk_eb6f7847f08bd134ddee24b0d35384f8"


@requirement("ledger.key.identity-not-cwd")
def test_a_key_does_not_depend_on_where_it_is_minted(tmp_path: Path) -> None:
    here = Path.cwd()
    first = bridge_content_key("git", "status", OBJECT)
    try:
        os.chdir(tmp_path)
        assert bridge_content_key("git", "status", OBJECT) == first
    finally:
        os.chdir(here)


@requirement("ledger.key.schema-changes-key", "ledger.key.array-order-matters")
def test_another_schema_or_another_order_of_an_array_is_another_key() -> None:
    def key(*names: str) -> str:
        return bridge_content_key("git", "status", {"type": "object", "required": list(names)})

    assert len({key(), key("a"), key("a", "b"), key("b", "a")}) == 4


@requirement("ledger.key.key-order-irrelevant")
@settings(max_examples=40)
@given(st.dictionaries(st.text(), values, max_size=5))
def test_the_order_of_object_keys_makes_no_difference(schema: dict[str, Any]) -> None:
    turned = dict(reversed(schema.items()))
    assert bridge_content_key("s", "t", schema) == bridge_content_key("s", "t", turned)
    assert approval_form(schema) == approval_form(turned)


@requirement("ledger.key.missing-schema")
@settings(max_examples=40)
@given(st.dictionaries(st.text(), values, max_size=5))
def test_no_object_has_the_key_of_a_missing_schema(schema: dict[str, Any]) -> None:
    assert bridge_content_key("s", "t") != bridge_content_key("s", "t", schema)


@requirement("ledger.key.domain-separator")
def test_text_that_moves_from_the_name_to_the_schema_makes_another_key() -> None:
    rest = identity_form({"a": 1}).decode()
    plain = bridge_content_key("s", "t", {"a": 1})
    assert plain != bridge_content_key("s", f"t{rest}")
    assert plain != bridge_content_key("s", f"t\0{rest}")
    assert bridge_content_key("s", "tnull") != bridge_content_key("s", "t")


@requirement("ledger.key.canonical-utf16")
def test_object_keys_are_sorted_by_utf16_code_units() -> None:
    # As code points U+FB33 comes before U+1F600; its first UTF-16 unit is D83D, which comes first.
    names = ["\ufb33", "\U0001f600", "é", "z", "A", "1", "10", "2"]
    said = identity_form(dict.fromkeys(names, 0)).decode()
    assert re.findall(r'"([^"]+)"', said) == ["1", "10", "2", "A", "z", "é", "\U0001f600", "\ufb33"]


@requirement("ledger.key.canonical-none-dropped")
def test_entries_that_are_none_are_left_out_of_objects_and_stay_in_arrays() -> None:
    assert identity_form({"a": None, "b": [None, {"c": None}]}) == b'{"b":[null,{}]}'
    assert bridge_content_key("s", "t", {"a": None}) == bridge_content_key("s", "t", {})


@requirement("ledger.key.canonical-integral-floats")
@pytest.mark.parametrize(
    ("number", "spelled"),
    [
        (1.0, "1"), (-1.0, "-1"), (0.0, "0"), (-0.0, "0"), (100.0, "100"), (1e20, "1" + "0" * 20),
        (1e21, "1e+21"), (1.5e300, "1.5e+300"), (0.1, "0.1"), (1e-6, "0.000001"), (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"), (123456.789, "123456.789"), (5e-324, "5e-324"), (2**53, str(2**53)),
        (2**53 + 1, str(2**53)), (2**70, "1.1805916207174113e+21"), (10**400, "null"),
        (float("nan"), "null"), (float("inf"), "null"),
    ],
)  # fmt: skip
def test_numbers_are_spelled_as_javascript_does(number: float, spelled: str) -> None:
    assert identity_form([number]).decode() == f"[{spelled}]"


def test_texts_are_quoted_as_javascript_does() -> None:
    assert identity_form('"\\\n\x01\x7f/é\u2028\U0001f600\ud800') == (
        '"\\"\\\\\\n\\u0001\x7f/é\u2028\U0001f600\\ud800"'.encode()
    )


@requirement("ledger.key.ulid")
def test_ulid_keys_sort_as_they_were_minted() -> None:
    keys = [bridge_ulid_key() for _ in range(1000)]
    assert all(re.fullmatch(r"bk_[0-7][0-9A-HJKMNP-TV-Z]{25}", key) for key in keys)
    assert keys == sorted(set(keys))
    loose = {bridge_ulid_key(monotonic=False) for _ in range(100)}
    assert len(loose) == 100


@requirement("ledger.qualify")
def test_a_qualified_name_is_server_and_tool() -> None:
    assert qualify_bridge_name("git", "git_status") == "git__git_status"
    assert qualify_bridge_name("my-server", "2fa-code") == "my-server__2fa-code"


@requirement("ledger.server-of-qualified")
@given(st.text(), st.text())
@example("a_z2e", "b_Z00002e")
@example("a_", "_b")
@example("_", "__")
@example("7_", "-")
def test_server_and_tool_are_recovered_from_any_name(server: str, name: str) -> None:
    qualified = qualify_bridge_name(server, name)
    assert server_of_qualified(qualified) == server
    assert split_qualified(qualified) == (server, name)


parts = st.text(st.sampled_from("abzZ7_-. 2f"), max_size=8)


@requirement("decision.mcp-names-escaped")
@given(parts, parts, parts, parts)
@example("a.", "b", "a_z2e", "b")
@example("a", "_b", "a_", "b")
@example("a__b", "c", "a", "b__c")
def test_no_two_tools_share_a_name(one: str, first: str, other: str, second: str) -> None:
    same = qualify_bridge_name(one, first) == qualify_bridge_name(other, second)
    assert same == ((one, first) == (other, second))


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_qualified_name_holds_only_what_every_wire_takes(server: str, name: str) -> None:
    qualified = qualify_bridge_name(server, name)
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", qualified)
    assert "__" not in qualified.partition("__")[2].removeprefix("_")


@requirement("decision.approval-digest")
def test_an_approval_digest_covers_name_description_schema_and_annotations() -> None:
    changed = [
        definition(),
        definition("fs"),
        definition(tool="log"),
        definition(description="Tells "),
        definition(parameters={**OBJECT, "default": None}),
        definition(parameters=None),
        definition(parameters={}),
        definition(annotations={"readOnlyHint": True}),
        definition(annotations={"readOnlyHint": None}),
        definition(annotations={}),
        definition(parameters={"maximum": 2**53}),
        definition(parameters={"maximum": 2**53 + 1}),
        definition(parameters={"maximum": 2.0**53}),
    ]
    assert len({each.digest for each in changed}) == len(changed)
    turned = {"properties": OBJECT["properties"], "type": "object"}
    assert definition(parameters=turned).digest == definition().digest
    assert not tool().same_offer(tool(launch="b" * 64))
    assert tool().same_offer(tool(launch=LAUNCH))


def test_a_body_is_known_again_under_another_name() -> None:
    assert definition(tool="other").body == definition().body
    assert definition(description="Other.").body != definition().body


@pytest.mark.parametrize(
    ("server", "name", "why"),
    [
        ("git", "st\u0430tus", r"U\+0430 \(CYRILLIC SMALL LETTER A\), which is not ASCII"),
        ("g\u0456t", "status", "its server's name holds U"),
        ("git", "a\u200bb", "ZERO WIDTH SPACE"),
        ("git", "a\x1b[2J", "the control character U\\+001B"),
        ("git", " ", "its name is empty"),
        ("", "status", "its server's name is empty"),
        ("MCP", "status", "in front of every server's name"),
        ("git", "x" * 60, "has 65 characters, and models can be given 64"),
        ("git", "." * 20, "is too long"),
        ("x" * 62, "y", "its server's name is too long"),
    ],
)
def test_a_name_that_misleads_or_is_too_long_is_refused(server: str, name: str, why: str) -> None:
    fault = define(server, name)
    assert not isinstance(fault, BridgeDefinition)
    assert fault.kind == "bridge"
    assert re.search(why, fault.message)


def test_the_longest_name_is_taken() -> None:
    assert len(definition("git", "x" * 59).name) == 64


def test_a_tool_called_as_a_built_in_one_is_another_tool() -> None:
    for name in ("bash", "read", "todo_set"):
        assert definition("git", name).name == f"git__{name}"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"description": "x" * DEFINITION_BYTES}, "are taken at most"),
        ({"description": "\ud800"}, "no Unicode"),
        ({"parameters": {"a": {"\udfff": 1}}}, "no Unicode"),
        ({"parameters": {"a": float("nan")}}, "must be finite"),
        ({"parameters": {"a": 10**5000}}, "too many digits"),
        ({"parameters": {"a": b""}}, "bytes is no JSON value"),
        ({"parameters": {1: 2}}, "a key is no text"),
    ],
)
def test_a_definition_that_no_file_could_keep_is_refused(said: dict[str, Any], why: str) -> None:
    fault = define("git", "status", **said)
    assert not isinstance(fault, BridgeDefinition)
    assert why in fault.message


def test_a_schema_nested_too_deep_is_refused_and_mints_no_key() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    fault = define("git", "status", parameters=deep)
    assert not isinstance(fault, BridgeDefinition)
    assert "nested deeper than 64 levels" in fault.message
    with pytest.raises(JsonProblem):
        bridge_content_key("git", "status", deep)
