"""What a person's approval is given for: exactly the tools that were shown, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.bridge_ledger.events import (
    Approval,
    BridgeKey,
    LedgerSnapshot,
    VerdictOp,
)
from induscode.capability_deck.bridge_ledger.ledger import BridgeLedger, verdict_step
from induscode.capability_deck.bridge_ledger.store import LedgerStore
from induscode.errors import UsageError
from induscode.policy.aliases import tool_name
from induscode.tools.compare import close_names

__all__ = ["Shown", "approve", "held_of"]

_FOREIGN = "mcp__"


class Shown(Struct, frozen=True):
    """A held tool as a person saw it: what it is, why it is held, and what was approved before."""

    key: BridgeKey
    tool: BridgeCapability
    reason: str
    before: Approval | None


def held_of(snapshot: LedgerSnapshot, name: str, servers: Collection[str]) -> list[Shown]:
    """The held tools that `name` means: all of a server's, or one under its qualified name, with or
    without `mcp__` before it. `servers` are further servers there are. Raises `UsageError` for a
    name that means nothing here."""
    known = {*servers, *(each.server for each in snapshot.enrolled.values())}
    held = list(_held(snapshot))
    if name in known:
        return [each for each in held if each.tool.server == name]
    tools = {*snapshot.approved, *snapshot.quarantined, *_names(snapshot)}
    exact = [each for each in tools if name in {each, f"{_FOREIGN}{each}"}]
    alike = exact or [each for each in tools if tool_name(each) == tool_name(name)]
    if not alike:
        raise _unknown(name, {*known, *tools})
    return [each for each in held if each.tool.name in alike]


def approve(store: LedgerStore, shown: Sequence[Shown], at: str) -> bool:
    """Record the approval of all that was shown. False when the ledger says otherwise of any of
    them by now: then nothing is approved. Raises `LogDown`."""
    same: list[bool] = []

    def change(ledger: BridgeLedger) -> BridgeLedger:
        now = {each.key: each for each in _held(ledger.snapshot)}
        same.append(all(_alike(now.get(each.key), each) for each in shown))
        if not same[-1]:
            return ledger
        return ledger.with_steps([verdict_step(VerdictOp.APPROVE, each.tool) for each in shown], at)

    store.record(change)
    return same[-1]


def _held(snapshot: LedgerSnapshot) -> Iterator[Shown]:
    for key, reason in snapshot.held.items():
        tool = snapshot.enrolled[key]
        yield Shown(key, tool, reason, snapshot.approved.get(tool.name))


def _alike(now: Shown | None, shown: Shown) -> bool:
    return (
        now is not None
        and now.tool.same_offer(shown.tool)
        and (now.reason, now.before) == (shown.reason, shown.before)
    )


def _names(snapshot: LedgerSnapshot) -> Iterator[str]:
    return (tool.name for tool in snapshot.enrolled.values())


def _unknown(name: str, known: Collection[str]) -> UsageError:
    near = close_names(name.removeprefix(_FOREIGN), sorted(known))
    hint = f"did you mean {' or '.join(near)}?" if near else "see: indus mcp list"
    return UsageError(f"no MCP server or tool {name!r} is known here", hint=hint)
