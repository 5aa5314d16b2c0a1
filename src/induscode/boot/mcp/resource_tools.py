"""`mcp_resources` and `mcp_read`: what servers have to be read, as tools that are asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from induscode.boot.mcp.names import MCP_READ, MCP_RESOURCES
from induscode.boot.mcp.ranking import ranked
from induscode.boot.mcp.reaching import connected
from induscode.boot.mcp.wording import one_line, some_of
from induscode.interop.faults import ServerFault
from induscode.interop.offers import OfferedResource
from induscode.kernel.content import SaidBlock, Text
from induscode.kernel.tool import ToolContext, ToolResult

if TYPE_CHECKING:
    from induscode.boot.mcp.session import McpServers

__all__ = ["McpRead", "McpResources", "failed"]

_PAGE = 100
_URI_CHARACTERS = 2_000


class McpResources:
    """The list of one server, asked for anew each time."""

    name = MCP_RESOURCES
    label = "List resources of an MCP server"
    read_only = False

    def __init__(self, servers: McpServers, readable: Sequence[str]) -> None:
        self.description = (
            "List the resources of an MCP server: files, records and other things that it can give"
            f" you with {MCP_READ}. Servers that have some: {some_of(readable)}."
        )
        self.parameters: Mapping[str, Any] = {
            "type": "object",
            "properties": {
                "server": {"type": "string", "description": "the name of the server"},
                "query": {
                    "type": "string",
                    "description": "words of names, addresses and descriptions; all unless given",
                },
                "offset": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "how many to pass over; 0 unless given",
                },
            },
            "required": ["server"],
        }
        self._servers = servers

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        server: str = arguments["server"]
        try:
            found = await context.cancel.run(self._listed(server))
        except ServerFault as fault:
            return failed(fault)
        query: str = arguments.get("query", "")
        return ToolResult.text(
            _page(server, ranked(found, query, _said), arguments.get("offset", 0))
        )

    async def _listed(self, server: str) -> tuple[OfferedResource, ...]:
        connection = await connected(self._servers, server)
        return await connection.resources()


class McpRead:
    """One resource, as the server gives it."""

    name = MCP_READ
    label = "Read a resource of an MCP server"
    description = f"Read a resource of an MCP server by its address, which {MCP_RESOURCES} tells."
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "server": {"type": "string", "description": "the name of the server"},
            "uri": {
                "type": "string",
                "minLength": 1,
                "description": "the address; of a template, with its {fields} filled in",
            },
        },
        "required": ["server", "uri"],
    }
    read_only = False

    def __init__(self, servers: McpServers) -> None:
        self._servers = servers

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        work = self._read(arguments["server"], arguments["uri"])
        try:
            blocks = await context.cancel.run(work)
        except ServerFault as fault:
            return failed(fault)
        return ToolResult(blocks or (Text("The resource is empty."),))

    async def _read(self, server: str, uri: str) -> tuple[SaidBlock, ...]:
        connection = await connected(self._servers, server)
        return await connection.read(uri)


def failed(fault: ServerFault) -> ToolResult:
    """What a model is told of it."""
    said = str(fault)
    return ToolResult.error(f"{said[:1].upper()}{said[1:]}")


def _page(server: str, found: Sequence[OfferedResource], offset: int) -> str:
    page = found[offset : offset + _PAGE]
    if not page:
        return f"The MCP server {server} has no such resource" + (
            f" after the first {offset}; {len(found)} in all." if found else "."
        )
    lines = [_line(each) for each in page]
    if (more := len(found) - offset - len(page)) > 0:
        lines.append(f"[{more} more: offset {offset + len(page)}]")
    return "\n".join(lines)


def _line(found: OfferedResource) -> str:
    marks = (found.name, found.media_type, "template" if found.template else "")
    shown = ", ".join(one_line(mark) for mark in marks if mark)
    told = f"{one_line(found.uri, _URI_CHARACTERS)} ({shown})"
    return f"{told}: {one_line(found.description)}" if found.description else told


def _said(found: OfferedResource) -> tuple[str, str]:
    return f"{found.name} {found.uri}", found.description
