"""The bridge ledger where seed 001 puts it; it lives in `bridge_ledger`."""

from __future__ import annotations

from induscode.capability_deck.bridge_ledger.capability import (
    BridgeCapability,
    bridge_box_to_capabilities,
)
from induscode.capability_deck.bridge_ledger.events import (
    BridgeEntry,
    BridgeKey,
    BridgeOp,
    EnrollRequest,
    LedgerSnapshot,
)
from induscode.capability_deck.bridge_ledger.fold import reduce_ledger
from induscode.capability_deck.bridge_ledger.key import bridge_content_key, bridge_ulid_key
from induscode.capability_deck.bridge_ledger.ledger import BridgeLedger
from induscode.capability_deck.bridge_ledger.names import qualify_bridge_name, server_of_qualified

__all__ = [
    "BridgeCapability",
    "BridgeEntry",
    "BridgeKey",
    "BridgeLedger",
    "BridgeOp",
    "EnrollRequest",
    "LedgerSnapshot",
    "bridge_box_to_capabilities",
    "bridge_content_key",
    "bridge_ulid_key",
    "qualify_bridge_name",
    "reduce_ledger",
    "server_of_qualified",
]
