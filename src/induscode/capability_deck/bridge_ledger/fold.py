"""The one fold: what a list of events comes to, whatever order it is in."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from types import MappingProxyType

from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.bridge_ledger.events import (
    Approval,
    BridgeEntry,
    BridgeKey,
    BridgeOp,
    BridgeVerdict,
    LedgerEvent,
    LedgerSnapshot,
    Quarantined,
    VerdictOp,
)

__all__ = ["CHANGED", "fold_on", "reduce_ledger"]

CHANGED = "it is not what was approved under this name"

_RETIRE = BridgeOp.RETIRE
_number = attrgetter("seq")


def reduce_ledger(log: Iterable[LedgerEvent]) -> LedgerSnapshot:
    """Pure and total: nothing of `log` is changed, and any events come to something.

    Events count in the order of their numbers. Enrolling a key that is there replaces its tool in
    its place; a new key takes the name from the one that had it, which is retired. What is in
    quarantine, or differs from what was approved under its name, is held: no order of events makes
    it live but an approval of exactly that.
    """
    return fold_on(LedgerSnapshot(), log)


def fold_on(start: LedgerSnapshot, log: Iterable[LedgerEvent]) -> LedgerSnapshot:
    """The same fold from where it stands. All numbers in `log` are above those before."""
    events = _in_order(log)
    fold = _Fold(start)
    for event in events:
        if isinstance(event, BridgeEntry):
            fold.entry(event)
        else:
            fold.verdict(event)
    return fold.snapshot(events[-1].seq if events else 0)


def _in_order(log: Iterable[LedgerEvent]) -> list[LedgerEvent]:
    events = sorted(log, key=_number)
    if len(set(map(_number, events))) < len(events):
        # No ledger numbers two events alike, but a file that was tampered with may.
        events.sort(key=_tie)
    return events


def _tie(event: LedgerEvent) -> tuple[int | str, ...]:
    first = (event.seq, event.at, event.op, event.key, event.server)
    if isinstance(event, BridgeVerdict):
        return (*first, event.name, event.definition, event.launch, event.body, event.reason)
    if event.capability is None:
        return first
    said = event.capability.definition
    return (*first, said.name, said.digest, event.capability.launch)


class _Fold:
    """`_holders` says which key has a name: one at most."""

    def __init__(self, start: LedgerSnapshot) -> None:
        self._enrolled = dict(start.enrolled)
        self._approved = dict(start.approved)
        self._quarantined = dict(start.quarantined)
        self._high_water = start.high_water
        self._holders = {tool.definition.name: key for key, tool in start.enrolled.items()}

    def entry(self, entry: BridgeEntry) -> None:
        key, capability = entry.key, entry.capability
        if entry.op is _RETIRE:
            self._drop(key)
            return
        if capability is None:
            return
        name = capability.definition.name
        holder = self._holders.get(name)
        if holder is None:
            before = self._enrolled.get(key)
            if before is not None:
                del self._holders[before.definition.name]
            self._holders[name] = key
        elif holder != key:
            self._drop(holder)
            self._drop(key)
            self._holders[name] = key
        self._enrolled[key] = capability

    def verdict(self, verdict: BridgeVerdict) -> None:
        if verdict.op is VerdictOp.QUARANTINE:
            self._quarantined[verdict.name] = Quarantined(verdict.server, verdict.reason)
            return
        self._quarantined.pop(verdict.name, None)
        self._approved[verdict.name] = Approval(
            verdict.server, verdict.definition, verdict.launch, verdict.body, verdict.at
        )

    def snapshot(self, highest: int) -> LedgerSnapshot:
        live: dict[BridgeKey, BridgeCapability] = {}
        held: dict[BridgeKey, str] = {}
        by_server: dict[str, int] = {}
        for key, capability in self._enrolled.items():
            if reason := self._held(capability):
                held[key] = reason
                continue
            live[key] = capability
            server = capability.definition.server
            by_server[server] = by_server.get(server, 0) + 1
        return LedgerSnapshot(
            live=MappingProxyType(live),
            by_server=MappingProxyType(by_server),
            high_water=max(self._high_water, highest),
            enrolled=MappingProxyType(self._enrolled),
            held=MappingProxyType(held),
            approved=MappingProxyType(self._approved),
            quarantined=MappingProxyType(self._quarantined),
        )

    def _drop(self, key: BridgeKey) -> None:
        gone = self._enrolled.pop(key, None)
        if gone is not None:
            del self._holders[gone.definition.name]

    def _held(self, capability: BridgeCapability) -> str:
        name = capability.definition.name
        quarantined = self._quarantined.get(name)
        if quarantined is not None:
            return quarantined.reason or CHANGED
        approval = self._approved.get(name)
        return "" if approval is None or approval.covers(capability) else CHANGED
