"""Tools of servers on their way into the deck: adapted, listed in the catalog, configured."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from induscode.capability_deck.bridge_ledger.capability import (
    BridgeCapability,
    bridge_box_to_capabilities,
)
from induscode.capability_deck.contract import CapabilityCard, capability_id
from induscode.capability_deck.mcp_config.servers import ServerConfig

__all__ = [
    "BridgeConfig",
    "bridge_box_to_capabilities",
    "bridge_capability_card",
    "bridge_config",
]

_SUMMARY_CHARACTERS = 200


class BridgeConfig(Struct, frozen=True):
    """The servers to mount, in order."""

    servers: tuple[ServerConfig, ...] = ()


def bridge_config(servers: Iterable[ServerConfig]) -> BridgeConfig:
    return BridgeConfig(tuple(servers))


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
