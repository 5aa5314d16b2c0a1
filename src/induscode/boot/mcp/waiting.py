"""A run with one turn waits for its servers before it, up to their deadlines."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from induscode.boot.mcp.news import News
from induscode.capability_deck.mcp_config.servers import ServerConfig
from induscode.interop.fleet import Fleet
from induscode.interop.limits import FleetLimits
from induscode.interop.standing import ServerState
from induscode.kernel.cancel import CancelToken

__all__ = ["gathered"]

_SECONDS_UNTOLD = 2.0


async def gathered(
    fleet: Fleet, servers: Iterable[ServerConfig], news: News, cancel: CancelToken
) -> None:
    """Until each server is ready or has failed once, or its time is over. Raises `Cancelled`."""
    usual = FleetLimits().startup_seconds
    seconds = max((each.startup_seconds or usual for each in servers), default=0.0)
    loop = asyncio.get_running_loop()
    speaking = loop.call_later(_SECONDS_UNTOLD, _tell, fleet, news)
    try:
        await cancel.run(fleet.settled(seconds))
    finally:
        speaking.cancel()


def _tell(fleet: Fleet, news: News) -> None:
    slow = [each.server for each in fleet.standings() if each.state is ServerState.CONNECTING]
    if slow:
        news.waiting(slow)
