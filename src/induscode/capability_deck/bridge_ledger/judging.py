"""What an approval covers, and what becomes of the tools that a server lists.

A server's tools are first seen once. What it lists later and was not approved just so is held: a
changed description, schema or annotation, a known body under a new name, a new tool, a server that
is launched another way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct

from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.bridge_ledger.events import (
    Approval,
    EnrollRequest,
    LedgerSnapshot,
    VerdictOp,
)
from induscode.capability_deck.bridge_ledger.ledger import (
    BridgeLedger,
    Step,
    capability_key,
    retire_step,
    verdict_step,
)
from induscode.capability_deck.bridge_ledger.limits import TOOLS_MOST
from induscode.capability_deck.contract import DeckFault, deck_fault

__all__ = ["FirstSight", "Judgement", "Standing", "Taken", "judge", "take_listing"]


class Standing(StrEnum):
    """How a tool that is offered stands to what was approved before."""

    APPROVED = "approved"
    FIRST = "first seen"
    CHANGED = "changed"
    RELAUNCHED = "launched another way"
    RENAMED = "renamed"
    ADDED = "added"
    HELD = "held"


class FirstSight(StrEnum):
    """What becomes of a server's tools when nothing was ever decided about it. Approve only what
    the person has let start, and never when the record of earlier decisions was damaged."""

    APPROVE = "approve"
    HOLD = "hold"


class Judgement(Struct, frozen=True):
    """`before` is what was approved under its name, or under `former` for what was renamed."""

    standing: Standing
    reason: str = ""
    before: Approval | None = None
    former: str = ""


class Taken(Struct, frozen=True):
    """The ledger after a listing, and what of the listing was refused."""

    ledger: BridgeLedger
    faults: tuple[DeckFault, ...] = ()


def judge(snapshot: LedgerSnapshot, capability: BridgeCapability) -> Judgement:
    """Compare a tool with what was decided before. Changes nothing. Only an approval ends a
    quarantine, also when the tool is again what it was."""
    before = snapshot.approved.get(capability.name)
    quarantined = snapshot.quarantined.get(capability.name)
    if before is not None and not before.covers(capability):
        return _differing(before, capability)
    if quarantined is not None:
        return Judgement(Standing.HELD, quarantined.reason, before)
    if before is not None:
        return Judgement(Standing.APPROVED, "", before)
    if not _met(snapshot, capability.server):
        return Judgement(Standing.FIRST, "nothing of its server was approved yet")
    former = _former(snapshot, capability)
    if former is not None:
        name, approval = former
        reason = f"it is what was approved as {name}, under another name"
        return Judgement(Standing.RENAMED, reason, approval, name)
    return Judgement(Standing.ADDED, "its server was met without it")


def take_listing(
    ledger: BridgeLedger,
    server: str,
    listed: Sequence[BridgeCapability],
    *,
    first: FirstSight,
    at: str,
) -> Taken:
    """All that a server offers now. What is approved just so is enrolled; what is not is enrolled
    and in quarantine; what is gone is retired; what is there already costs no event. Of two tools
    with one name the first keeps it. Verdicts stand before the tools they are about."""
    tools, faults = _distinct(server, listed)
    steps: list[Step] = []
    for tool in tools:
        steps += _verdict(ledger.snapshot, tool, first)
        if ledger.snapshot.enrolled.get(capability_key(tool)) != tool:
            steps += ledger.enroll_steps(EnrollRequest(tool, server))
    names = {tool.name for tool in tools}
    for key, tool in ledger.snapshot.enrolled.items():
        if tool.server == server and tool.name not in names:
            steps.append(retire_step(key, server))
    return Taken(ledger.with_steps(steps, at), tuple(faults))


def _differing(before: Approval, capability: BridgeCapability) -> Judgement:
    if before.definition != capability.definition.digest:
        reason = "its definition is not the one that was approved"
        return Judgement(Standing.CHANGED, reason, before)
    reason = "its server is launched another way than when it was approved"
    return Judgement(Standing.RELAUNCHED, reason, before)


def _met(snapshot: LedgerSnapshot, server: str) -> bool:
    """Whether anything of a server was ever approved or held."""
    known = (*snapshot.approved.values(), *snapshot.quarantined.values())
    return any(each.server == server for each in known)


def _former(snapshot: LedgerSnapshot, capability: BridgeCapability) -> tuple[str, Approval] | None:
    for name, approval in snapshot.approved.items():
        if approval.server == capability.server and approval.body == capability.definition.body:
            return name, approval
    return None


def _verdict(snapshot: LedgerSnapshot, tool: BridgeCapability, first: FirstSight) -> list[Step]:
    found = judge(snapshot, tool)
    if found.standing is Standing.APPROVED:
        return []
    if found.standing is Standing.FIRST and first is FirstSight.APPROVE:
        return [verdict_step(VerdictOp.APPROVE, tool)]
    known = snapshot.quarantined.get(tool.name)
    if known is not None and known.reason == found.reason:
        return []
    return [verdict_step(VerdictOp.QUARANTINE, tool, found.reason)]


def _distinct(
    server: str, listed: Iterable[BridgeCapability]
) -> tuple[list[BridgeCapability], list[DeckFault]]:
    tools: dict[str, BridgeCapability] = {}
    faults: list[DeckFault] = []
    for tool in listed:
        if tool.name in tools:
            why = f"{server!r} lists {tool.name} twice; the first is kept"
            faults.append(deck_fault("bridge", why))
        elif len(tools) == TOOLS_MOST:
            why = f"{server!r} lists over {TOOLS_MOST} tools; {tool.name} is refused"
            faults.append(deck_fault("bridge", why))
        else:
            tools[tool.name] = tool
    return list(tools.values()), faults
