"""What happens to tools of servers, and what it comes to: the ledger's data, and nothing done."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NewType, TypeAlias

from msgspec import Struct

from induscode.capability_deck.bridge_ledger.capability import BridgeCapability

__all__ = [
    "Approval",
    "BridgeEntry",
    "BridgeKey",
    "BridgeOp",
    "BridgeVerdict",
    "EnrollRequest",
    "LedgerEvent",
    "LedgerSnapshot",
    "Quarantined",
    "VerdictOp",
    "bridge_key",
]

BridgeKey = NewType("BridgeKey", str)
"""Which tool is meant, across sessions and reconnects: `bk_` and what `key.py` mints."""

_NONE: Mapping[Any, Any] = MappingProxyType({})


def bridge_key(text: str) -> BridgeKey:
    """The one way to a `BridgeKey`; the text stays as it is."""
    return BridgeKey(text)


class BridgeOp(StrEnum):
    """What a server does: it offers a tool, or does not any more."""

    ENROLL = "enroll"
    RETIRE = "retire"


class VerdictOp(StrEnum):
    """What is decided about a tool that is offered."""

    QUARANTINE = "quarantine"
    APPROVE = "approve"


class BridgeEntry(Struct, frozen=True):
    """`capability` is None when it retires. `seq` counts from 1; `at` is UTC."""

    op: BridgeOp
    key: BridgeKey
    server: str
    capability: BridgeCapability | None
    seq: int
    at: str


class BridgeVerdict(Struct, frozen=True):
    """Speaks of a qualified name. An approval covers what it was given for and nothing else: this
    `definition` (a digest), launched this way. `body` is the definition's digest without the name,
    by which the tool is known again under another one."""

    op: VerdictOp
    key: BridgeKey
    server: str
    name: str
    definition: str
    launch: str
    body: str
    reason: str
    seq: int
    at: str


LedgerEvent: TypeAlias = BridgeEntry | BridgeVerdict


class Approval(Struct, frozen=True):
    """What was approved under a name, and when."""

    server: str
    definition: str
    launch: str
    body: str
    at: str

    def covers(self, capability: BridgeCapability) -> bool:
        return self.definition == capability.definition.digest and self.launch == capability.launch


class Quarantined(Struct, frozen=True):
    """Why nothing under a name is advertised or called until it is approved."""

    server: str
    reason: str


class LedgerSnapshot(Struct, frozen=True):
    """What a ledger comes to.

    `live` is what a host offers, in the order of enrolment, and `by_server` how many of them each
    server has. `high_water` is the highest number of an event. `enrolled` is every tool that was
    enrolled and not retired, in that order; those in `held` are not live, with the reason.
    `approved` and `quarantined` go by qualified name, and outlive the tool.
    """

    live: Mapping[BridgeKey, BridgeCapability] = _NONE
    by_server: Mapping[str, int] = _NONE
    high_water: int = 0
    enrolled: Mapping[BridgeKey, BridgeCapability] = _NONE
    held: Mapping[BridgeKey, str] = _NONE
    approved: Mapping[str, Approval] = _NONE
    quarantined: Mapping[str, Quarantined] = _NONE


class EnrollRequest(Struct, frozen=True):
    """What is enrolled. Without a `key`, the content key of the tool."""

    capability: BridgeCapability
    server: str
    key: BridgeKey | None = None
