"""All servers of a session: connected side by side, called through one runner."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from induscode.capability_deck.bridge_ledger.names import qualify_bridge_name, split_qualified
from induscode.capability_deck.contract import ToolOutcome
from induscode.capability_deck.mcp_config.servers import ServerConfig
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.ground import Ground
from induscode.interop.member import Member, Told
from induscode.interop.opening import Opener
from induscode.interop.standing import Standing
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import Progress

if TYPE_CHECKING:
    from induscode.interop.connection import Connection

__all__ = ["Fleet"]

_UNKNOWN_EFFECT = frozenset(
    {ServerFaultKind.LOST, ServerFaultKind.OUT_OF_TIME, ServerFaultKind.BAD_ANSWER}
)


class Fleet:
    """A `BridgeBox` over servers: what they offer under qualified names, and the runner of it.
    `told` hears each change of each server, and must not raise. Names of servers are unique."""

    def __init__(self, servers: Iterable[ServerConfig], ground: Ground, told: Told) -> None:
        opener = Opener()
        self._members = {each.name: Member(each, ground, opener, told) for each in servers}

    def start(self) -> None:
        """Begin to connect, all at once; returns at once."""
        for member in self._members.values():
            member.start()

    async def settled(self, seconds: float) -> None:
        """Until each server is ready or has failed once, but no longer than this."""
        waiting = [asyncio.ensure_future(each.settled.wait()) for each in self._members.values()]
        if not waiting:
            return
        try:
            await asyncio.wait(waiting, timeout=seconds)
        finally:
            for task in waiting:
                task.cancel()

    async def tried(self, server: str) -> None:
        """Until a server is ready or has failed once; its own deadline bounds that."""
        member = self._members.get(server)
        if member is not None:
            await member.settled.wait()

    async def close(self) -> None:
        """Nothing of any server is left when this returns."""
        await asyncio.gather(*(member.close() for member in self._members.values()))

    def standings(self) -> tuple[Standing, ...]:
        """In the order of the configuration."""
        return tuple(member.standing for member in self._members.values())

    def launches(self) -> dict[str, str]:
        """The digest of how each server is launched, by its name."""
        return {name: member.config.launch for name, member in self._members.items()}

    def connection(self, server: str) -> Connection | None:
        """For prompts and resources; None when it is not ready."""
        member = self._members.get(server)
        return None if member is None else member.connection

    def reconnect(self, server: str) -> bool:
        """Try again now; False when there is no such server."""
        member = self._members.get(server)
        if member is None:
            return False
        member.reconnect()
        return True

    def descriptors(self) -> list[dict[str, Any]]:
        """The tools of servers that are ready, as they were last listed."""
        return [
            {
                "name": qualify_bridge_name(name, tool.name),
                "description": tool.description,
                "parameters": tool.parameters,
                "annotations": tool.annotations,
            }
            for name, member in self._members.items()
            if member.connection is not None
            for tool in member.standing.tools
        ]

    async def run(
        self,
        name: str,
        arguments: Mapping[str, Any],
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> ToolOutcome:
        """Raises nothing but `Cancelled`, when `cancel` is."""
        server, tool = split_qualified(name)
        member = self._members.get(server)
        if member is None:
            return _refused(f"There is no MCP server {server!r} in this session", name)
        if not member.config.admits(tool):
            return _refused(f"The configuration does not admit this tool of {server!r}", name)
        connection = member.connection
        if connection is None:
            return _refused(f"The MCP server {server!r} {member.standing.clause()}", name)
        if all(tool != each.name for each in member.standing.tools):
            return _refused(f"The MCP server {server!r} does not offer this tool any more", name)
        try:
            return await (cancel or CancelToken()).run(connection.call(tool, arguments, progress))
        except ServerFault as fault:
            return ToolOutcome(_told(fault, name), is_error=True)


def _refused(why: str, name: str) -> ToolOutcome:
    return ToolOutcome(f"{why}, so {name} did not run.", is_error=True)


def _told(fault: ServerFault, name: str) -> str:
    said = str(fault)
    told = f"{said[:1].upper()}{said[1:].rstrip('.')}."
    if fault.kind is ServerFaultKind.CLOSED:
        return f"{told} So {name} did not run."
    if fault.kind in _UNKNOWN_EFFECT:
        return f"{told} Whether {name} had an effect is not known."
    return told
