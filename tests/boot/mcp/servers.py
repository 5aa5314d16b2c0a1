"""Servers of a session, without any: what they list is given, and what they answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from induscode.boot.mcp.deferral import Deferral
from induscode.boot.mcp.session import McpServers
from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.bridge_ledger.definition import BridgeDefinition, define
from induscode.interop.faults import ServerFault
from induscode.interop.offers import OfferedPrompt, OfferedResource, PromptArgument
from induscode.interop.standing import ServerState, Standing
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import SaidBlock, Text
from induscode.kernel.tool import AgentTool, ToolContext

Answer = Sequence[SaidBlock] | ServerFault


def bridged(server: str, tool: str, description: str = "", **properties: Any) -> BridgeCapability:
    schema = {"type": "object", "properties": properties}
    made = define(server, tool, description=description, parameters=schema)
    assert isinstance(made, BridgeDefinition)
    return BridgeCapability(made)


def prompt(name: str, *arguments: str, description: str = "") -> OfferedPrompt:
    """An argument that ends in `?` may be left out."""
    asked = [
        PromptArgument(each.rstrip("?"), required=not each.endswith("?")) for each in arguments
    ]
    return OfferedPrompt(name, description, tuple(asked))


def standing(server: str = "git", **more: Any) -> Standing:
    return Standing(server, **{"state": ServerState.READY, "launch": "x", **more})


class Line:
    """A connection. `asked` is what it was asked for."""

    def __init__(self, answer: Answer = (), resources: Sequence[OfferedResource] = ()) -> None:
        self.asked: list[tuple[str, Mapping[str, str]]] = []
        self._answer = answer
        self._resources = tuple(resources)

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> tuple[SaidBlock, ...]:
        return self._answered(name, arguments)

    async def read(self, uri: str) -> tuple[SaidBlock, ...]:
        return self._answered(uri, {})

    async def resources(self) -> tuple[OfferedResource, ...]:
        self._answered("resources", {})
        return self._resources

    def _answered(self, name: str, arguments: Mapping[str, str]) -> tuple[SaidBlock, ...]:
        self.asked.append((name, arguments))
        if isinstance(self._answer, ServerFault):
            raise self._answer
        return tuple(self._answer)


class Ships:
    """A fleet whose first attempts are over."""

    def __init__(self, lines: Mapping[str, Line]) -> None:
        self._lines = lines
        self.tries: list[str] = []

    async def tried(self, server: str) -> None:
        self.tries.append(server)

    def connection(self, server: str) -> Line | None:
        return self._lines.get(server)


class Servers:
    def __init__(
        self,
        *standings: Standing,
        tools: Sequence[BridgeCapability] = (),
        threshold: int = 0,
        **lines: Line,
    ) -> None:
        self.fleet = Ships(lines)
        self.deferral = Deferral(threshold)
        self.tools = list(tools)
        self._standings = {each.server: each for each in standings}
        self.deferral.shown(self.tools, {})

    def live(self) -> list[BridgeCapability]:
        return list(self.tools)

    def servers(self) -> tuple[str, ...]:
        return tuple(self._standings)

    def standing(self, server: str) -> Standing | None:
        return self._standings.get(server)


def given(servers: Servers) -> McpServers:
    """As what takes their place expects them."""
    return cast("McpServers", servers)


def said(blocks: Sequence[SaidBlock]) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, Text))


async def called(tool: AgentTool, **arguments: Any) -> str:
    result = await tool.execute(arguments, context())
    assert not result.is_error, said(result.content)
    return said(result.content)


async def refused(tool: AgentTool, **arguments: Any) -> str:
    result = await tool.execute(arguments, context())
    assert result.is_error
    return said(result.content)


def context(cancel: CancelToken | None = None) -> ToolContext:
    nothing = cast("Any", None)
    return ToolContext(
        cwd=Path("/"),
        fs=nothing,
        shell=nothing,
        cancel=cancel or CancelToken(),
        progress=lambda _: None,
        spill=lambda name, _: Path(name),
    )
