"""What the tools of servers cost in every request, and which of them are told only when wanted.

A server whose tools cost more than the threshold has them deferred: the model is told of a search,
and of the tools that it found. What was told once stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.policy.aliases import tool_name
from induscode.session.bridged import BridgedTool

__all__ = ["DEFER_TOKENS", "Deferral", "tokens_of"]

DEFER_TOKENS = 8_000
"""What one server's tools may cost in every request, unless `mcp.defer_tokens` says otherwise."""

_CHARACTERS_PER_TOKEN = 4


def tokens_of(tool: BridgeCapability) -> int:
    """About how many tokens its definition costs in every request."""
    said = (tool.name, tool.description, tool.parameters)
    return -(-len(msgspec.json.encode(said)) // _CHARACTERS_PER_TOKEN)


class Deferral:
    """Of one session. `due` while something was wanted that the model was not told of yet. Tools
    that the person `named` for the run are not deferred."""

    def __init__(self, threshold: int = DEFER_TOKENS, named: Iterable[str] = ()) -> None:
        self.threshold = threshold
        self._named = frozenset(map(tool_name, named))
        self._wanted: set[str] = set()
        self._shown: frozenset[str] = frozenset()

    @property
    def due(self) -> bool:
        return not self._wanted <= self._shown

    def want(self, names: Iterable[str]) -> None:
        """Let the model be told of these before it goes on."""
        self._wanted.update(names)

    def shown(
        self, live: Sequence[BridgeCapability], before: Mapping[str, BridgedTool]
    ) -> frozenset[str]:
        """The names of those that the model is told of, from now on."""
        costly = {tool.name for tool in self.costly(live)}
        self._wanted.intersection_update(tool.name for tool in live)
        self._shown = frozenset(
            tool.name
            for tool in live
            if tool.name not in costly or tool.name in self._wanted or _told(before.get(tool.name))
        )
        return self._shown

    def costly(self, live: Sequence[BridgeCapability]) -> list[BridgeCapability]:
        """All tools of the servers whose tools are deferred, also those that were told, without
        what the person named."""
        costs: dict[str, int] = {}
        for tool in live:
            costs[tool.server] = costs.get(tool.server, 0) + tokens_of(tool)
        return [
            tool
            for tool in live
            if costs[tool.server] > self.threshold and tool_name(tool.name) not in self._named
        ]

    def deferred(self, live: Sequence[BridgeCapability]) -> list[BridgeCapability]:
        """Those that the model was not told of when the epoch began."""
        return [tool for tool in live if tool.name not in self._shown]


def _told(before: BridgedTool | None) -> bool:
    return before is not None and not before.deferred
