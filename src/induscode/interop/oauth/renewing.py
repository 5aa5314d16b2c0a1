"""One renewal of a login: the SDK's refresh, with what the SDK does not keep put back."""

from __future__ import annotations

import time

import httpx2
import msgspec
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from mcp.types import LATEST_PROTOCOL_VERSION

from induscode.interop.oauth.credential import Credential
from induscode.interop.oauth.limits import LIFETIME_MOST, SLACK_SECONDS
from induscode.interop.oauth.wire import passing

__all__ = ["Kept", "RenewalRefused", "Renewer", "expiry"]


class RenewalRefused(OAuthFlowError):
    """The issuer does not renew it. `spent`: it never will."""

    def __init__(self, message: str, *, spent: bool) -> None:
        super().__init__(message)
        self.spent = spent


class Kept:
    """What the SDK wants kept while it works, in memory."""

    def __init__(self, client: OAuthClientInformationFull | None = None) -> None:
        self.client = client
        self.tokens: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Renewer(OAuthClientProvider):
    """For one login, once."""

    def __init__(
        self,
        login: Credential,
        server: ProtectedResourceMetadata | None,
        issuer: OAuthMetadata | None,
    ) -> None:
        super().__init__(login.resource, OAuthClientMetadata(redirect_uris=None), Kept())
        self._login = login
        self.context.protocol_version = LATEST_PROTOCOL_VERSION
        self.context.protected_resource_metadata = server
        self.context.oauth_metadata = issuer
        self.context.client_info = OAuthClientInformationFull(
            client_id=login.client_id,
            client_secret=login.client_secret or None,
            token_endpoint_auth_method=login.method or None,
            issuer=login.issuer,
        )
        self.context.current_tokens = OAuthToken(
            access_token=login.access, refresh_token=login.refresh, scope=login.scope or None
        )

    async def renewed(self, http: httpx2.AsyncClient) -> Credential:
        """Raises `RenewalRefused`, and `HTTPError` when nothing is decided."""
        response = await http.send(await self._refresh_token())
        passing(response)
        try:
            taken = await self._handle_refresh_response(response)
        except OverflowError:
            raise OAuthFlowError("its issuer promises more seconds than there are") from None
        tokens = self.context.current_tokens
        if not taken or tokens is None:
            raise _refused(response)
        return msgspec.structs.replace(
            self._login,
            access=tokens.access_token,
            refresh=tokens.refresh_token or "",
            scope=tokens.scope or "",
            expires=expiry(tokens),
        )


def expiry(tokens: OAuthToken) -> float | None:
    """When to renew it, a little before its end."""
    if tokens.expires_in is None:
        return None
    seconds = max(0, min(tokens.expires_in, LIFETIME_MOST))
    return time.time() + seconds - min(SLACK_SECONDS, seconds / 10)


def _refused(response: httpx2.Response) -> RenewalRefused:
    """What an issuer says besides its code is not told: nobody knows what it repeats."""
    try:
        said = msgspec.json.decode(response.content, type=dict[str, object]).get("error")
    except msgspec.DecodeError:
        said = None
    why = (
        f" ({said[:40]})" if isinstance(said, str) and said.isascii() and said.isprintable() else ""
    )
    told = f"its issuer answered {response.status_code}{why} instead of renewing the login"
    return RenewalRefused(told, spent=said == "invalid_grant")
