"""Hearing of changed lists where the protocol wants a subscription for that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mcp.client import Client
from mcp.client.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    SubscriptionLost,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from induscode.interop.offers import Offer

__all__ = ["subscribed"]

_PAUSE_SECONDS = 1.0
_ATTEMPTS = 5


async def subscribed(client: Client, changed: Callable[[Offer], None]) -> None:
    """Until it is cancelled, the server does not offer it, or it was lost too often. What changed
    while nobody listened counts as changed."""
    if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return
    for attempt in range(_ATTEMPTS):
        if attempt:
            await asyncio.sleep(_PAUSE_SECONDS * 2**attempt)
            changed(Offer.TOOLS)
            changed(Offer.PROMPTS)
        try:
            async with client.listen(
                tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True
            ) as events:
                async for event in events:
                    if (offer := _offer(event)) is not None:
                        changed(offer)
        except SubscriptionLost:
            continue
        except (MCPError, TimeoutError):
            return


def _offer(event: ServerEvent) -> Offer | None:
    match event:
        case ToolsListChanged():
            return Offer.TOOLS
        case PromptsListChanged():
            return Offer.PROMPTS
        case ResourcesListChanged():
            return Offer.RESOURCES
        case ResourceUpdated():
            return None
