"""The SDK's way to a token, begun by us, and who we are on it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from http import HTTPStatus

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.utils import (
    extract_resource_metadata_from_www_auth,
    extract_scope_from_www_auth,
    is_valid_client_metadata_url,
)
from mcp.shared.auth import OAuthClientInformationFull

from induscode.capability_deck.mcp_config.servers import OAuthClient

__all__ = ["Flow", "choose_method", "document", "known_client"]

_REFUSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class Flow(httpx2.Auth):
    """The SDK's way through, begun whether or not the server refuses what is asked first, with
    `scopes` where there are any. `announced` is where the server named its issuer."""

    def __init__(self, provider: OAuthClientProvider, scopes: str) -> None:
        self.announced = ""
        self._provider = provider
        self._scopes = scopes

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        flow = self._provider.async_auth_flow(request)
        try:
            response = self._challenge((yield await anext(flow)))
            while True:
                asked = await flow.asend(response)
                self._note(response)
                response = yield asked
        except StopAsyncIteration:
            return
        finally:
            await flow.aclose()

    def _challenge(self, response: httpx2.Response) -> httpx2.Response:
        parts: list[str] = []
        if response.status_code in _REFUSED:
            if place := extract_resource_metadata_from_www_auth(response):
                parts.append(f'resource_metadata="{place}"')
            if scope := self._scopes or extract_scope_from_www_auth(response):
                parts.append(f'scope="{scope}"')
        elif self._scopes:
            parts.append(f'scope="{self._scopes}"')
        headers = {"www-authenticate": f"Bearer {', '.join(parts)}"}
        return httpx2.Response(401, headers=headers, request=response.request)

    def _note(self, response: httpx2.Response) -> None:
        if not self.announced and self._provider.context.protected_resource_metadata is not None:
            self.announced = str(response.request.url)


def known_client(client: OAuthClient | None) -> OAuthClientInformationFull | None:
    """Who we are to the issuer, where a person registered us with it."""
    if client is None or not client.client_id or document(client) is not None:
        return None
    return OAuthClientInformationFull(
        client_id=client.client_id,
        client_secret=client.client_secret or None,
        token_endpoint_auth_method="client_secret_basic" if client.client_secret else "none",
    )


def document(client: OAuthClient | None) -> str | None:
    """Where a page says who we are, which is our id for issuers that read such pages. Others
    register us as if there were none."""
    url = client.client_id if client else ""
    return url if is_valid_client_metadata_url(url) else None


def choose_method(client: OAuthClientInformationFull | None, offered: list[str] | None) -> None:
    """How a secret of the row is sent: by header, which is the default, where that is offered."""
    if client is not None:
        by_form = offered is not None and "client_secret_basic" not in offered
        client.token_endpoint_auth_method = (
            "client_secret_post" if by_form else "client_secret_basic"
        )
