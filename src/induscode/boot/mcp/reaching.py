"""The live connection to a server, for what is no tool of it: its prompts and its resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from induscode.interop.faults import ServerFault, ServerFaultKind

if TYPE_CHECKING:
    from induscode.boot.mcp.session import McpServers
    from induscode.interop.connection import Connection

__all__ = ["connected"]


async def connected(servers: McpServers, server: str) -> Connection:
    """Once it was tried. Raises `ServerFault` when there is no such server, or it is not
    connected now."""
    fleet = servers.fleet
    if fleet is None or server not in servers.servers():
        raise _closed(server, f"it is not part of this session; there are: {_names(servers)}")
    await fleet.tried(server)
    connection = fleet.connection(server)
    if connection is None:
        standing = servers.standing(server)
        raise _closed(
            server, "it is not connected" if standing is None else f"it {standing.clause()}"
        )
    return connection


def _closed(server: str, why: str) -> ServerFault:
    return ServerFault(ServerFaultKind.CLOSED, server, why, hint="see: indus mcp list")


def _names(servers: McpServers) -> str:
    return ", ".join(servers.servers()) or "none"
