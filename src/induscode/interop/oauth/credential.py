"""What a login gives, and who keeps it."""

from __future__ import annotations

import re
from contextlib import AbstractAsyncContextManager
from shlex import quote
from typing import Protocol

from msgspec import Struct

from induscode.capability_deck.mcp_config.servers import RemoteServer
from induscode.interop.faults import ServerFaultKind

__all__ = ["Credential", "Refusal", "Vault", "has_own_key", "login_hint"]


_USER_INFO = re.compile(r"[a-z]+://[^/?#]*@", re.IGNORECASE)


class Credential(Struct, frozen=True, omit_defaults=True):
    """A login at an issuer for one server. Shows no secret when printed.

    `resource` is the server's address. `announced` is where the server named its issuer; empty for
    one that is its own. After `expires`, in seconds of Unix time, `access` is not worth sending.
    The client is who we are to the issuer, and `method` how we prove it. `wanted` is what the
    server asked for beyond `scope`, for the next login.
    """

    issuer: str
    resource: str
    client_id: str
    access: str
    refresh: str = ""
    expires: float | None = None
    scope: str = ""
    announced: str = ""
    client_secret: str = ""
    method: str = ""
    wanted: str = ""

    def __repr__(self) -> str:
        return f"Credential(issuer={self.issuer!r}, resource={self.resource!r})"

    def secrets(self) -> tuple[str, ...]:
        return tuple(each for each in (self.access, self.refresh, self.client_secret) if each)

    def stale(self, now: float) -> bool:
        return self.expires is not None and now >= self.expires


class Refusal(Struct, frozen=True):
    """Why a server is spoken to without a login. Without a `reason`, it is the server's own."""

    hint: str
    reason: str = ""
    kind: ServerFaultKind = ServerFaultKind.NOT_AUTHORIZED


class Vault(Protocol):
    """Keeps logins, by issuer and resource, over processes. Everything raises `ConfigError` when
    what is kept cannot be used or reached, and may block for a moment."""

    def issuers(self, resource: str) -> tuple[str, ...]: ...

    def get(self, issuer: str, resource: str) -> Credential | None: ...

    def put(self, credential: Credential) -> str:
        """Keep it, on disk when this returns; the answer says where."""
        ...

    def remove(self, issuer: str, resource: str) -> None: ...

    def alone(
        self, issuer: str, resource: str, seconds: float
    ) -> AbstractAsyncContextManager[None]:
        """Nobody else is inside, in any process. Raises TimeoutError after `seconds`."""
        ...


def login_hint(server: str) -> str:
    return f"run: indus mcp login {quote(server)}"


def has_own_key(server: RemoteServer) -> bool:
    """Whether its row says how to be let in, so that no login is used."""
    named = any(name.lower() == "authorization" for name in server.headers)
    return named or _USER_INFO.match(server.url) is not None
