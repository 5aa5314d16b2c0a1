"""Every server as a feature, `mcp:<server>`: its live tools, its prompts, and what grants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from induscode.boot.kept_commands import declarations
from induscode.boot.mcp.listings import Listings
from induscode.boot.mcp.prompts import PromptCommand, command_name
from induscode.boot.mcp.tools import mcp_package
from induscode.boot.mcp.wording import one_line
from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.contract import ToolOutcome
from induscode.capability_deck.mcp_config.servers import ServerConfig
from induscode.feature.capability import AnyCapability, ContributeCommand, ContributeTool
from induscode.feature.command import CommandContribution
from induscode.feature.descriptor import FeatureDescriptor, FeatureId, FeatureRuntimeKind
from induscode.feature.registry import FeatureInstallContext, Package
from induscode.feature.tool import ToolContribution, ToolDeclaration
from induscode.interop.offers import OfferedPrompt
from induscode.kernel.cancel import CancelToken
from induscode.kernel.jsontext import digest
from induscode.kernel.tool import Progress

if TYPE_CHECKING:
    from induscode.boot.mcp.session import McpServers

__all__ = ["live_tools", "server_packages"]

_COMMANDS_MOST = 200


def live_tools(configs: Mapping[str, ServerConfig], listings: Listings) -> list[BridgeCapability]:
    """Those of the ledger whose servers are part of the session, launched as they were when that
    was approved, and admitted by their configuration. Those of a server stand by name: in whatever
    order they came, or came back, the prompt's prefix is the same."""
    return [
        tool
        for name, config in configs.items()
        for tool in sorted(listings.live(name), key=lambda tool: tool.name)
        if tool.launch == config.launch and config.admits(tool.definition.tool)
    ]


def server_packages(servers: McpServers) -> Sequence[Package]:
    """What serves all servers of a session, then each of them: so what a search adds to the tools
    comes late in the prompt."""
    live = servers.live()
    packages = [_package(servers, config, live) for config in servers.loaded.servers]
    return (mcp_package(servers), *packages)


def _package(
    servers: McpServers, config: ServerConfig, live: Sequence[BridgeCapability]
) -> Package:
    """Its digest covers how it is launched and what is approved of it."""
    name = config.name
    tools = [tool for tool in live if tool.server == name]
    content = "\n".join((config.launch, *(tool.definition.digest for tool in tools)))
    grants = _Grants(servers, {tool.name: tool for tool in tools})
    module = ServerFeature(servers, config, tools)
    return Package(module, digest(content.encode()), "mcp", f"mcp:{name}", ours=True, grants=grants)


class ServerFeature:
    """One server. What it offers is data by now; only calls reach it."""

    def __init__(
        self, servers: McpServers, config: ServerConfig, tools: Sequence[BridgeCapability]
    ) -> None:
        self._servers = servers
        self._config = config
        self._tools = tools
        standing = servers.standing(config.name)
        self._prompts = _commands(config.name, () if standing is None else standing.prompts)

    def descriptor(self) -> FeatureDescriptor:
        return FeatureDescriptor(
            id=FeatureId.mcp(self._config.name),
            display_name=f"MCP server {self._config.name}",
            runtime=FeatureRuntimeKind.MCP_BRIDGE,
            declared_tools=tuple(ToolDeclaration(tool.name) for tool in self._tools),
            declared_commands=declarations(
                {name: one_line(prompt.description) for name, prompt in self._prompts.items()}
            ),
        )

    def install(self, ctx: FeatureInstallContext, /) -> None:
        for tool in self._tools:
            bound = replace(tool, runner=_Runner(self._servers, tool))
            ctx.tools.register(ToolContribution(tool.name, bound))
        for name, prompt in self._prompts.items():
            command = PromptCommand(self._servers, self._config.name, prompt)
            ctx.commands.register(CommandContribution(name, command))


def _commands(server: str, prompts: Sequence[OfferedPrompt]) -> dict[str, OfferedPrompt]:
    """By what is typed; of two prompts that would be typed alike, the first. The model's own tool
    reaches those that are too many to be commands."""
    found: dict[str, OfferedPrompt] = {}
    for prompt in prompts[:_COMMANDS_MOST]:
        if name := command_name(server, prompt.name):
            found.setdefault(name, prompt)
    return found


class _Runner(Struct, frozen=True):
    """Runs one tool as long as it is what was approved."""

    servers: McpServers
    tool: BridgeCapability

    async def run(
        self,
        name: str,
        arguments: Mapping[str, object],
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> ToolOutcome:
        del name
        return await self.servers.run(self.tool, arguments, cancel, progress)


class _Grants(Struct, frozen=True):
    """What the ledger says, whenever it is asked: a tool that is held is not granted any more."""

    servers: McpServers
    tools: Mapping[str, BridgeCapability]

    def denial(self, capability: AnyCapability) -> str | None:
        match capability:
            case ContributeTool(name=name) if (tool := self.tools.get(name)) is not None:
                return self.servers.denial(tool)
            case ContributeCommand():
                return None
            case _:
                return "the ledger of MCP tools does not grant it"
