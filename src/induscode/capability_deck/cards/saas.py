"""`saas-action`: operations of services, through the gateway that the host injects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from induscode.capability_deck.cards import app_card
from induscode.capability_deck.cards.acting import card_tool, unavailable, unknown_action
from induscode.capability_deck.cards.definitions import SAAS_ACTION
from induscode.capability_deck.contract import Capability, CapabilityCard, DeckContext
from induscode.kernel.tool import ToolContext, ToolResult

__all__ = ["SAAS_GATEWAY_KEY", "build_saas_capability", "saas_card"]

SAAS_GATEWAY_KEY = "saasGateway"

_NOT_CONFIGURED = (
    "No connector is configured, so there is no service to call. The user can add one to "
    'config.toml: a table [connectors.NAME] with openapi = "path or URL of an OpenAPI document", '
    'and where it needs them base_url = "https://..." and '
    'auth = { type = "bearer", value_env = "NAME_OF_A_VARIABLE" }.'
)


def saas_card() -> CapabilityCard:
    return app_card("saas-action")


def build_saas_capability(ctx: DeckContext) -> Capability:
    gateway = ctx.framework.saas

    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        action, slug, query = (arguments.get(name) for name in ("action", "slug", "query"))
        if action not in {"discover", "execute"}:
            return unknown_action("saas-action", action, ("discover", "execute"))
        if gateway is None:
            return unavailable(_NOT_CONFIGURED, SAAS_GATEWAY_KEY)
        if action == "discover":
            return await gateway.discover(query, slug=slug, context=context)
        if not isinstance(slug, str):
            return ToolResult.error(
                "saas-action execute needs `slug`: the name of an operation, as discover lists it."
            )
        return await gateway.execute(slug, arguments.get("arguments", {}), context=context)

    return card_tool(SAAS_ACTION, execute)
