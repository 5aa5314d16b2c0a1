"""The ledger as a value: the events so far, what they come to, and the number of the next one.

Every transition gives another ledger and leaves the one it was asked of as it was. A stretch of
events is recorded as a whole: nobody sees a tool between its arrival and the verdict on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from msgspec import Struct

from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.bridge_ledger.events import (
    BridgeEntry,
    BridgeKey,
    BridgeOp,
    BridgeVerdict,
    EnrollRequest,
    LedgerEvent,
    LedgerSnapshot,
    VerdictOp,
)
from induscode.capability_deck.bridge_ledger.fold import fold_on, reduce_ledger
from induscode.capability_deck.bridge_ledger.key import bridge_content_key
from induscode.capability_deck.bridge_ledger.limits import REASON_CHARACTERS
from induscode.capability_deck.contract import deck_fault
from induscode.kernel.clock import SystemClock, iso

__all__ = [
    "BridgeLedger",
    "EnrollRequest",
    "Step",
    "bridge_ledger_from_log",
    "bridge_tool_counts",
    "bridge_tool_names",
    "capability_key",
    "empty_bridge_ledger",
    "enroll_bridge_card",
    "live_capabilities",
    "live_capabilities_for_server",
    "retire",
    "retire_step",
    "verdict_step",
    "withdraw_server",
]

Step = Callable[[int, str], LedgerEvent]
"""An event that still needs its number and its time."""


class BridgeLedger(Struct, frozen=True):
    """`log` is the truth, `snapshot` what it comes to."""

    log: tuple[LedgerEvent, ...] = ()
    snapshot: LedgerSnapshot = LedgerSnapshot()
    next_seq: int = 1

    @classmethod
    def empty(cls) -> BridgeLedger:
        return cls()

    @classmethod
    def from_log(cls, log: Iterable[LedgerEvent]) -> BridgeLedger:
        """A ledger from events that were kept; it goes on behind the highest number."""
        events = tuple(log)
        snapshot = reduce_ledger(events)
        return cls(events, snapshot, snapshot.high_water + 1)

    def enroll(self, request: EnrollRequest, at: str) -> BridgeLedger:
        """Offer a tool. Under a key that is there it replaces the tool; a new key under a name
        that is taken retires the key that has it, which is recorded. Raises `DeckFault` of kind
        bridge for a tool of another server than the request names."""
        return self.with_steps(self.enroll_steps(request), at)

    def retire(self, key: BridgeKey, server: str, at: str) -> BridgeLedger:
        """An unknown key is recorded and changes nothing else."""
        return self.with_steps([retire_step(key, server)], at)

    def withdraw_server(self, server: str, at: str) -> BridgeLedger:
        """Retire everything that a server has enrolled, what is held included."""
        gone = [key for key, tool in self.snapshot.enrolled.items() if tool.server == server]
        return self.with_steps([retire_step(key, server) for key in gone], at)

    def quarantine(self, capability: BridgeCapability, reason: str, at: str) -> BridgeLedger:
        """Nothing under this tool's name is live until it is approved."""
        return self.with_steps([verdict_step(VerdictOp.QUARANTINE, capability, reason)], at)

    def approve(self, capability: BridgeCapability, at: str) -> BridgeLedger:
        """This definition, launched this way, may be live under its name, and no other. Given is
        what the person saw: if something else has taken its place since, that stays held."""
        return self.with_steps([verdict_step(VerdictOp.APPROVE, capability)], at)

    def live_capabilities(self) -> list[BridgeCapability]:
        return list(self.snapshot.live.values())

    def live_capabilities_for_server(self, server: str) -> list[BridgeCapability]:
        return [tool for tool in self.snapshot.live.values() if tool.server == server]

    def enroll_steps(self, request: EnrollRequest) -> list[Step]:
        """The steps of `enroll`."""
        capability = request.capability
        if capability.server != request.server:
            raise deck_fault(
                "bridge", f"{capability.name} is a tool of {capability.server!r}, not of"
                f" {request.server!r}"
            )  # fmt: skip
        key = request.key or capability_key(capability)
        taken = (
            retire_step(other, tool.server)
            for other, tool in self.snapshot.enrolled.items()
            if tool.name == capability.name and other != key
        )
        return [*taken, _enroll_step(key, capability)]

    def with_steps(self, steps: Sequence[Step], at: str) -> BridgeLedger:
        """These events, numbered on from here."""
        return self.extended([step(self.next_seq + n, at) for n, step in enumerate(steps)])

    def extended(self, events: Sequence[LedgerEvent]) -> BridgeLedger:
        """With events that were numbered elsewhere."""
        if not events:
            return self
        if any(event.seq < self.next_seq for event in events):
            return BridgeLedger.from_log((*self.log, *events))
        snapshot = fold_on(self.snapshot, events)
        return BridgeLedger((*self.log, *events), snapshot, snapshot.high_water + 1)


def capability_key(capability: BridgeCapability) -> BridgeKey:
    """The content key of a tool."""
    said = capability.definition
    return bridge_content_key(said.server, said.tool, said.parameters)


def verdict_step(op: VerdictOp, capability: BridgeCapability, reason: str = "") -> Step:
    """A verdict on exactly this tool."""
    said = capability.definition
    return lambda seq, at: BridgeVerdict(
        op=op,
        key=capability_key(capability),
        server=said.server,
        name=said.name,
        definition=said.digest,
        launch=capability.launch,
        body=said.body,
        reason=reason[:REASON_CHARACTERS],
        seq=seq,
        at=at,
    )


def _enroll_step(key: BridgeKey, capability: BridgeCapability) -> Step:
    return partial(BridgeEntry, BridgeOp.ENROLL, key, capability.server, capability)


def retire_step(key: BridgeKey, server: str) -> Step:
    return partial(BridgeEntry, BridgeOp.RETIRE, key, server, None)


def empty_bridge_ledger() -> BridgeLedger:
    return BridgeLedger.empty()


def bridge_ledger_from_log(log: Iterable[LedgerEvent]) -> BridgeLedger:
    return BridgeLedger.from_log(log)


def enroll_bridge_card(
    ledger: BridgeLedger, req: EnrollRequest, at: str | None = None
) -> BridgeLedger:
    return ledger.enroll(req, at or _now())


def retire(
    ledger: BridgeLedger, key: BridgeKey, server: str, at: str | None = None
) -> BridgeLedger:
    return ledger.retire(key, server, at or _now())


def withdraw_server(ledger: BridgeLedger, server: str, at: str | None = None) -> BridgeLedger:
    return ledger.withdraw_server(server, at or _now())


def live_capabilities(ledger: BridgeLedger) -> list[BridgeCapability]:
    return ledger.live_capabilities()


def live_capabilities_for_server(ledger: BridgeLedger, server: str) -> list[BridgeCapability]:
    return ledger.live_capabilities_for_server(server)


def bridge_tool_names(ledger: BridgeLedger) -> list[str]:
    """The names of the live tools, in order; no server need run for it."""
    return [tool.name for tool in ledger.snapshot.live.values()]


def bridge_tool_counts(ledger: BridgeLedger) -> dict[str, int]:
    """How many live tools each server has."""
    return dict(ledger.snapshot.by_server)


def _now() -> str:
    return iso(SystemClock().now_ms())
