"""`builtin:mcp`: what serves all servers of a session, where there is something to serve.

The model finds deferred tools with `mcp_search`. Resources and prompts come to it only by tools
that it calls, and that a person is asked about: never by themselves.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from induscode.boot.mcp.names import MCP
from induscode.boot.mcp.prompt_tool import McpPrompt
from induscode.boot.mcp.resource_tools import McpRead, McpResources
from induscode.boot.mcp.search import McpSearch
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.registry import FeatureInstallContext, Package
from induscode.feature.tool import ToolContribution, ToolDeclaration
from induscode.kernel.sources import sources_digest
from induscode.kernel.tool import AgentTool
from induscode.version import VERSION

if TYPE_CHECKING:
    from induscode.boot.mcp.session import McpServers

__all__ = ["mcp_package"]

_SOURCES = ("boot/mcp/*.py", "interop/**/*.py", "capability_deck/bridge_ledger/*.py")


def mcp_package(servers: McpServers) -> Package:
    return Package(McpFeature(servers), _digest(), "builtin", MCP, ours=True)


@cache
def _digest() -> str:
    root = Path(__file__).parent.parent.parent
    return sources_digest(file for name in _SOURCES for file in root.glob(name))


class McpFeature:
    """With the tools that make sense as things stand when it is made."""

    def __init__(self, servers: McpServers) -> None:
        self._tools = _tools(servers)

    def descriptor(self) -> FeatureDescriptor:
        return FeatureDescriptor(
            id=FeatureId.parse(MCP),
            display_name="MCP servers",
            version=VERSION,
            declared_tools=tuple(ToolDeclaration(tool.name) for tool in self._tools),
        )

    def install(self, ctx: FeatureInstallContext, /) -> None:
        for tool in self._tools:
            ctx.tools.register(ToolContribution(tool.name, tool))


def _tools(servers: McpServers) -> list[AgentTool]:
    """What a server that is gone had is not forgotten: the tools stay, and say that it is gone."""
    tools: list[AgentTool] = []
    if costly := servers.deferral.costly(servers.live()):
        tools.append(McpSearch(servers, costly))
    known = [each for name in servers.servers() if (each := servers.standing(name)) is not None]
    if readable := [each.server for each in known if each.has_resources]:
        tools += [McpResources(servers, readable), McpRead(servers)]
    if prompting := [each.server for each in known if each.prompts]:
        tools.append(McpPrompt(servers, prompting))
    return tools
