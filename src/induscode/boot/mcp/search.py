"""`mcp_search`: finds tools of servers that the model was not told of, and has them told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from induscode.boot.mcp.names import MCP_SEARCH
from induscode.boot.mcp.ranking import ranked
from induscode.boot.mcp.wording import some_of
from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.kernel.tool import ToolContext, ToolResult

if TYPE_CHECKING:
    from induscode.boot.mcp.session import McpServers

__all__ = ["McpSearch"]

_FOUND = 5
_FOUND_MOST = 20
_NAMES_MOST = 200
_DESCRIPTION_CHARACTERS = 2_000
_SCHEMA_CHARACTERS = 4_000
_RESULT_CHARACTERS = 24_000
"""Below the bound of every result, so that no tool is cut in the middle."""

_BETWEEN = re.compile(r"[\s,]+")


class McpSearch:
    """`tools` are those of servers whose tools are deferred, whether the model was told of them or
    not: what it reads here is the same after each search."""

    name = MCP_SEARCH
    label = "Find a tool of an MCP server"
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "words of names and descriptions, such as: create issue; or exact"
                " names of tools with spaces between them; empty for a list of all names",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": _FOUND_MOST,
                "description": f"how many at most; {_FOUND} unless given",
            },
        },
        "required": ["query"],
    }
    read_only = True

    def __init__(self, servers: McpServers, tools: Sequence[BridgeCapability]) -> None:
        self.description = _description(tools)
        self._servers = servers

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """What is found can be called from the next step on."""
        del context
        query: str = arguments["query"]
        live = self._servers.live()
        deferred = self._servers.deferral.deferred(live)
        if not query.strip():
            return ToolResult.text(_catalog(deferred))
        limit = min(arguments.get("limit", _FOUND), _FOUND_MOST)
        if named := _named(live, query):
            limit = _FOUND_MOST
            found = [tool for tool in named if tool in deferred]
            if not found:
                return ToolResult.text("You can call this already: nothing had to be found.")
        else:
            found = ranked(deferred, query, lambda tool: (tool.name, tool.description))
            if not found:
                return ToolResult.text(_nothing(len(deferred)))
        told = _fitting([_entry(tool) for tool in found[:limit]])
        self._servers.deferral.want(tool.name for tool in found[: len(told)])
        return ToolResult.text("\n\n".join((*told, _ending(len(told), len(found)))))


def _description(tools: Sequence[BridgeCapability]) -> str:
    """Only counts and names that the configuration gives: no word of a server."""
    counts = Counter(tool.server for tool in tools)
    told = some_of([f"{server} ({count})" for server, count in counts.items()])
    return (
        "Find tools of MCP servers that are not among your tools yet, and get them: what is found"
        " can be called from your next step on. Search before you do with other tools what a server"
        f" may have a tool for. Servers, and how many tools each has: {told}."
    )


def _nothing(count: int) -> str:
    return (
        f"None of the {count} tools has any of these words in its name or description. Try other"
        " words, or an empty query for a list of all names."
    )


def _named(live: Sequence[BridgeCapability], query: str) -> list[BridgeCapability]:
    """Those that the query names, if it has nothing but names."""
    by_name = {tool.name: tool for tool in live}
    asked = dict.fromkeys(_BETWEEN.split(query.strip()))
    found = [by_name[name] for name in asked if name in by_name]
    return found if len(found) == len(asked) else []


def _entry(tool: BridgeCapability) -> str:
    schema = msgspec.json.encode(tool.parameters).decode()
    if len(schema) > _SCHEMA_CHARACTERS:
        schema = f"[{len(schema):,} characters, which come with the tool]"
    return f"{tool.name}\n{_cut(tool.description, _DESCRIPTION_CHARACTERS)}\nparameters: {schema}"


def _fitting(entries: Sequence[str]) -> list[str]:
    """As many as there is room for, one at least."""
    room = _RESULT_CHARACTERS
    kept: list[str] = []
    for entry in entries:
        room -= len(entry)
        if kept and room < 0:
            break
        kept.append(entry)
    return kept


def _ending(told: int, found: int) -> str:
    said = "You can call it" if told == 1 else f"You can call these {told}"
    more = found - told
    rest = f" {more} more have words of the query: name them, or search with other words."
    return f"{said} from your next step on.{rest if more else ''}"


def _catalog(deferred: Sequence[BridgeCapability]) -> str:
    names = [tool.name for tool in deferred[:_NAMES_MOST]]
    more = len(deferred) - len(names)
    rest = [f"[{more} more: search with words]"] if more else []
    return "\n".join((*names, *rest, "Search for words or exact names to get what you need."))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
