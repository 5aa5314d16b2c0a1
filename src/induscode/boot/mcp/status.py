"""How the MCP servers of a workspace stand, found out without a session.

Looking connects what a session would, records what servers list exactly as a session does, and
leaves nothing running. Offline, it is what the ledger knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from induscode.boot.hiding import forbid_inspection, hide_environment
from induscode.boot.mcp.deferral import Deferral, tokens_of
from induscode.boot.mcp.differing import differences
from induscode.boot.mcp.launch_line import launch_line, transport_of
from induscode.boot.mcp.listings import Listings
from induscode.boot.mcp.offering import live_tools
from induscode.boot.mcp.opening import defer_threshold, ground_of, open_listings
from induscode.boot.mcp.prompts import command_name
from induscode.boot.surroundings import Surroundings
from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.mcp_config.discovery import LoadedServers
from induscode.capability_deck.mcp_config.servers import ConfigProblem, ServerConfig, Source
from induscode.channels.terminal import exact
from induscode.interop.ground import Ground
from induscode.interop.mounting import mounting
from induscode.interop.standing import ServerState, Standing
from induscode.policy.belongings import Kind
from induscode.policy.trust import State
from induscode.tools.processes.line import Keeper

__all__ = [
    "HeldTool",
    "LiveTool",
    "RowState",
    "ServerRow",
    "Status",
    "Told",
    "Waiting",
    "look",
]

Told = Callable[[Standing], None]


class RowState(StrEnum):
    READY = "ready"
    FAILED = "failed"
    UNTRIED = "not connected"
    DISABLED = "disabled"
    OVERRIDDEN = "overridden"
    UNCONFIGURED = "not configured"


class LiveTool(Struct, frozen=True):
    """`tokens` is about what it costs in every request, unless it is deferred."""

    name: str
    description: str
    tokens: int


class HeldTool(Struct, frozen=True):
    name: str
    reason: str
    difference: tuple[str, ...]


class ServerRow(Struct, frozen=True, kw_only=True):
    """`file` and `row` are where it is configured, `by` the file that decides for one that is
    overridden. `fault` and `hint` say what went wrong, `said` is the end of what it complained of.
    `deferred`: a model is told of its tools when it looks for them. `unseen` counts tools that are
    known from when it was launched another way."""

    name: str
    state: RowState
    file: str = ""
    row: str = ""
    by: str = ""
    transport: str = ""
    launch: str = ""
    protocol: str = ""
    fault: str = ""
    hint: str = ""
    said: str = ""
    prompts: tuple[str, ...] = ()
    resources: bool = False
    tokens: int = 0
    deferred: bool = False
    tools: tuple[LiveTool, ...] = ()
    held: tuple[HeldTool, ...] = ()
    unseen: int = 0
    refused: tuple[str, ...] = ()


class Waiting(Struct, frozen=True):
    """A file of the workspace that may name servers, and is not read before it is trusted."""

    file: str
    state: State
    reason: str


class Status(Struct, frozen=True):
    """`ledger` are sentences about the ledger itself."""

    servers: tuple[ServerRow, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    problems: tuple[ConfigProblem, ...] = ()
    ledger: tuple[str, ...] = ()


class _Seen(Struct):
    """What looking gave: how each server stood at last, and what was refused of its listing."""

    standings: dict[str, Standing]
    refused: dict[str, tuple[str, ...]]


async def look(
    around: Surroundings,
    loaded: LoadedServers,
    *,
    only: Collection[str] = (),
    offline: bool = False,
    told: Told | None = None,
) -> Status:
    """`only` names the servers that are wanted, none of them for all. Raises `ConfigError` for
    settings that cannot be used; whatever servers do is part of the answer."""
    listings = open_listings(around)
    deferral = Deferral(defer_threshold(around))
    wanted = [each for each in loaded.servers if not only or each.name in only]
    seen = _Seen({}, {})
    ground = ground_of(around, Keeper(forbid_inspection))
    for each in loaded.servers:
        ground.learn_secrets(each)
    if wanted and not offline:
        hide_environment(around.secrets)
        await _connect(ground, wanted, listings, seen, told)
    rows = _Rows(listings, seen, deferral)
    known = {each.server for each in listings.ledger.snapshot.enrolled.values()}
    configured = {each.name for each in (*loaded.servers, *loaded.disabled)}
    found = (
        *map(rows.configured, wanted),
        *_left_out(loaded),
        *map(rows.unconfigured, sorted(known - configured)),
    )
    return Status(
        servers=tuple(row for row in found if not only or row.name in only),
        waiting=() if only else tuple(_waiting(around)),
        problems=() if only else loaded.problems,
        ledger=listings.report.sentences,
    )


async def _connect(
    ground: Ground,
    servers: Sequence[ServerConfig],
    listings: Listings,
    seen: _Seen,
    told: Told | None,
) -> None:
    """Connect each once, record what it lists, and close it again."""

    def hear(standing: Standing) -> None:
        if standing.state is ServerState.CLOSED:
            return
        seen.standings[standing.server] = standing
        if standing.state is ServerState.READY:  # what is recorded already costs no event
            seen.refused[standing.server] = listings.take(standing).refused
        if told is not None:
            told(standing)

    try:
        fleet = await mounting(ground, hear)(servers)
        await fleet.close()
    finally:
        await ground.keeper.close()


class _Rows:
    def __init__(self, listings: Listings, seen: _Seen, deferral: Deferral) -> None:
        self._listings = listings
        self._seen = seen
        self._deferral = deferral

    def configured(self, server: ServerConfig) -> ServerRow:
        standing = self._seen.standings.get(server.name)
        fault = None if standing is None else standing.fault
        line = launch_line(server)
        live = live_tools({server.name: server}, self._listings)
        return ServerRow(
            name=server.name,
            state=_state(standing),
            file=exact(server.source.file),
            row=server.source.row,
            transport=transport_of(server),
            launch=line,
            protocol="" if standing is None else standing.protocol,
            fault=_fault(standing),
            hint="" if fault is None else fault.hint or _hint(server),
            said="" if fault is None else fault.said,
            prompts=() if standing is None else tuple(_prompts(standing)),
            resources=standing is not None and standing.has_resources,
            tokens=sum(map(tokens_of, live)),
            deferred=bool(self._deferral.costly(live)),
            tools=tuple(map(_live, live)),
            held=tuple(self._held(server.name, line)),
            unseen=len(self._listings.live(server.name)) - len(live),
            refused=self._seen.refused.get(server.name, ()),
        )

    def unconfigured(self, server: str) -> ServerRow:
        return ServerRow(
            name=server,
            state=RowState.UNCONFIGURED,
            held=tuple(self._held(server, "")),
            unseen=len(self._listings.live(server)),
        )

    def _held(self, server: str, line: str) -> Iterator[HeldTool]:
        ledger = self._listings.ledger
        for key, reason in ledger.snapshot.held.items():
            tool = ledger.snapshot.enrolled[key]
            if tool.server == server:
                yield HeldTool(tool.name, reason, tuple(differences(ledger, tool, line)))


def _state(standing: Standing | None) -> RowState:
    if standing is None:
        return RowState.UNTRIED
    return RowState.READY if standing.state is ServerState.READY else RowState.FAILED


def _fault(standing: Standing | None) -> str:
    if standing is None:
        return ""
    if standing.fault is not None:
        return standing.fault.message
    return "" if standing.state is ServerState.READY else "it did not answer in time"


def _hint(server: ServerConfig) -> str:
    return f"see that it runs, and check {server.source.row} in {exact(server.source.file)}"


def _prompts(standing: Standing) -> Iterator[str]:
    """As a person types them."""
    for prompt in standing.prompts:
        if name := command_name(standing.server, prompt.name):
            yield f"/{name}"


def _live(tool: BridgeCapability) -> LiveTool:
    return LiveTool(tool.name, tool.description, tokens_of(tool))


def _left_out(loaded: LoadedServers) -> Iterator[ServerRow]:
    for each in loaded.disabled:
        yield _bare(each.name, RowState.DISABLED, each.source)
    for each in loaded.overridden:
        yield _bare(each.name, RowState.OVERRIDDEN, each.source, by=each.by.file)


def _bare(name: str, state: RowState, source: Source, by: str = "") -> ServerRow:
    return ServerRow(name=name, state=state, file=exact(source.file), row=source.row, by=exact(by))


def _waiting(around: Surroundings) -> Iterator[Waiting]:
    for each in around.trust.held_back(Kind.MCP):
        yield Waiting(exact(each.item.path), each.state, each.reason)
