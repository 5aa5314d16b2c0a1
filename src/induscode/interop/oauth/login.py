"""A person's way through a browser to a login at a server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from secrets import compare_digest
from typing import TypeAlias
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import (
    AuthorizationCodeResult,
    OAuthClientProvider,
    OAuthFlowError,
    OAuthRegistrationError,
)
from mcp.client.auth.utils import (
    union_scopes,
    validate_authorization_response_iss,
)
from mcp.shared.auth import OAuthClientMetadata
from mcp.shared.auth_utils import resource_url_from_server_url
from mcp.types import LATEST_PROTOCOL_VERSION
from msgspec import Struct
from pydantic import AnyUrl

from induscode.capability_deck.mcp_config.servers import RemoteServer
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.limits import MESSAGE_CHARACTERS
from induscode.interop.oauth.credential import Credential, Vault
from induscode.interop.oauth.flowing import Flow, choose_method, document, known_client
from induscode.interop.oauth.landing import Landing
from induscode.interop.oauth.limits import LOCK_SECONDS, LOGIN_SECONDS
from induscode.interop.oauth.renewing import Kept, expiry
from induscode.interop.oauth.wire import oauth_client, secure
from induscode.policy.redaction import Secrets

__all__ = ["LoggedIn", "Pasted", "Show", "Visit", "login"]

_ASKED = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
_HEADERS = {
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": LATEST_PROTOCOL_VERSION,
}
_REFUSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})

# What the SDK has to say comes back as faults; without this, Python prints it on stderr.
logging.getLogger("mcp").addHandler(logging.NullHandler())


class Visit(Struct, frozen=True):
    """Where a person is to go. `before` is the issuer of the login that is kept now, if there is
    one: another than `issuer` is worth a second look."""

    address: str
    issuer: str
    before: str = ""


class LoggedIn(Struct, frozen=True):
    """What came of it; `place` says where it is kept."""

    issuer: str
    place: str


Show: TypeAlias = Callable[[Visit], Awaitable[None]]
Pasted: TypeAlias = Callable[[str], Awaitable[str]]
"""A line from the person, who is told what was wrong with the one before; empty when no more will
come."""


async def login(
    server: RemoteServer,
    vault: Vault,
    secrets: Secrets,
    show: Show,
    *,
    pasted: Pasted | None = None,
    seconds: float = LOGIN_SECONDS,
) -> LoggedIn:
    """Send a person to the server's issuer, wait for the answer, and keep what it is good for. The
    answer comes by the browser, or as an address that is `pasted`. What was kept before stays when
    this fails. Raises `ServerFault`, and `ConfigError` when it cannot be kept."""
    way = _Way(server, vault, secrets, show, pasted)
    try:
        async with asyncio.timeout(seconds):
            made = await way.gone()
    except TimeoutError:
        raise way.fault(f"nobody logged in within {seconds:g} s", hint="try again") from None
    except OAuthRegistrationError as error:
        raise way.unregistered(error) from error
    except OAuthFlowError as error:
        raise way.fault(str(error)) from error
    except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError) as error:
        told = f"it cannot be logged in to: {str(error) or type(error).__name__}"
        raise way.fault(told, ServerFaultKind.NOT_REACHED) from error
    except (ValueError, OverflowError) as error:
        raise way.fault("its issuer's answer is none", ServerFaultKind.BAD_ANSWER) from error
    async with vault.alone(made.issuer, made.resource, LOCK_SECONDS):
        place = await asyncio.to_thread(vault.put, made)
    for issuer in await asyncio.to_thread(vault.issuers, made.resource):
        if issuer != made.issuer:
            await asyncio.to_thread(vault.remove, issuer, made.resource)
    return LoggedIn(made.issuer, place)


class _Way:
    """One attempt."""

    def __init__(
        self,
        server: RemoteServer,
        vault: Vault,
        secrets: Secrets,
        show: Show,
        pasted: Pasted | None,
    ) -> None:
        self._server = server
        self._vault = vault
        self._secrets = secrets
        self._show = show
        self._pasted = pasted
        self._landing = Landing(server.oauth.callback_port if server.oauth else 0)
        self._kept = Kept(known_client(server.oauth))
        self._resource = ""
        self._state = ""
        self._provider: OAuthClientProvider | None = None

    def fault(
        self,
        message: str,
        kind: ServerFaultKind = ServerFaultKind.NOT_AUTHORIZED,
        *,
        hint: str = "",
    ) -> ServerFault:
        told = self._secrets.text(message)[:MESSAGE_CHARACTERS]
        return ServerFault(kind, self._server.name, told, hint=hint)

    def unregistered(self, error: OAuthRegistrationError) -> ServerFault:
        """Nobody who would register us, or somebody who would not."""
        metadata = self._of().context.oauth_metadata
        if metadata is None:
            hint = "give its row a header that lets you in"
            return self.fault("it says nothing of a login", hint=hint)
        hint = "register a client there, and put its id into `oauth.clientId` of the row"
        return self.fault(f"its issuer {metadata.issuer} registers nobody: {error}", hint=hint)

    async def gone(self) -> Credential:
        """To the end of it. Raises what the SDK does."""
        self._resource = resource_url_from_server_url(self._server.url)
        async with self._landing, oauth_client(self._server.headers) as http:
            provider = self._provider = OAuthClientProvider(
                self._server.url,
                OAuthClientMetadata(
                    client_name="induscode", redirect_uris=[AnyUrl(self._landing.address)]
                ),
                self._kept,
                self._send,
                self._back,
                client_metadata_url=document(self._server.oauth),
            )
            flow = Flow(provider, await self._scopes())
            asked = http.build_request("POST", self._server.url, json=_ASKED, headers=_HEADERS)
            response = await http.send(asked, auth=flow, stream=True)
            await response.aclose()
            if response.status_code in _REFUSED:
                raise OAuthFlowError(
                    f"it answers {response.status_code} to the login that its issuer just gave"
                )
            return self._credential(provider, flow.announced)

    async def _scopes(self) -> str:
        """Those of the row, and those that the server missed in the login before this one, with
        what that one had."""
        scopes = self._server.oauth.scopes if self._server.oauth else ""
        for issuer in await asyncio.to_thread(self._vault.issuers, self._resource):
            before = await asyncio.to_thread(self._vault.get, issuer, self._resource)
            if before is not None and before.wanted:
                had = union_scopes(scopes, before.scope)
                scopes = union_scopes(had, before.wanted) or ""
        return scopes

    async def _send(self, address: str) -> None:
        """The person to the issuer, if it is one that may be asked."""
        context = self._of().context
        metadata = context.oauth_metadata
        issuer = context.auth_server_url or _origin(self._server.url)
        if metadata is None and context.auth_server_url is not None:
            raise OAuthFlowError(f"its issuer {issuer} says nothing of itself")
        if metadata is not None:
            issuer = str(metadata.issuer)
            if "S256" not in (metadata.code_challenge_methods_supported or ()):
                raise OAuthFlowError(f"its issuer {issuer} does not promise PKCE with S256")
            if self._server.oauth is not None and self._server.oauth.client_secret:
                choose_method(context.client_info, metadata.token_endpoint_auth_methods_supported)
        if not secure(httpx2.URL(address)):
            raise OAuthFlowError(f"its issuer {issuer} wants a login in the clear: it is not https")
        self._state = parse_qs(urlsplit(address).query)["state"][0]
        before = await asyncio.to_thread(self._vault.issuers, self._resource)
        await self._show(Visit(address, issuer, before[0] if before else ""))

    async def _back(self) -> AuthorizationCodeResult:
        said = await self._answered()
        if not compare_digest(said.get("state", "").encode(), self._state.encode()):
            raise OAuthFlowError("the answer belongs to another login: its state is not ours")
        if "error" in said:
            metadata = self._of().context.oauth_metadata
            validate_authorization_response_iss(said.get("iss"), metadata)
            more = f": {said['error_description']}" if "error_description" in said else ""
            raise OAuthFlowError(f"its issuer refused: {said['error']}{more}")
        self._secrets.add(f"login of {self._server.name}", said["code"])
        return AuthorizationCodeResult(code=said["code"], state=said["state"], iss=said.get("iss"))

    async def _answered(self) -> Mapping[str, str]:
        """By the browser or by hand, whichever is first."""
        ways = [asyncio.ensure_future(self._landing.answer())]
        if self._pasted is not None:
            ways.append(asyncio.ensure_future(self._by_hand(self._pasted)))
        try:
            done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            return done.pop().result()
        finally:
            for each in ways:
                each.cancel()
            await asyncio.wait(ways)

    async def _by_hand(self, pasted: Pasted) -> Mapping[str, str]:
        """The first line that is an answer; without one, for ever."""
        wrong = ""
        while line := await pasted(wrong):
            said = self._landing.read(line)
            if said is not None:
                return said
            wrong = f"that is no address that begins with {self._landing.address}?"
        return await self._landing.answer()

    def _credential(self, provider: OAuthClientProvider, announced: str) -> Credential:
        tokens, client = self._kept.tokens, provider.context.client_info
        if tokens is None or client is None:
            raise OAuthFlowError("its issuer gave nothing")
        metadata = provider.context.oauth_metadata
        made = Credential(
            issuer=str(metadata.issuer) if metadata else _origin(self._server.url),
            resource=self._resource,
            client_id=client.client_id,
            access=tokens.access_token,
            refresh=tokens.refresh_token or "",
            expires=expiry(tokens),
            scope=tokens.scope or "",
            announced=announced,
            client_secret=client.client_secret or "",
            method=client.token_endpoint_auth_method or "",
        )
        for each in made.secrets():
            self._secrets.add(f"login of {self._server.name}", each)
        return made

    def _of(self) -> OAuthClientProvider:
        if self._provider is None:
            raise OAuthFlowError("nothing was asked yet")
        return self._provider


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
