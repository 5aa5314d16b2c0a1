"""What happened to the tools of servers, event by event, for a person or a program."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from induscode.capability_deck.bridge_ledger.events import BridgeEntry, BridgeKey, LedgerEvent

__all__ = ["ToldEvent", "told_events"]


class ToldEvent(Struct, frozen=True):
    """`definition` and `launch` are the digests that an approval is bound to; empty where a tool
    is retired. Such a tool is called by the name that it was enrolled with last."""

    seq: int
    at: str
    op: str
    server: str
    name: str
    key: str
    definition: str
    launch: str
    reason: str


def told_events(log: Iterable[LedgerEvent]) -> list[ToldEvent]:
    """In their order."""
    names: dict[BridgeKey, str] = {}
    return [_told(event, names) for event in sorted(log, key=lambda event: event.seq)]


def _told(event: LedgerEvent, names: dict[BridgeKey, str]) -> ToldEvent:
    reason = name = definition = launch = ""
    if not isinstance(event, BridgeEntry):
        name, reason = event.name, event.reason
        definition, launch = event.definition, event.launch
    elif event.capability is not None:
        name = names[event.key] = event.capability.name
        definition, launch = event.capability.definition.digest, event.capability.launch
    else:
        name = names.get(event.key, "")
    return ToldEvent(
        seq=event.seq,
        at=event.at,
        op=event.op,
        server=event.server,
        name=name,
        key=event.key,
        definition=definition,
        launch=launch,
        reason=reason,
    )
