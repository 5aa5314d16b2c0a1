"""What every connection stands on: the session's processes, its place, its secrets, its person."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from induscode.capability_deck.mcp_config.servers import RemoteServer, ServerConfig, StdioServer
from induscode.interop.limits import FleetLimits
from induscode.interop.oauth.credential import Vault
from induscode.policy.environment import child_environment, looks_secret
from induscode.policy.redaction import Secrets
from induscode.tools.processes.line import Keeper

__all__ = ["Ask", "Asked", "Ground", "Reply"]


class Asked(Struct, frozen=True):
    """What a server wants to know of the person. With a `url` they are to visit it; otherwise
    `schema` says which fields are wanted."""

    server: str
    message: str
    schema: Mapping[str, Any] | None = None
    url: str = ""


class Reply(Struct, frozen=True):
    """What the person said; without `accepted` nothing is told but that they declined, or, with
    `dismissed`, that they decided nothing."""

    accepted: bool = False
    content: Mapping[str, Any] | None = None
    dismissed: bool = False


Ask: TypeAlias = Callable[[Asked], Awaitable[Reply]]


class Ground(Struct, frozen=True):
    """`environ` is our own environment, of which a server gets what children get, and never a
    secret. `secrets` learns those of the servers. Without `ask` there is nobody to be asked, and
    every question is declined. Without a `vault` no server is logged in to."""

    keeper: Keeper
    workspace: Path
    environ: Mapping[str, str]
    secrets: Secrets
    limits: FleetLimits = FleetLimits()
    ask: Ask | None = None
    vault: Vault | None = None

    def environment(self, server: StdioServer) -> dict[str, str]:
        return {**child_environment(self.environ, secrets=self.secrets), **server.env}

    def folder(self, server: StdioServer) -> Path:
        return self.workspace / (server.cwd or "")

    def learn_secrets(self, server: ServerConfig) -> None:
        """What was put into a server's row, and must be seen nowhere else."""
        match server:
            case StdioServer():
                named = {**server.variables, **server.env}
            case RemoteServer():
                named = dict(server.variables)
                for name, value in server.headers.items():
                    self.secrets.add(name, value)
                    self.secrets.add(name, value.rpartition(" ")[2])
                if server.oauth is not None:
                    self.secrets.add("clientSecret", server.oauth.client_secret)
        for name, value in named.items():
            if looks_secret(name, value):
                self.secrets.add(name, value)
