"""Which tools a run has: the cards of its profile, then the allow-list; grafts within both."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from induscode.boot.invocation import Invocation
from induscode.boot.mcp.names import MCP_TOOLS
from induscode.capability_deck.catalog import capability_ids, has_capability
from induscode.capability_deck.contract import PLAIN_WORDS, DeckContext, Profile, ToolDeck
from induscode.capability_deck.provision import provision_deck
from induscode.conductor.ports import BoundTool
from induscode.errors import UsageError
from induscode.policy.aliases import means, tool_name

__all__ = ["admits_servers", "check_names", "deck_of", "within_bounds"]

_QUALIFIER = "__"
"""Parts a server from its tool."""


def deck_of(invocation: Invocation, ctx: DeckContext) -> ToolDeck:
    """The deck that the flags ask for."""
    deck = provision_deck(_profile(invocation), ctx)
    admitted = _admitted(invocation)
    return deck.retain(lambda tool: admitted(tool.name))


def admits_servers(invocation: Invocation) -> bool:
    """Whether a run could use any tool of an MCP server."""
    if invocation.no_tools or _profile(invocation) is not Profile.ALL:
        return False
    return invocation.tools is None or any(map(_of_servers, invocation.tools))


def _of_servers(name: str) -> bool:
    return _QUALIFIER in name or tool_name(name) in map(tool_name, MCP_TOOLS)


def check_names(invocation: Invocation, tools: Sequence[BoundTool], servers: Sequence[str]) -> None:
    """Raises `UsageError` for a name in `--tools` that no tool has. What a server will offer is not
    known yet: a name of one is taken as it is."""
    if not invocation.tools:
        return
    from induscode.capability_deck.bridge_ledger.names import escaped_server

    serving = MCP_TOOLS if servers else ()
    names = (*capability_ids(), *(bound.tool.name for bound in tools), *serving)
    known = {tool_name(name): name for name in names}
    later = tuple(tool_name(f"{escaped_server(server)}{_QUALIFIER}") for server in servers)
    for name in invocation.tools:
        if tool_name(name) not in known and not tool_name(name).startswith(later):
            raise UsageError(
                f"there is no tool {name!r}", hint=f"known tools: {', '.join(known.values())}"
            )


def within_bounds(invocation: Invocation, tools: Sequence[BoundTool]) -> tuple[BoundTool, ...]:
    """What is left of the tools of all features: the deck's own, and grafts where the profile has
    room for them."""
    admitted = _admitted(invocation)
    grafts = _profile(invocation) is Profile.ALL
    return tuple(
        bound
        for bound in tools
        if admitted(bound.tool.name) and (grafts or has_capability(bound.tool.name))
    )


def _profile(invocation: Invocation) -> Profile:
    named = invocation.profile or Profile.ALL
    return PLAIN_WORDS.get(named) or Profile(named)


def _admitted(invocation: Invocation) -> Callable[[str], bool]:
    if invocation.no_tools:
        return lambda _: False
    if invocation.tools is None:
        return lambda _: True
    wanted = [tool_name(name) for name in invocation.tools]
    return lambda name: any(means(each, tool_name(name)) for each in wanted)
