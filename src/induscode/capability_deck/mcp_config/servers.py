"""A server as it was configured: where that stands, how it is launched, what is taken of it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from induscode.capability_deck.bridge_ledger.canonical import approval_form
from induscode.kernel.jsontext import digest

__all__ = [
    "ConfigProblem",
    "Disabled",
    "OAuthClient",
    "Overridden",
    "RemoteServer",
    "ServerConfig",
    "Source",
    "StdioServer",
    "Transport",
    "launch_digest",
]


class Source(Struct, frozen=True):
    """A file, and the row of it: `mcpServers.git`, `servers[2]`."""

    file: str
    row: str

    def __str__(self) -> str:
        return f"{self.file}: {self.row}"


class ConfigProblem(Struct, frozen=True):
    """What is wrong with a file, or with a row or field of it, and what to do about it. `row` is
    empty when it is the file."""

    file: str
    row: str
    found: str
    hint: str = ""

    def __str__(self) -> str:
        where = f"{self.file}: {self.row}" if self.row else self.file
        return f"{where}: {self.found}; {self.hint}" if self.hint else f"{where}: {self.found}"


class Disabled(Struct, frozen=True):
    """A server that is configured to be left out. It has its name all the same: a file that comes
    later does not bring it back."""

    name: str
    source: Source


class Overridden(Struct, frozen=True):
    """A server that an earlier file says otherwise."""

    name: str
    source: Source
    by: Source


class Transport(StrEnum):
    """How a remote server is spoken to."""

    HTTP = "http"
    SSE = "sse"


class _Server(Struct, frozen=True, kw_only=True):
    """What all servers have.

    `launch` is the digest of how it is launched: trust and approvals are bound to it. `variables`
    were put in, with these values: whoever takes secrets out of texts knows which of them are. Of
    the tools that a server offers, `allow` names those that are taken (None for all) and `deny`
    those that never are. Deadlines are None where the host's count.
    """

    name: str
    source: Source
    launch: str
    variables: Mapping[str, str] = {}
    allow: frozenset[str] | None = None
    deny: frozenset[str] = frozenset()
    startup_seconds: float | None = None
    call_seconds: float | None = None

    def __repr__(self) -> str:
        """Without what it is launched with: that may be secret."""
        return f"{type(self).__name__}(name={self.name!r}, source={str(self.source)!r})"

    def admits(self, tool: str) -> bool:
        """Whether a tool of this name, as the server says it, is taken. Deny wins."""
        return tool not in self.deny and (self.allow is None or tool in self.allow)


class StdioServer(_Server, frozen=True, kw_only=True):
    """A program that speaks on its standard streams. `env` is added to what children get."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    cwd: str | None = None


class OAuthClient(Struct, frozen=True):
    """Who we are to a server's issuer, where a person registered us there; what we ask for, and the
    port that a browser comes back to. What is empty is found out, or chosen."""

    client_id: str = ""
    client_secret: str = ""
    scopes: str = ""
    callback_port: int = 0

    def __repr__(self) -> str:
        return f"OAuthClient(client_id={self.client_id!r})"


class RemoteServer(_Server, frozen=True, kw_only=True):
    """A server at an address."""

    url: str
    transport: Transport = Transport.HTTP
    headers: Mapping[str, str] = {}
    oauth: OAuthClient | None = None


ServerConfig: TypeAlias = StdioServer | RemoteServer


def launch_digest(**line: object) -> str:
    """sha256 over all that decides what is started or connected to, absent parts included. A
    variable in command, arguments or address counts with its value, which decides what runs; in
    the environment and the headers it counts by its name, so that a renewed token asks nobody."""
    return digest(approval_form(line))
