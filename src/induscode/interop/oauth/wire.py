"""HTTP as logins want it: to nobody in the clear, with deadlines, short answers, no redirects away.

An SDK request of its own carries no header of the client; those are for the server alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from ipaddress import ip_address

import httpx2
from mcp.client.auth import OAuthFlowError

from induscode.interop.bounded import bound
from induscode.interop.oauth.limits import ANSWER_BYTES, CONNECT_SECONDS, READ_SECONDS

__all__ = ["oauth_client", "passing", "same_origin", "secure"]


def oauth_client(headers: Mapping[str, str] | None = None) -> httpx2.AsyncClient:
    """Redirects are not followed by it."""
    ask: Callable[[httpx2.Request], Awaitable[None]] = _guard
    look: Callable[[httpx2.Response], Awaitable[None]] = _look
    return httpx2.AsyncClient(
        headers={**(headers or {}), "accept-encoding": "identity"},
        timeout=httpx2.Timeout(CONNECT_SECONDS, read=READ_SECONDS),
        event_hooks={"request": [ask], "response": [look]},
    )


def secure(url: httpx2.URL) -> bool:
    """Whether nobody in between reads along: https, or this machine."""
    if url.scheme == "https" or url.host == "localhost":
        return True
    try:
        return url.scheme == "http" and ip_address(url.host).is_loopback
    except ValueError:
        return False


def same_origin(one: httpx2.URL, other: httpx2.URL) -> bool:
    return (one.scheme, one.host, one.port) == (other.scheme, other.host, other.port)


def passing(response: httpx2.Response) -> None:
    """Raises `HTTPStatusError` for trouble that will be over some time, which decides nothing."""
    if response.is_server_error or response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        told = f"{response.request.url} answers {response.status_code}"
        raise httpx2.HTTPStatusError(told, request=response.request, response=response)


async def _guard(request: httpx2.Request) -> None:
    if not secure(request.url):
        place = f"{request.url.scheme}://{request.url.netloc.decode(errors='replace')}"
        raise OAuthFlowError(f"{place} is no place for secrets: it is not https")


async def _look(response: httpx2.Response) -> None:
    bound(response, ANSWER_BYTES)
