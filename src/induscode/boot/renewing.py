"""What changes of a session's setup at an epoch: the tools of MCP servers, and who brings them."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from induscode.boot.features import Features
from induscode.conductor.ports import BoundTool, NoRenewal, Renewal, Setup
from induscode.session.state import SessionState

__all__ = ["renewal_of"]


def renewal_of(features: Features, tools: Callable[[], tuple[BoundTool, ...]]) -> Renewal:
    """`tools` are all that the session has now, within its bounds."""
    if not features.servers.servers():
        return NoRenewal()
    return _ServerRenewal(features, tools)


class _ServerRenewal:
    def __init__(self, features: Features, tools: Callable[[], tuple[BoundTool, ...]]) -> None:
        self._features = features
        self._tools = tools

    @property
    def due(self) -> bool:
        return self._features.servers.due

    def renewed(self, setup: Setup, state: SessionState) -> Setup:
        self._features.renew()
        bridged = self._features.servers.bridged(state.bridged)
        unseen = {tool.name for tool in bridged.live if tool.deferred}
        return replace(
            setup,
            tools=tuple(bound for bound in self._tools() if bound.tool.name not in unseen),
            features=self._features.entries(),
            bridged=bridged,
        )
