"""The login of a server on everything that a session asks of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Coroutine
from http import HTTPStatus
from typing import Any

import anyio
import httpx2
import msgspec
from mcp.client.auth import OAuthFlowError
from mcp.client.auth.utils import extract_field_from_www_auth, extract_scope_from_www_auth
from mcp.shared.auth_utils import resource_url_from_server_url

from induscode.capability_deck.mcp_config.servers import RemoteServer, ServerConfig
from induscode.errors import ConfigError
from induscode.interop.faults import ServerFaultKind
from induscode.interop.oauth.credential import Credential, Refusal, Vault, has_own_key, login_hint
from induscode.interop.oauth.discovering import issuer_metadata, resource_metadata
from induscode.interop.oauth.limits import LOCK_SECONDS, RENEWAL_SECONDS, SETTLE_SECONDS
from induscode.interop.oauth.renewing import RenewalRefused, Renewer
from induscode.interop.oauth.wire import oauth_client, same_origin, secure
from induscode.interop.watch import Watch
from induscode.policy.redaction import Secrets

__all__ = ["Bearer", "bearer_of", "refusal_of"]


def bearer_of(
    server: ServerConfig, vault: Vault | None, secrets: Secrets, watch: Watch
) -> Bearer | None:
    """None for a local server, for one whose row says how to be let in, and where no logins are
    kept."""
    if vault is None or not isinstance(server, RemoteServer) or has_own_key(server):
        return None
    return Bearer(server, vault, secrets, watch)


def refusal_of(server: ServerConfig, bearer: Bearer | None) -> Refusal:
    """What to say of a server that does not let us in."""
    if bearer is not None:
        return bearer.refusal
    own = not isinstance(server, RemoteServer) or has_own_key(server)
    return Refusal("check the headers of its row" if own else login_hint(server.name))


class Bearer(httpx2.Auth):
    """Of one connection. A login that is missing, over or in doubt is not sent, and nobody is asked
    for one: the server refuses then, and `refusal` says what is known of why. One that was made
    or renewed elsewhere meanwhile is found when the server refuses."""

    def __init__(self, server: RemoteServer, vault: Vault, secrets: Secrets, watch: Watch) -> None:
        self.refusal = Refusal(login_hint(server.name))
        self._name = server.name
        self._url = server.url
        self._vault = vault
        self._secrets = secrets
        self._watch = watch
        self._login: Credential | None = None
        self._over = ""  # the token that is not renewed any more: it would come to the same
        self._sought = False
        self._turn = asyncio.Lock()
        self._work: asyncio.Task[Credential | None] | None = None

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        if not (same_origin(request.url, httpx2.URL(self._url)) and secure(request.url)):
            yield request
            return
        sent = await self._token()
        _put(request, sent)
        response = yield request
        token = ""
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            token = await self._other_than(sent)
        elif response.status_code == HTTPStatus.FORBIDDEN:
            token = await self._wider_than(sent, response)
        if token:
            self._watch.answered(0)
            _put(request, token)
            response = yield request
            if response.status_code == HTTPStatus.UNAUTHORIZED:
                self._over = token

    async def close(self) -> None:
        """Waits a moment for a renewal that is under way: what was spent must be kept."""
        if self._work is not None:
            with anyio.move_on_after(SETTLE_SECONDS, shield=True):
                await asyncio.wait((self._work,))

    async def _token(self) -> str:
        """Empty when there is none to send."""
        async with self._turn:
            if not self._sought:
                self._sought = True
                await self._settle(self._find(), None)
            await self._freshen()
            return self._access()

    async def _other_than(self, refused: str) -> str:
        """Another token than the one that the server refused, empty when there is none."""
        async with self._turn:
            if self._login is None:
                await self._settle(self._find(), None)
                await self._freshen()
            elif self._login.access == refused != self._over:
                await self._settle(self._renew(self._login), self._login)
            token = self._access()
            return "" if token == refused else token

    async def _wider_than(self, refused: str, response: httpx2.Response) -> str:
        """The token of a login made meanwhile. Without one, what the server misses is kept, so that
        the next login asks for it."""
        scope = extract_scope_from_www_auth(response)
        if extract_field_from_www_auth(response, "error") != "insufficient_scope" or not scope:
            self.refusal = Refusal(login_hint(self._name))
            return ""
        async with self._turn:
            if self._login is not None:
                await self._settle(self._missing(self._login, scope), self._login)
            if self._access() == refused:
                why = f"its login does not allow {scope!r}"
                self.refusal = Refusal(login_hint(self._name), why)
                return ""
            return self._access()

    async def _missing(self, old: Credential, scope: str) -> Credential | None:
        key = (old.issuer, old.resource)
        async with self._vault.alone(*key, LOCK_SECONDS):
            login = await asyncio.to_thread(self._vault.get, *key)
            if login is not None and login.access == old.access:
                login = msgspec.structs.replace(login, wanted=scope)
                await asyncio.to_thread(self._vault.put, login)
            if login is not None:
                self._learn(login)
            return login

    async def _freshen(self) -> None:
        if self._login is not None and self._login.stale(time.time()):
            await self._settle(self._renew(self._login), self._login)

    def _access(self) -> str:
        return "" if self._login is None else self._login.access

    async def _settle(
        self, work: Coroutine[Any, Any, Credential | None], old: Credential | None
    ) -> None:
        """What becomes of `old`. `work` goes on when whoever waits for it does not any more."""
        task = self._work = asyncio.ensure_future(work)
        task.add_done_callback(_seen)
        hint = login_hint(self._name)
        try:
            self._login = await asyncio.shield(task)
            if self._login is not None or not self._over:
                self.refusal = Refusal(hint)
        except (ConfigError, OAuthFlowError, ValueError) as error:
            self._login = None
            self._over = "" if old is None else old.access
            self.refusal = Refusal(hint, str(error))
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            why = f"its login cannot be used now: {str(error) or type(error).__name__}"
            self.refusal = Refusal("", why, ServerFaultKind.NOT_REACHED)

    async def _find(self) -> Credential | None:
        """The login that is kept, if the server still names its issuer."""
        resource = resource_url_from_server_url(self._url)
        for issuer in await asyncio.to_thread(self._vault.issuers, resource):
            login = await asyncio.to_thread(self._vault.get, issuer, resource)
            if login is not None and login.access != self._over:
                self._learn(login)
                async with asyncio.timeout(RENEWAL_SECONDS), oauth_client() as http:
                    await resource_metadata(http, login)
                return login
        return None

    async def _renew(self, old: Credential) -> Credential | None:
        """One that is not `old`. A token that renews is good for one time, so nobody else may be
        at it, and what somebody else made of it meanwhile is taken."""
        key = (old.issuer, old.resource)
        async with self._vault.alone(*key, LOCK_SECONDS):
            login = await asyncio.to_thread(self._vault.get, *key)
            if login is None:
                return None
            self._learn(login)
            if login.access != old.access and not login.stale(time.time()):
                return login
            if not login.refresh:
                raise OAuthFlowError("its login is over, and cannot be renewed")
            try:
                fresh = await _renewed(login)
            except RenewalRefused as refused:
                if refused.spent:
                    await asyncio.to_thread(self._vault.remove, *key)
                raise
            self._learn(fresh)
            await asyncio.to_thread(self._vault.put, fresh)
            return fresh

    def _learn(self, login: Credential) -> None:
        for each in login.secrets():
            self._secrets.add(f"login of {self._name}", each)


async def _renewed(login: Credential) -> Credential:
    async with asyncio.timeout(RENEWAL_SECONDS), oauth_client() as http:
        server = await resource_metadata(http, login)
        issuer = await issuer_metadata(http, login)
        return await Renewer(login, server, issuer).renewed(http)


def _put(request: httpx2.Request, token: str) -> None:
    if token:
        request.headers["authorization"] = f"Bearer {token}"


def _seen(task: asyncio.Task[Credential | None]) -> None:
    """Of one that nobody waits for, nobody wants to hear either."""
    if not task.cancelled():
        task.exception()
