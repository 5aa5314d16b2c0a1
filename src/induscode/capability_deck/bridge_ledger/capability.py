"""A tool of a server as a tool of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

import msgspec
from msgspec import Struct

from induscode.capability_deck.bridge_ledger.definition import BridgeDefinition, define
from induscode.capability_deck.bridge_ledger.names import split_qualified
from induscode.capability_deck.contract import DeckFault, ToolOutcome
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Image, Json, SaidBlock, Text
from induscode.kernel.jsontext import encode
from induscode.kernel.tool import Progress, ToolContext, ToolResult

__all__ = [
    "BridgeBox",
    "BridgeCapability",
    "BridgeRunner",
    "adapt_box",
    "bridge_box_to_capabilities",
    "project_outcome",
]


class BridgeRunner(Protocol):
    """Takes a call to the server that owns the tool, which the qualified name tells."""

    async def run(
        self,
        name: str,
        arguments: Mapping[str, Any],
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> ToolOutcome:
        """Never raises: whatever the server does is an outcome. An output that is a tuple of
        content blocks is what the model gets, as it is."""
        ...


class BridgeBox(BridgeRunner, Protocol):
    """Mounted servers: what they offer under qualified names, and a runner for all of it."""

    def descriptors(self) -> Sequence[Mapping[str, Any]]:
        """Each with `name`, and where the server says them `description`, `parameters` and
        `annotations`."""
        ...


class BridgeCapability(Struct, frozen=True):
    """`launch` is the digest of how its server was launched when it offered the tool. Without a
    `runner` the tool is only remembered: a call of it says so."""

    definition: BridgeDefinition
    launch: str = ""
    runner: BridgeRunner | None = None

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def label(self) -> str:
        return self.definition.name

    @property
    def server(self) -> str:
        return self.definition.server

    @property
    def description(self) -> str:
        return self.definition.description

    @property
    def parameters(self) -> Mapping[str, Any]:
        found = self.definition.parameters
        return {"type": "object"} if found is None else found

    @property
    def read_only(self) -> bool:
        """Never: what a server says of its own tools lowers no permission."""
        return False

    async def execute(
        self, arguments: Mapping[str, Any], context: ToolContext | None = None
    ) -> ToolResult:
        if self.runner is None:
            return ToolResult.error(
                f"The MCP server {self.server!r} is not connected, so {self.name} did not run."
            )
        if context is None:
            return project_outcome(await self.runner.run(self.name, arguments, CancelToken()))
        ran = self.runner.run(self.name, arguments, context.cancel, context.progress)
        return project_outcome(await ran)

    def same_offer(self, other: BridgeCapability) -> bool:
        """Whether an approval of one covers the other."""
        return self.definition.digest == other.definition.digest and self.launch == other.launch


def project_outcome(outcome: ToolOutcome) -> ToolResult:
    """A string stays as it is, nothing becomes an empty text, and any other value JSON text."""
    match outcome.output:
        case str(text):
            content: tuple[SaidBlock, ...] = (Text(text),)
        case None:
            content = (Text(""),)
        case value:
            content = _blocks(value) or (Text(_json_text(value)),)
    return ToolResult(content, is_error=outcome.is_error)


def _blocks(value: object) -> tuple[SaidBlock, ...]:
    """The value itself where it is a tuple of content blocks, else nothing."""
    if not isinstance(value, tuple):
        return ()
    members = cast("tuple[object, ...]", value)
    blocks = tuple(each for each in members if isinstance(each, Text | Image | Json))
    return blocks if len(blocks) == len(members) else ()


def _json_text(value: object) -> str:
    return msgspec.json.format(encode(value), indent=2).decode()


def bridge_box_to_capabilities(
    box: BridgeBox, launches: Mapping[str, str] | None = None
) -> list[BridgeCapability]:
    """Every tool that the box offers, in its order, with the box as the runner of all. What is
    refused is left out, and told by `adapt_box`."""
    return adapt_box(box, launches or {})[0]


def adapt_box(
    box: BridgeBox, launches: Mapping[str, str]
) -> tuple[list[BridgeCapability], list[DeckFault]]:
    """The tools of a box, and the faults of those that are refused. `launches` are the digests of
    how each server was launched."""
    found: list[BridgeCapability] = []
    faults: list[DeckFault] = []
    for row in box.descriptors():
        server, tool = split_qualified(row["name"])
        made = define(
            server,
            tool,
            description=row.get("description") or "",
            parameters=row.get("parameters"),
            annotations=row.get("annotations"),
        )
        if isinstance(made, DeckFault):
            faults.append(made)
        else:
            found.append(BridgeCapability(made, launches.get(server, ""), box))
    return found, faults
