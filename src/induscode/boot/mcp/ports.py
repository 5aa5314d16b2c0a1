"""What a session knows of its MCP servers, also where there are none and nothing was imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from induscode.conductor.ports import Bridged
from induscode.feature.registry import Package
from induscode.kernel.cancel import CancelToken
from induscode.session.bridged import BridgedTool

__all__ = ["NO_SERVERS", "NoServers", "Servers"]


class Servers(Protocol):
    @property
    def version(self) -> int:
        """Another one whenever `packages` would be others."""
        ...

    @property
    def due(self) -> bool:
        """Whether the model waits for tools that it asked for."""
        ...

    def start(self) -> None:
        """Begin to connect; returns at once."""
        ...

    async def gathered(self, cancel: CancelToken) -> None:
        """To be waited for before each turn: returns at once unless this run waits for its servers.
        Raises `Cancelled`."""
        ...

    def servers(self) -> Sequence[str]: ...

    def refresh(self) -> None:
        """Take in what other processes decided about tools."""
        ...

    def packages(self) -> Sequence[Package]: ...

    def bridged(self, before: Mapping[str, BridgedTool]) -> Bridged: ...

    async def close(self) -> None: ...


class NoServers:
    version = 0
    due = False

    def start(self) -> None:
        """There is nothing to start."""

    async def gathered(self, cancel: CancelToken) -> None:
        """There is nothing to wait for."""

    def servers(self) -> Sequence[str]:
        return ()

    def refresh(self) -> None:
        """Nobody decides about nothing."""

    def packages(self) -> Sequence[Package]:
        return ()

    def bridged(self, before: Mapping[str, BridgedTool]) -> Bridged:
        del before
        return Bridged()

    async def close(self) -> None:
        """Nothing was started."""


NO_SERVERS = NoServers()
