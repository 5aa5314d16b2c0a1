"""What servers list, on its way into the ledger of the workspace, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence

from msgspec import Struct

from induscode.boot.mcp.adapting import adapted
from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.bridge_ledger.events import LedgerSnapshot
from induscode.capability_deck.bridge_ledger.judging import FirstSight, Taken, take_listing
from induscode.capability_deck.bridge_ledger.ledger import BridgeLedger
from induscode.capability_deck.bridge_ledger.store import LedgerStore, OpenReport
from induscode.errors import LogDown
from induscode.interop.standing import Standing

__all__ = ["CHANGES_MOST", "NOT_OFFERED", "Held", "Listed", "Listings"]

CHANGES_MOST = 50
"""Listings of one server in one session that change something: each is kept for good."""

NOT_OFFERED = "its server does not offer it any more"
_RESTLESS = f"it changed its tools over {CHANGES_MOST} times; they are held until the next session"


class Held(Struct, frozen=True):
    """A tool that is not live, and why."""

    name: str
    server: str
    reason: str


class Listed(Struct, frozen=True):
    """What a listing came to: what was refused of it, and the tools of it that are held, which is
    to be told. Of those that are, nothing is told again before they were approved meanwhile."""

    server: str
    held: tuple[Held, ...] = ()
    refused: tuple[str, ...] = ()


class Listings:
    """`report` says how opening the ledger went. Where a listing cannot be recorded, its server's
    tools are held as long as that lasts."""

    def __init__(self, store: LedgerStore, report: OpenReport, now: Callable[[], str]) -> None:
        self.report = report
        self._store = store
        self._now = now
        self._first = FirstSight.APPROVE if report.whole else FirstSight.HOLD
        self._met: dict[str, None] = {}
        self._changes: dict[str, int] = {}
        self._unrecorded: dict[str, str] = {}
        self._snapshot: LedgerSnapshot | None = None
        self._live: dict[str, BridgeCapability] = {}

    @property
    def ledger(self) -> BridgeLedger:
        return self._store.ledger

    def refresh(self) -> Sequence[str]:
        """Take in what other processes decided; returns what is to be told about it."""
        found = self._store.refresh()
        if not found.whole:
            self._first = FirstSight.HOLD
        return found.sentences

    def take(self, standing: Standing) -> Listed:
        """Record what a server that is ready lists. Never raises."""
        if self._changes.get(standing.server, 0) >= CHANGES_MOST:
            self._unrecorded[standing.server] = _RESTLESS
            return Listed(standing.server, refused=(f"{standing.server!r}: {_RESTLESS}",))
        tools, faults = adapted(standing)
        found: list[Taken] = []
        number = self.ledger.next_seq
        before = self.ledger.snapshot.quarantined
        told: Iterable[str] = before if standing.server in self._met else ()
        known: set[str] = set()

        def change(ledger: BridgeLedger) -> BridgeLedger:
            known.update(name for name in told if name in ledger.snapshot.quarantined)
            taken = take_listing(ledger, standing.server, tools, first=self._first, at=self._now())
            found.append(taken)
            return taken.ledger

        try:
            self._store.record(change)
        except LogDown as error:
            self._unrecorded[standing.server] = error.message
            return Listed(standing.server, refused=(str(error),))
        self._unrecorded.pop(standing.server, None)
        self._met[standing.server] = None
        if self.ledger.next_seq != number:
            self._changes[standing.server] = self._changes.get(standing.server, 0) + 1
        held = self._held(standing.server, known)
        refused = (*faults, *(fault.message for fault in found[-1].faults))
        return Listed(standing.server, held, refused)

    def held_since(self, before: LedgerSnapshot) -> list[Listed]:
        """What other processes found changed, of servers that were met here."""
        found = [Listed(server, self._held(server, before.quarantined)) for server in self._met]
        return [each for each in found if each.held]

    def _held(self, server: str, known: Container[str]) -> tuple[Held, ...]:
        """The tools of a server that are held, without those whose names are known to be."""
        snapshot = self.ledger.snapshot
        return tuple(
            Held(tool.name, tool.server, snapshot.held[key])
            for key, tool in snapshot.enrolled.items()
            if tool.server == server and key in snapshot.held and tool.name not in known
        )

    def live(self, server: str) -> list[BridgeCapability]:
        """The live tools of a server; none while what it lists cannot be recorded."""
        if server in self._unrecorded:
            return []
        return [tool for tool in self._by_name().values() if tool.server == server]

    def denial(self, tool: BridgeCapability) -> str | None:
        """Why this tool, as it was told to a model, may not be called now; None when it may."""
        if why := self._unrecorded.get(tool.server):
            return f"what its server offers cannot be recorded: {why}"
        now = self._by_name().get(tool.name)
        if now is not None and now.same_offer(tool):
            return None
        if now is not None:
            return (
                "it was approved with another definition meanwhile, which comes with your next turn"
            )
        snapshot = self.ledger.snapshot
        for key, reason in snapshot.held.items():
            if snapshot.enrolled[key].name == tool.name:
                return (
                    f"it is in quarantine: {reason}; the person can see the difference with"
                    f" `indus mcp list` and accept it with `indus mcp approve {tool.name}`"
                )
        return NOT_OFFERED

    def _by_name(self) -> dict[str, BridgeCapability]:
        snapshot = self.ledger.snapshot
        if snapshot is not self._snapshot:
            self._live = {tool.name: tool for tool in snapshot.live.values()}
            self._snapshot = snapshot
        return self._live
