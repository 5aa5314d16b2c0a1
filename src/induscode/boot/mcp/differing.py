"""What a tool that is held differs in from what was approved, as lines for a person.

Every character is visible in the lines. Nothing is left out of them: who approves must be able to
see all of it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from induscode.capability_deck.bridge_ledger.canonical import approval_form
from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.bridge_ledger.definition import BridgeDefinition
from induscode.capability_deck.bridge_ledger.events import Approval, BridgeEntry, LedgerSnapshot
from induscode.capability_deck.bridge_ledger.ledger import BridgeLedger
from induscode.channels.terminal import exact

__all__ = ["differences"]

_COMPARED_LINES = 5_000
_DIGEST = 12
_PARTS = ("description", "schema", "annotations")


def differences(ledger: BridgeLedger, tool: BridgeCapability, launch: str = "") -> list[str]:
    """`launch` is the line by which its server is launched now, if that is known."""
    found = _before(ledger.snapshot, tool)
    if found is None:
        return [
            "nothing was approved under this name before; what it says now:",
            *_compared(None, tool.definition),
        ]
    name, approval = found
    lines: list[str] = []
    if name != tool.name:
        lines.append(f"it was approved as {name}, and is the same under another name")
    if approval.definition != tool.definition.digest and name == tool.name:
        known = _known(ledger, approval.definition)
        if known is None:
            lines.append("what was approved is not in the ledger any more; what it says now:")
        lines += _compared(known, tool.definition)
    if approval.launch != tool.launch:
        lines += _relaunched(approval, tool, launch)
    return lines or ["it is again what was approved, and held because it was not meanwhile"]


def _before(snapshot: LedgerSnapshot, tool: BridgeCapability) -> tuple[str, Approval] | None:
    """What was approved under its name, or else the same under another name of its server."""
    if (approval := snapshot.approved.get(tool.name)) is not None:
        return tool.name, approval
    for name, approval in snapshot.approved.items():
        if approval.server == tool.server and approval.body == tool.definition.body:
            return name, approval
    return None


def _known(ledger: BridgeLedger, wanted: str) -> BridgeDefinition | None:
    for event in reversed(ledger.log):
        if isinstance(event, BridgeEntry) and event.capability is not None:
            definition = event.capability.definition
            if definition.digest == wanted:
                return definition
    return None


def _compared(before: BridgeDefinition | None, now: BridgeDefinition) -> Iterator[str]:
    if before is None:
        for what, said in zip(_PARTS, _parts(now), strict=True):
            if said:
                yield f"+++ {what}"
            yield from (f"+{line}" for line in _lines(said))
        return
    for what, was, said in zip(_PARTS, _parts(before), _parts(now), strict=True):
        yield from _unified(what, was, said)


def _parts(said: BridgeDefinition) -> tuple[str, str, str]:
    return said.description, _json(said.parameters), _json(said.annotations)


def _unified(what: str, before: str, now: str) -> Iterator[str]:
    old, new = _lines(before), _lines(now)
    if old == new:
        return
    if max(len(old), len(new)) > _COMPARED_LINES:  # comparing them would take minutes
        yield from (f"--- {what}, approved", f"+++ {what}, now")
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    heads = (f"{what}, approved", f"{what}, now")
    yield from difflib.unified_diff(old, new, *heads, lineterm="")


def _lines(text: str) -> list[str]:
    return exact(text).split("\n") if text else []


def _json(value: Mapping[str, Any] | None) -> str:
    """In the form that was approved: keys in one order, every number as it was said."""
    if value is None:
        return ""
    return msgspec.json.format(approval_form(value).decode(), indent=2)


def _relaunched(approval: Approval, tool: BridgeCapability, launch: str) -> Iterator[str]:
    yield "its server is launched another way than when it was approved"
    yield f"  launch line approved: {approval.launch[:_DIGEST]} (only its digest is kept)"
    yield f"  launch line now:      {tool.launch[:_DIGEST]}"
    if launch:
        yield "    " + exact(launch).replace("\n", "\u240a")
