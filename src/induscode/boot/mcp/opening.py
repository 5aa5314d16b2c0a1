"""The MCP servers of a session, opened: the ledger read, nothing started or connected yet."""

from __future__ import annotations

from functools import partial

from msgspec import Struct

from induscode.boot.machine import Machine
from induscode.boot.mcp.asking import Telling, asks
from induscode.boot.mcp.configured import ledger_file
from induscode.boot.mcp.credentials import McpCredentials
from induscode.boot.mcp.deferral import DEFER_TOKENS, Deferral
from induscode.boot.mcp.listings import Listings
from induscode.boot.mcp.news import News
from induscode.boot.mcp.session import McpServers
from induscode.boot.surroundings import Surroundings
from induscode.capability_deck.bridge_ledger.store import LedgerStore
from induscode.capability_deck.mcp_config.discovery import LoadedServers
from induscode.errors import ConfigError
from induscode.interop.fleet import Fleet
from induscode.interop.ground import Ask, Ground
from induscode.kernel.clock import iso
from induscode.kernel.person import Person
from induscode.tools.processes.line import Keeper

__all__ = ["Use", "defer_threshold", "ground_of", "open_listings", "open_servers"]

_THRESHOLD = "mcp.defer_tokens"


class Use(Struct, frozen=True):
    """How a run uses its servers: tools that are `named` are never deferred, and one that is
    `patient` waits for all servers before its first turn."""

    named: tuple[str, ...] = ()
    patient: bool = False


def open_servers(
    loaded: LoadedServers,
    around: Surroundings,
    machine: Machine,
    news: News,
    telling: Telling,
    *,
    person: Person | None = None,
    use: Use | None = None,
) -> McpServers:
    """`telling` hears of questions of servers. Raises `ConfigError`."""
    use = use or Use()
    deferral = Deferral(defer_threshold(around), use.named)
    asking = asks(person, telling, around.clock, around.secrets)
    ground = ground_of(around, machine.keeper, asking)
    fleet = partial(Fleet, loaded.servers, ground)
    listings = open_listings(around)
    return McpServers(loaded, listings, deferral, news, fleet, patient=use.patient)


def open_listings(around: Surroundings) -> Listings:
    """The ledger of this workspace. Never raises."""
    store, report = LedgerStore.open(ledger_file(around))
    return Listings(store, report, lambda: iso(around.clock.now_ms()))


def ground_of(around: Surroundings, keeper: Keeper, ask: Ask | None = None) -> Ground:
    """What servers of this workspace stand on."""
    return Ground(
        keeper=keeper,
        workspace=around.workspace,
        environ=around.environ,
        secrets=around.secrets,
        ask=ask,
        vault=McpCredentials(around.places.config),
    )


def defer_threshold(around: Surroundings) -> int:
    """What one server's tools may cost before they are deferred. Raises `ConfigError`."""
    given = around.config.get(_THRESHOLD)
    if given is None:
        return DEFER_TOKENS
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise ConfigError(
            str(around.places.config_file),
            field=_THRESHOLD,
            found=f"{given!r} is no number of tokens",
            hint=f"write a whole number, such as {DEFER_TOKENS}; 0 defers all tools of servers",
        )
    return given
