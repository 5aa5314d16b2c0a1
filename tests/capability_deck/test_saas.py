"""`saas-action`: the card, with a gateway, with a double of one, and without any."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from induscode.capability_deck.cards.definitions import SAAS_ACTION
from induscode.capability_deck.cards.saas import (
    SAAS_GATEWAY_KEY,
    build_saas_capability,
    saas_card,
)
from induscode.capability_deck.contract import DeckContext, DeckFramework, SaasGatewayPort
from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.bounded import bounded
from induscode.tools.validated import validated
from tests.requirements import requirement
from tests.tools.conftest import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


class Double:
    """A gateway that remembers; it inherits nothing."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    async def discover(
        self, query: str | None, *, slug: str | None, context: ToolContext
    ) -> ToolResult:
        self.asked.append(("discover", query, slug, context))
        return ToolResult.text("operations")

    async def execute(
        self, slug: str, arguments: Mapping[str, Any], *, context: ToolContext
    ) -> ToolResult:
        self.asked.append(("execute", slug, arguments, context))
        return ToolResult.text("done")

    def host_of(self, slug: str) -> str | None:
        return None


def tool(bench: Bench, gateway: SaasGatewayPort | None = None) -> Any:
    deck = DeckContext(bench.cwd, DeckFramework(saas=gateway))
    return bounded(validated(build_saas_capability(deck)))


@requirement("deck.cards.saas.stub")
@pytest.mark.parametrize("arguments", [{"action": "discover"}, {"action": "execute", "slug": "X"}])
async def test_without_a_gateway_it_says_so_and_how_to_configure_one(
    bench: Bench, arguments: dict[str, Any]
) -> None:
    result = await tool(bench).execute(arguments, bench.context())
    assert result.is_error
    assert result.details == {"kind": "backend", "missing": SAAS_GATEWAY_KEY}
    said = plain_text(result.content)
    assert "No connector is configured" in said
    assert "[connectors.NAME]" in said


@requirement(
    "deck.cards.saas.actions", "deck.cards.saas-injected", "deck.cards.saas.slugs-verbatim"
)
async def test_both_actions_reach_the_gateway_that_was_injected_and_slugs_stay_as_they_are(
    bench: Bench,
) -> None:
    double = Double()
    card, context = tool(bench, double), bench.context()
    assert plain_text((await card.execute({"action": "discover"}, context)).content) == "operations"
    await card.execute({"action": "discover", "query": "q", "slug": "S"}, context)
    slug = "GITHUB_CREATE_ISSUE"
    await card.execute({"action": "execute", "slug": slug, "arguments": {"a": 1}}, context)
    await card.execute({"action": "execute", "slug": "github_Create-issue"}, context)
    assert double.asked == [
        ("discover", None, None, context),
        ("discover", "q", "S", context),
        ("execute", slug, {"a": 1}, context),
        ("execute", "github_Create-issue", {}, context),
    ]


@requirement("deck.arguments.saas-action")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "needs the argument `action`"),
        ({"action": "delete"}, "`action` of saas-action"),
        ({"action": 5}, "`action` of saas-action"),
        ({"action": "execute"}, "execute needs `slug`"),
        ({"action": "execute", "slug": ""}, "`slug` of saas-action"),
        ({"action": "execute", "slug": 5}, "`slug` of saas-action must be a string"),
        ({"action": "execute", "slug": "X", "arguments": []}, "`arguments` of saas-action"),
        ({"action": "discover", "query": ""}, "`query` of saas-action"),
        ({"action": "discover", "query": 5}, "`query` of saas-action must be a string"),
        ({"action": "discover", "qeury": "x"}, "Did you mean `query`?"),
    ],
)
async def test_a_wrong_argument_is_told_in_a_sentence(
    bench: Bench, arguments: dict[str, Any], told: str
) -> None:
    double = Double()
    result = await tool(bench, double).execute(arguments, bench.context())
    assert result.is_error
    assert told in plain_text(result.content)
    assert double.asked == []


@pytest.mark.parametrize("action", [None, "delete", 5])
async def test_an_action_nobody_knows_is_an_error_also_where_nothing_validates(
    bench: Bench, action: object
) -> None:
    deck = DeckContext(bench.cwd, DeckFramework(saas=Double()))
    result = await build_saas_capability(deck).execute({"action": action}, bench.context())
    assert result.is_error
    assert "it takes discover or execute" in plain_text(result.content)


def test_the_card_is_the_one_of_the_catalog_and_its_definition_is_small() -> None:
    assert saas_card().id == "saas-action"
    definition = {
        "name": SAAS_ACTION.name,
        "description": SAAS_ACTION.description,
        "parameters": SAAS_ACTION.parameters,
    }
    assert len(msgspec.json.encode(definition)) < 600
