"""Tools of servers that do not exist, and events about them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from hypothesis import strategies as st

from induscode.capability_deck import (
    BridgeCapability,
    BridgeEntry,
    BridgeOp,
    ToolOutcome,
    bridge_key,
)
from induscode.capability_deck.bridge_ledger.capability import BridgeRunner
from induscode.capability_deck.bridge_ledger.definition import BridgeDefinition, define
from induscode.capability_deck.bridge_ledger.events import BridgeVerdict, LedgerEvent, VerdictOp
from induscode.capability_deck.bridge_ledger.ledger import capability_key
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import Progress

AT = "2026-01-02T03:04:05.678Z"
LAUNCH = "a" * 64
OBJECT = {"type": "object", "properties": {"path": {"type": "string"}}}


def definition(
    server: str = "git",
    tool: str = "status",
    *,
    description: str = "Tells.",
    parameters: Mapping[str, Any] | None = OBJECT,
    annotations: Mapping[str, Any] | None = None,
) -> BridgeDefinition:
    made = define(
        server, tool, description=description, parameters=parameters, annotations=annotations
    )
    assert isinstance(made, BridgeDefinition), made
    return made


def tool(
    server: str = "git",
    name: str = "status",
    *,
    launch: str = LAUNCH,
    runner: BridgeRunner | None = None,
    **said: Any,
) -> BridgeCapability:
    return BridgeCapability(definition(server, name, **said), launch, runner)


class Mounted:
    """Servers of which only the answers are told."""

    def __init__(self, *rows: dict[str, Any], answer: ToolOutcome | None = None) -> None:
        self.rows = rows
        self.answer = answer or ToolOutcome("fine")
        self.calls: list[tuple[str, Mapping[str, Any], CancelToken | None]] = []

    def descriptors(self) -> list[dict[str, Any]]:
        return list(self.rows)

    async def run(
        self,
        name: str,
        arguments: Mapping[str, Any],
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> ToolOutcome:
        self.calls.append((name, arguments, cancel))
        return self.answer


# Few servers, names and definitions, so that events meet each other.
TOOLS = [
    tool(server, name, launch=launch, description=said, parameters=schema)
    for server, name, launch, said, schema in product(
        ("git", "fs"), ("status", "log", "diff"), ("", LAUNCH), ("One.", "Two."), (None, OBJECT)
    )
]
tools = st.sampled_from(TOOLS)
KEYS = [bridge_key(f"bk_{number}") for number in range(1, 4)]
OPS = (*BridgeOp, *VerdictOp)
SEQS = range(-3, 20)
TIMES = (AT, "2026-01-02T03:04:06.000Z")


def any_event(number: int) -> LedgerEvent:
    """One of all events about these tools, also of those that no ledger would make. Drawing one
    number is quicker than drawing every part."""
    number, place = divmod(number, len(TOOLS))
    about = TOOLS[place]
    number, place = divmod(number, len(OPS))
    op = OPS[place]
    number, place = divmod(number, len(SEQS))
    seq = SEQS[place]
    number, place = divmod(number, len(KEYS) + 1)
    key = [capability_key(about), *KEYS][place]
    number, place = divmod(number, len(TIMES))
    at, odd = TIMES[place], bool(number)
    if isinstance(op, BridgeOp):
        kept = about if (op is BridgeOp.ENROLL) is not odd else None
        return BridgeEntry(op, key, about.server, kept, seq, at)
    said = about.definition
    reason = "why" if odd else ""
    return BridgeVerdict(
        op, key, said.server, said.name, said.digest, about.launch, said.body, reason, seq, at
    )


_EVERY = len(TOOLS) * len(OPS) * len(SEQS) * (len(KEYS) + 1) * len(TIMES) * 2
events = st.integers(0, _EVERY - 1).map(any_event)
logs = st.lists(events, max_size=16)
numbered = st.lists(events, max_size=16, unique_by=lambda event: event.seq)
