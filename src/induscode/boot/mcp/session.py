"""The MCP servers of one session, and their tools: what the ledger of the workspace folds to.

A server that is met is recorded; what it changes afterwards is held until a person approves it. The
tools of a server that is gone stay, and answer honestly. Nothing that the model sees changes before
an epoch; nothing that was held runs, whenever it was held.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from induscode.boot.mcp.deferral import Deferral
from induscode.boot.mcp.listings import NOT_OFFERED, Listings
from induscode.boot.mcp.news import News
from induscode.boot.mcp.offering import live_tools, server_packages
from induscode.boot.mcp.waiting import gathered
from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.bridge_ledger.ledger import capability_key
from induscode.capability_deck.bridge_ledger.names import split_qualified
from induscode.capability_deck.contract import ToolOutcome
from induscode.capability_deck.mcp_config.discovery import LoadedServers
from induscode.conductor.ports import Bridged
from induscode.feature.registry import Package
from induscode.interop.fleet import Fleet
from induscode.interop.standing import ServerState, Standing
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import Progress
from induscode.session.bridged import BridgedTool

__all__ = ["McpServers"]

_NOT_ADMITTED = "the configuration of its server does not admit it"
MakeFleet = Callable[[Callable[[Standing], None]], Fleet]


class McpServers:
    """`make_fleet` is called when the session opens, with what is to be told of each server.
    `version` changes whenever other packages would come of it."""

    def __init__(
        self,
        loaded: LoadedServers,
        listings: Listings,
        deferral: Deferral,
        news: News,
        make_fleet: MakeFleet,
        *,
        patient: bool,
    ) -> None:
        self.loaded = loaded
        self.listings = listings
        self.deferral = deferral
        self.fleet: Fleet | None = None
        self.version = 0
        self._configs = {server.name: server for server in loaded.servers}
        self._standings: dict[str, Standing] = {}
        self._news = news
        self._make_fleet = make_fleet
        self._patient = patient

    # The life of it

    def start(self) -> None:
        """Begin to connect; returns at once. Must be called in the loop of the session."""
        self._news.problems(self.loaded.problems)
        self._news.sentences(self.listings.report.sentences)
        if not self._configs:
            return
        self.fleet = self._make_fleet(self._told)
        self.fleet.start()

    async def gathered(self, cancel: CancelToken) -> None:
        """Where nobody would submit a second input, the first one waits for all servers, up to
        their deadlines. With each input, what was given up is tried again: somebody may have
        logged in, or started it. Raises `Cancelled`."""
        if self.fleet is None:
            return
        for standing in self._standings.values():
            if standing.state is ServerState.FAILED:
                self.fleet.reconnect(standing.server)
        if self._patient:
            self._patient = False
            await gathered(self.fleet, self._configs.values(), self._news, cancel)

    async def close(self) -> None:
        if self.fleet is not None:
            self._news.end()
            await self.fleet.close()

    # What it comes to

    def servers(self) -> tuple[str, ...]:
        return tuple(self._configs)

    def standing(self, server: str) -> Standing | None:
        """None before it was ever tried."""
        return self._standings.get(server)

    def live(self) -> list[BridgeCapability]:
        """In the order of the configuration, those of a server by name."""
        return live_tools(self._configs, self.listings)

    def refresh(self) -> None:
        """What other processes decided meanwhile counts from here on."""
        before = self.listings.ledger
        self._news.sentences(self.listings.refresh())
        if self.listings.ledger.next_seq != before.next_seq:
            self.version += 1
            for listed in self.listings.held_since(before.snapshot):
                self._news.listed(listed)

    def packages(self) -> Sequence[Package]:
        return server_packages(self)

    @property
    def due(self) -> bool:
        return self.deferral.due

    def bridged(self, before: Mapping[str, BridgedTool]) -> Bridged:
        """What the log says of it, after what it said `before`."""
        live = self.live()
        shown = self.deferral.shown(live, before)
        snapshot = self.listings.ledger.snapshot
        held = {name: why for name, tool in before.items() if (why := self._absence(tool))}
        held |= {tool.name: snapshot.held[key] for key, tool in snapshot.enrolled.items()
                 if key in snapshot.held}  # fmt: skip
        return Bridged(
            live=tuple(
                BridgedTool(
                    name=tool.name,
                    server=tool.server,
                    key=capability_key(tool),
                    definition=tool.definition.digest,
                    launch=tool.launch,
                    deferred=tool.name not in shown,
                )
                for tool in live
            ),
            held=held,
            ledger=snapshot.high_water,
        )

    def _absence(self, tool: BridgedTool) -> str:
        """Why a tool of a server that is here may be missing, when it is not held."""
        config = self._configs.get(tool.server)
        if config is None:
            return ""
        _, plain = split_qualified(tool.name)
        return NOT_OFFERED if config.admits(plain) else _NOT_ADMITTED

    # Calls

    def denial(self, tool: BridgeCapability) -> str | None:
        """Why exactly this tool may not be offered or called now; None when it may."""
        config = self._configs.get(tool.server)
        if config is None or config.launch != tool.launch:
            return f"the server {tool.server!r} is not part of this session as it was approved"
        return self.listings.denial(tool)

    async def run(
        self,
        tool: BridgeCapability,
        arguments: Mapping[str, object],
        cancel: CancelToken | None,
        progress: Progress | None,
    ) -> ToolOutcome:
        """Once the server was tried, and as long as it offers what was approved."""
        if self.fleet is None:
            return _refused(tool, "its server was not started in this session")
        await self.fleet.tried(tool.server)
        if why := self.denial(tool):
            return _refused(tool, why)
        return await self.fleet.run(tool.name, arguments, cancel, progress)

    # What servers do

    def _told(self, standing: Standing) -> None:
        before = self._standings.get(standing.server)
        self._standings[standing.server] = standing
        if standing.state is ServerState.READY:
            known = None if before is None else (before.tools, before.prompts, before.has_resources)
            if known != (standing.tools, standing.prompts, standing.has_resources):
                self._list(standing)
        self._news.standing(before, standing)

    def _list(self, standing: Standing) -> None:
        self._news.listed(self.listings.take(standing))
        self.version += 1


def _refused(tool: BridgeCapability, why: str) -> ToolOutcome:
    return ToolOutcome(f"{tool.name} did not run: {why}.", is_error=True)
