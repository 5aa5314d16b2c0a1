"""Servers mounted at once and waited for: what the deck and the commands want of a fleet."""

from __future__ import annotations

from collections.abc import Sequence

from induscode.capability_deck.mcp_config.servers import ServerConfig
from induscode.interop.fleet import Fleet
from induscode.interop.ground import Ground
from induscode.interop.member import Told
from induscode.interop.standing import Standing

__all__ = ["Mounting", "mounting"]


class Mounting:
    """A way to mount servers, as the deck's `bridge_config` takes one."""

    def __init__(self, ground: Ground, told: Told) -> None:
        self._ground = ground
        self._told = told

    async def __call__(self, servers: Sequence[ServerConfig], /) -> Fleet:
        """Connected side by side; returns when each is ready or has failed once. The caller closes
        it; nothing is left of it when this is cancelled."""
        usual = self._ground.limits.startup_seconds
        fleet = Fleet(servers, self._ground, self._told)
        fleet.start()
        try:
            await fleet.settled(max((each.startup_seconds or usual for each in servers), default=0))
        except BaseException:
            await fleet.close()
            raise
        return fleet


def mounting(ground: Ground, told: Told | None = None) -> Mounting:
    """`told` hears of each change of each server, and must not raise."""
    return Mounting(ground, told or _unheard)


def _unheard(standing: Standing) -> None:
    del standing
