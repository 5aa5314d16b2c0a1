"""Servers on their way into the deck: configured, mounted, their tools taken into a ledger, and
taken out of it again.

How servers are reached is not known here: who wants them mounted says how.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from induscode.capability_deck.bridge_ledger.capability import (
    BridgeBox,
    BridgeCapability,
    adapt_box,
    bridge_box_to_capabilities,
)
from induscode.capability_deck.bridge_ledger.judging import FirstSight, take_listing
from induscode.capability_deck.bridge_ledger.ledger import BridgeLedger
from induscode.capability_deck.bridge_ledger.names import server_problem
from induscode.capability_deck.contract import (
    CapabilityCard,
    DeckFault,
    capability_id,
    deck_fault,
)
from induscode.capability_deck.mcp_config.servers import ServerConfig
from induscode.kernel.clock import SystemClock, iso

__all__ = [
    "AttachResult",
    "BridgeConfig",
    "BridgeFleet",
    "Mount",
    "ServerHealth",
    "attach_bridge_capabilities",
    "bridge_box_to_capabilities",
    "bridge_capability_card",
    "bridge_config",
    "bridge_status",
    "detach_bridge",
]

_SUMMARY_CHARACTERS = 200
_READY = "ready"


class ServerHealth(Protocol):
    """How one server stands."""

    @property
    def server(self) -> str: ...

    @property
    def state(self) -> str:
        """`ready` when it answers."""
        ...

    def clause(self) -> str:
        """What to say of it in a sentence that begins with its name."""
        ...


class BridgeFleet(BridgeBox, Protocol):
    """Servers that were mounted."""

    def launches(self) -> Mapping[str, str]:
        """The digest of how each server is launched, by its name."""
        ...

    def standings(self) -> Sequence[ServerHealth]:
        """In the order of the configuration."""
        ...

    async def close(self) -> None: ...


class Mount(Protocol):
    """Connects servers. A server that fails is one that is not ready; only what keeps all of them
    from being connected is raised."""

    async def __call__(self, servers: Sequence[ServerConfig], /) -> BridgeFleet: ...


class BridgeConfig(Struct, frozen=True):
    """The servers to mount, in order, and how."""

    servers: tuple[ServerConfig, ...] = ()
    mount: Mount | None = None


class AttachResult(Struct, frozen=True):
    """`fleet` is the caller's to close, None when nothing was mounted; `status` is how its servers
    stood when they were attached. `enrolled` counts the tools that were taken, those among them
    that are held included. `fault` says why there is no fleet, or what was refused of it."""

    ledger: BridgeLedger
    fleet: BridgeFleet | None = None
    status: tuple[ServerHealth, ...] = ()
    enrolled: int = 0
    fault: DeckFault | None = None


def bridge_config(servers: Iterable[ServerConfig], mount: Mount | None = None) -> BridgeConfig:
    return BridgeConfig(tuple(servers), mount)


async def attach_bridge_capabilities(
    ledger: BridgeLedger,
    config: BridgeConfig,
    *,
    first: FirstSight = FirstSight.APPROVE,
    at: str | None = None,
) -> AttachResult:
    """Mount the servers and take what they list: approved is what was so before, and what is seen
    for the first time unless `first` says otherwise; the rest is enrolled and held. A server that
    is not ready changes nothing. Whatever goes wrong is the fault of the result, of kind bridge."""
    if not config.servers:
        return AttachResult(ledger)
    if problem := _invalid(config):
        return AttachResult(ledger, fault=deck_fault("bridge", problem))
    (fleet,) = await asyncio.gather(_mounted(config), return_exceptions=True)
    if isinstance(fleet, BaseException):
        why = f"the MCP servers could not be mounted: {fleet or type(fleet).__name__}"
        return AttachResult(ledger, fault=deck_fault("bridge", why, fleet))
    tools, faults = adapt_box(fleet, fleet.launches())
    status = bridge_status(fleet)
    enrolled = 0
    for each in status:
        if each.state == _READY:
            listed = [tool for tool in tools if tool.server == each.server]
            taken = take_listing(ledger, each.server, listed, first=first, at=at or _now())
            ledger = taken.ledger
            faults += taken.faults
            enrolled += len({tool.name for tool in listed})
    return AttachResult(ledger, fleet, status, enrolled, _one(faults))


async def detach_bridge(
    ledger: BridgeLedger,
    fleet: BridgeFleet | None,
    servers: Iterable[str] | None = None,
    *,
    at: str | None = None,
) -> BridgeLedger:
    """Retire the tools of these servers, or of all of the fleet, and close the fleet. That it could
    not be closed well keeps nobody: it is not raised."""
    if servers is None:
        servers = [each.server for each in bridge_status(fleet)]
    for server in dict.fromkeys(servers):
        ledger = ledger.withdraw_server(server, at or _now())
    if fleet is not None:
        await asyncio.gather(_closed(fleet), return_exceptions=True)
    return ledger


def bridge_status(fleet: BridgeFleet | None) -> tuple[ServerHealth, ...]:
    """How each server stands now, in the order of the configuration."""
    return () if fleet is None else tuple(fleet.standings())


def bridge_capability_card(capability: BridgeCapability) -> CapabilityCard:
    """A row for help and listings. Its tool is there already and is what `build` returns; it
    belongs to no profile, so that provisioning by profile never selects it."""
    said = " ".join(capability.description.split())
    return CapabilityCard(
        id=capability_id(capability.name),
        title=capability.name,
        summary=said[:_SUMMARY_CHARACTERS],
        profiles=(),
        build=lambda _: capability,
    )


def _invalid(config: BridgeConfig) -> str:
    """Why nothing can be mounted of it; empty when it can."""
    names = [server.name for server in config.servers]
    for place, name in enumerate(names):
        if said := server_problem(name):
            return f"the name {name[:80]!r} of an MCP server {said}"
        if name in names[:place]:
            return f"two MCP servers are named {name!r}; rename one of them"
    return "" if config.mount else "nothing was said of how the MCP servers are mounted"


async def _mounted(config: BridgeConfig) -> BridgeFleet:
    if config.mount is None:
        raise deck_fault("bridge", _invalid(config))
    return await config.mount(config.servers)


async def _closed(fleet: BridgeFleet) -> None:
    await fleet.close()


def _one(faults: Sequence[DeckFault]) -> DeckFault | None:
    """Several faults as one."""
    if len(faults) > 1:
        return deck_fault("bridge", "; ".join(fault.message for fault in faults))
    return faults[0] if faults else None


def _now() -> str:
    return iso(SystemClock().now_ms())
