"""What discover shows: ranked, bounded, told so, and with nothing in it that nobody sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from induscode.capability_deck.connectors.limits import LISTED_OPERATIONS, SCHEMA_CHARACTERS
from tests.capability_deck.connectors.service import Desk, shop


def desk(tmp_path: Path, document: Any) -> Desk:
    (tmp_path / "api.json").write_text(json.dumps(document))
    return Desk(tmp_path, {"api": {"openapi": "api.json", "base_url": "http://127.0.0.1:1"}})


async def test_an_operation_is_listed_with_its_arguments_those_first_that_it_needs(
    tmp_path: Path,
) -> None:
    node = {
        "operationId": "items/search",
        "summary": "Find   items\nby name",
        "deprecated": True,
        "parameters": [
            {"name": "page", "in": "query", "schema": {"type": "integer"}},
            {"name": "q", "in": "query", "required": True, "schema": {"type": ["string", "null"]}},
            {
                "name": "tags",
                "in": "query",
                "schema": {"type": "array", "items": {"type": "string"}},
            },
        ],
        "requestBody": {"required": True, "content": {"application/json": {"schema": {}}}},
    }
    said = await desk(tmp_path, shop(items={"post": node})).discover()
    assert said == (
        "API_ITEMS_SEARCH  POST /items (deprecated)\n"
        "  Find items by name\n"
        "  arguments: q: string or null, body: any, page?: integer, tags?: array of string\n"
        "[1 operations; give a `slug` to see its whole schema]"
    )


async def test_a_long_list_is_bounded_and_says_so(tmp_path: Path) -> None:
    paths = {f"p{at}": {"get": {"operationId": f"op{at}"}} for at in range(100)}
    at = desk(tmp_path, shop(**paths))
    said = await at.discover()
    assert said.count("  GET /p") == LISTED_OPERATIONS
    assert f"[{LISTED_OPERATIONS} of 100 operations; narrow them with `query`" in said
    result = await at.call(action="discover", query="op77")
    assert result.details == {"operations": ["API_OP77"], "total": 1}


async def test_the_query_ranks_by_words_in_slug_path_summary_and_description(
    tmp_path: Path,
) -> None:
    def node(operation: str, **more: str) -> dict[str, Any]:
        return {"get": {"operationId": operation, **more}}

    at = desk(
        tmp_path,
        shop(
            a=node("listUsers", description="also mentions issues"),
            b=node("createIssue", summary="Open an issue"),
            c=node("listIssues"),
            d=node("other"),
        ),
    )
    result = await at.call(action="discover", query="create an issue")
    assert result.details is not None
    assert result.details["operations"][0] == "API_CREATE_ISSUE"
    listing = await at.call(action="discover", query="list issues")
    assert listing.details == {
        "operations": ["API_LIST_ISSUES", "API_LIST_USERS", "API_CREATE_ISSUE"],
        "total": 3,
    }
    assert "None of 4 operations fits 'zebra'" in await at.discover("zebra")


async def test_a_schema_is_resolved_and_bounded_however_much_it_stands_for(tmp_path: Path) -> None:
    schemas = {
        f"L{at}": {"type": "object", "properties": {
            f"f{n}": {"$ref": f"#/components/schemas/L{at + 1}"} for n in range(12)}}
        for at in range(12)
    }  # fmt: skip
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/L0"}}}}
    document = shop(x={"post": {"operationId": "bomb", "requestBody": body}})
    said = await desk(tmp_path, {**document, "components": {"schemas": schemas}}).discover(
        slug="API_BOMB"
    )
    assert '"more": "L2"' in said
    assert len(said) < SCHEMA_CHARACTERS + 1_000


async def test_descriptions_lose_what_nobody_sees(tmp_path: Path) -> None:
    hidden = "ok\u200b\u202e\x1b[2J\u2066done"
    given = {"name": "a", "in": "query", "description": hidden, "schema": {"description": hidden}}
    node = {"operationId": "x", "summary": hidden, "description": hidden, "parameters": [given]}
    at = desk(tmp_path, shop(x={"get": node}))
    for said in (await at.discover(), await at.discover(slug="API_X")):
        assert "ok[2Jdone" in said
        assert all(c.isprintable() or c == "\n" for c in said)


async def test_a_slug_that_does_not_exist_is_told_with_the_nearest(tmp_path: Path) -> None:
    at = desk(tmp_path, shop(x={"get": {"operationId": "listUsers"}}))
    result = await at.call(action="discover", slug="API_LIST_USER")
    assert result.is_error
    assert "Did you mean API_LIST_USERS?" in str(result.content)
