"""Documents as they come: both formats, every version, and those that mean harm."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from induscode.capability_deck.connectors import document as reading_documents
from induscode.capability_deck.connectors.document import Version, parse_document
from induscode.capability_deck.connectors.limits import ALIAS_NODES, DOCUMENT_DEPTH
from induscode.capability_deck.connectors.reading import read_operations
from induscode.capability_deck.connectors.schemas import argument_check
from induscode.capability_deck.connectors.showing import shown_operation
from induscode.kernel.yamltext import load_yaml
from tests.capability_deck.connectors.service import Desk, Service, answer, shop


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('{"swagger": "2.0"}', Version.SWAGGER_2),
        ("swagger: '2.0'", Version.SWAGGER_2),
        ("swagger: 2.0", Version.SWAGGER_2),
        ("openapi: 3.0.3", Version.OPENAPI_3_0),
        ("openapi: 3.1", Version.OPENAPI_3_1),
        ('\ufeff{"openapi": "3.1.1"}', Version.OPENAPI_3_1),
    ],
)
def test_the_version_is_read_from_json_and_yaml(text: str, version: Version) -> None:
    assert parse_document(text.encode()).version is version


def test_yaml_is_data_of_version_1_2() -> None:
    text = """
    on: no
    200: {a: 1, b: -2.5, c: 0x1F, d: 2020-01-01, e: 1:30, f: null, g: ~, h: "1", i: !!str 2}
    base: &base {x: 1, y: 2}
    more: {<<: *base, y: 3}
    both: {<<: [*base, {z: 9}], x: 0}
    tag: !!python/object/apply:os.system [true]
    """
    assert load_yaml(text) == {
        "on": "no",
        "200": {"a": 1, "b": -2.5, "c": "0x1F", "d": "2020-01-01", "e": "1:30", "f": None,
                "g": None, "h": "1", "i": "2"},
        "base": {"x": 1, "y": 2},
        "more": {"x": 1, "y": 3},
        "both": {"x": 0, "y": 2, "z": 9},
        "tag": [True],
    }  # fmt: skip


def laughs(level: str) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for at in range(1, 12):
        members = ", ".join([level.format(f"*a{at - 1}")] * 10)
        lines.append(f"a{at}: &a{at} [{members}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (laughs("{0}"), f"stand for more than {ALIAS_NODES:,}"),
        (laughs("{{k: {0}}}"), f"stand for more than {ALIAS_NODES:,}"),
        ("a: &a\n  <<: *a", "stands for nothing, or for itself"),
        ("a: &a [*a]", "stands for nothing, or for itself"),
        ("a: *b", "stands for nothing"),
        ("[" * 100_000, f"nested more than {DOCUMENT_DEPTH} deep"),
        ("- " * 5_000 + "x", f"nested more than {DOCUMENT_DEPTH} deep"),
        ("{[a]: b}", "a key of a mapping is not a text"),
        ("a: b: c", "line 1"),
        ("a: \x07", "not YAML"),
    ],
)
def test_yaml_that_means_harm_loses(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        load_yaml(text)


def test_merged_aliases_lose_too() -> None:
    lines = ["m0: &m0 {" + ", ".join(f"k{at}: 1" for at in range(50)) + "}"]
    lines += [f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 10)}], x: 1}}" for n in range(1, 9)]
    with pytest.raises(ValueError, match="its aliases stand for"):
        load_yaml("\n".join(lines))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "neither"),
        (b"just words", "neither"),
        (b"[1, 2]", "neither"),
        (b'{"openapi": "4.0"}', "neither"),
        (b'{"openapi": ', "not JSON"),
        (b'{"a":' * 100_000, "nested too deep"),
        (b"a: \xff", "not UTF-8"),
    ],
)
def test_what_is_no_document_is_told(data: bytes, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parse_document(data)


def test_a_document_that_is_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_documents, "DOCUMENT_BYTES", 10)
    with pytest.raises(ValueError, match="longer than"):
        parse_document(b'{"openapi": "3.0.0"}')
    monkeypatch.setattr(reading_documents, "DOCUMENT_BYTES", 1000)
    monkeypatch.setattr(reading_documents, "YAML_BYTES", 10)
    with pytest.raises(ValueError, match="convert it to JSON"):
        parse_document(b"openapi: 3.0.0")


def operation_of(node: dict[str, Any], path: str = "x", **root: Any) -> Any:
    parsed = parse_document(json.dumps({**shop(**{path: {"post": node}}), **root}).encode())
    return parsed, read_operations(parsed, "S_")[0]


def test_references_that_go_round_end() -> None:
    loop = {"components": {"schemas": {
        "A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"},
        "Tree": {"type": "object", "properties": {
            "name": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}},
    }}}  # fmt: skip
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}}}
    node = {
        "operationId": "grow",
        "requestBody": body,
        "parameters": [{"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/A"}}],
    }
    parsed, operation = operation_of(node, **loop)
    check = argument_check(parsed, operation)
    deep = {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}
    assert check({"body": deep, "a": 1}) is None
    deep["children"][0]["children"][0]["name"] = 7
    assert "body.children[0].children[0].name" in (check({"body": deep}) or "")
    assert "Tree, which it stands in" in shown_operation(parsed, operation)


@pytest.mark.parametrize(
    "reference",
    ["other.yaml#/x", "http://127.0.0.1:1/x", "file:///etc/passwd", "./components/schemas/T", 7],
)
def test_a_reference_out_of_the_document_is_not_followed(reference: object) -> None:
    node = {"parameters": [{"name": "a", "in": "query", "schema": {"$ref": reference}}]}
    schemas = {"T": {"type": "integer"}}
    parsed, operation = operation_of(node, components={"schemas": schemas})
    assert argument_check(parsed, operation)({"a": {"anything": "goes"}}) is None
    assert '"a"' in shown_operation(parsed, operation)


def test_what_schemas_say_of_old_is_understood() -> None:
    schema = {
        "allOf": [
            {"type": "object", "required": ["n"], "properties": {
                "n": {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
                "s": {"type": "string", "nullable": True, "enum": ["a"]},
                "u": {"oneOf": [{"type": "integer"}, {"type": "number"}]}}},
            {"properties": {"m": {"anyOf": [{"type": "string"}, {"type": "boolean"}]}}},
        ]
    }  # fmt: skip
    parsed, operation = operation_of(
        {"requestBody": {"content": {"application/json": {"schema": schema}}}}
    )
    check = argument_check(parsed, operation)
    assert check({"body": {"n": 2, "s": None, "u": 5, "m": True}}) is None
    assert check({"body": {"n": 1}}) is not None
    assert check({"body": {"n": 2, "s": "b"}}) is not None
    assert check({"body": {"n": 2, "m": 3}}) is not None
    assert "`body.n`" in (check({"body": {}}) or "")


@pytest.mark.parametrize("schema", [{"type": "string", "pattern": "(?<!a"}, {"minLength": "x"}])
def test_a_schema_that_is_not_valid_itself_does_not_block_the_operation(schema: object) -> None:
    node = {"parameters": [{"name": "a", "in": "query", "required": True, "schema": schema}]}
    parsed, operation = operation_of(node)
    check = argument_check(parsed, operation)
    assert check({"a": "x"}) is None
    assert "needs the argument `a`" in (check({}) or "")


def test_slugs_are_stable_unique_and_begin_with_the_connector() -> None:
    ids = ["issues/create", "issuesCreate", "getHTTPThing2", "", "é", "x" * 300, "y" * 300]
    paths = {f"p{at}": {"get": {"operationId": name}} for at, name in enumerate(ids)}
    parsed = parse_document(json.dumps(shop(**paths)).encode())
    slugs = [each.slug for each in read_operations(parsed, "GIT_HUB_")]
    assert slugs[:5] == [
        "GIT_HUB_ISSUES_CREATE",
        "GIT_HUB_ISSUES_CREATE_2",
        "GIT_HUB_GET_HTTP_THING2",
        "GIT_HUB_GET_P3",
        "GIT_HUB_GET_P4",
    ]
    assert len(set(slugs)) == len(slugs)
    assert max(map(len, slugs)) == 100
    assert slugs == [each.slug for each in read_operations(parsed, "GIT_HUB_")]


def test_two_parameters_of_one_name_are_told_apart_by_their_places() -> None:
    node = {
        "requestBody": {"content": {"application/json": {}}},
        "parameters": [{"name": name, "in": "query"} for name in ("id", "body", "q")],
    }
    _, operation = operation_of(node, "x__{id}")
    assert [each.argument for each in operation.parameters] == [
        "path.id",
        "query.id",
        "query.body",
        "q",
    ]


async def test_a_fetched_document_is_kept_and_used_again(tmp_path: Path) -> None:
    document = shop(ping={"get": {"operationId": "ping"}})
    with Service() as service:
        service.answering = lambda seen: answer(document if "spec" in seen.target else {"ok": 1})
        tables = {"net": {"openapi": f"{service.origin}/spec.json?v=1"}}
        cache = tmp_path / "cache"
        first = Desk(tmp_path, tables, cache=cache)
        assert "NET_PING  GET /ping" in await first.discover()
        await first.execute("NET_PING")
        again = Desk(tmp_path, tables, cache=cache)
        await again.execute("NET_PING")
        assert [each.target for each in service.seen] == ["/spec.json?v=1", "/ping", "/ping"]
        (kept,) = cache.glob("*.openapi")
        assert kept.stat().st_mode & 0o777 == 0o600
        await Desk(tmp_path, tables).discover()
        assert len(service.seen) == 4


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "No such file"), ("hello", "neither `openapi"), ("{", "not JSON")],
)
async def test_one_connector_that_cannot_be_read_does_not_hide_the_others(
    tmp_path: Path, content: str | None, told: str
) -> None:
    (tmp_path / "good.json").write_text(json.dumps(shop(ping={"get": {"operationId": "ping"}})))
    if content is not None:
        (tmp_path / "bad.json").write_text(content)
    tables = {name: {"openapi": f"{name}.json"} for name in ("bad", "good")}
    said = await Desk(tmp_path, tables).discover()
    assert "The connector bad cannot be used: config.toml: connectors.bad.openapi" in said
    assert told in said
    assert "GOOD_PING" in said
    alone = Desk(tmp_path, {"bad": {"openapi": "bad.json"}})
    assert (await alone.call(action="discover")).is_error
    assert told in await alone.refused("BAD_PING")


async def test_a_document_that_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    said = await Desk(tmp_path, {"p": {"openapi": "pipe.json"}}).refused("P_X")
    assert "not a regular file" in said
