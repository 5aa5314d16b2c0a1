"""Whether a server still names the issuer of a login, and where that issuer is to be asked."""

from __future__ import annotations

import httpx2
from mcp.client.auth import OAuthFlowError
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    create_oauth_metadata_request,
    handle_auth_metadata_response,
    handle_protected_resource_response,
    validate_metadata_issuer,
)
from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata
from mcp.shared.auth_utils import check_resource_allowed

from induscode.interop.oauth.credential import Credential
from induscode.interop.oauth.wire import passing, same_origin

__all__ = ["issuer_metadata", "resource_metadata"]

_REDIRECTS = 3


async def resource_metadata(
    http: httpx2.AsyncClient, login: Credential
) -> ProtectedResourceMetadata | None:
    """What the server says of itself now; None for one that never did, and is its own issuer.
    Raises `OAuthFlowError` when it does not name the issuer of the login any more."""
    if not login.announced:
        return None
    found = await handle_protected_resource_response(await _got(http, login.announced))
    if found is None:
        raise OAuthFlowError(f"it does not say any more who its issuer is (at {login.announced})")
    named = [str(each) for each in found.authorization_servers]
    if login.issuer not in named:
        raise OAuthFlowError(f"its issuer is {named[0]} now; the login was at {login.issuer}")
    if not check_resource_allowed(login.resource, str(found.resource)):
        raise OAuthFlowError(f"what it says of itself is about {found.resource}")
    return found


async def issuer_metadata(http: httpx2.AsyncClient, login: Credential) -> OAuthMetadata | None:
    """What the issuer says of itself now; None for a server that is its own issuer and says
    nothing. Raises `OAuthFlowError` when another issuer answers."""
    at = login.issuer if login.announced else None
    for url in build_oauth_authorization_server_metadata_discovery_urls(at, login.resource):
        _, found = await handle_auth_metadata_response(await _got(http, url))
        if found is not None:
            validate_metadata_issuer(found, login.issuer)
            return found
    if login.announced:
        raise OAuthFlowError(f"its issuer {login.issuer} says nothing of itself any more")
    return None


async def _got(http: httpx2.AsyncClient, url: str) -> httpx2.Response:
    response = await http.send(create_oauth_metadata_request(url))
    for _ in range(_REDIRECTS):
        onward = response.next_request
        if onward is None or not same_origin(onward.url, response.request.url):
            break
        response = await http.send(onward)
    passing(response)
    return response
