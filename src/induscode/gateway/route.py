"""The way to an endpoint: straight, or through a proxy."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

from induscode.gateway.endpoint import Endpoint
from induscode.gateway.line import Line, open_line
from induscode.gateway.reply import Reply

__all__ = ["Direct", "Route", "Tls", "route_to"]

Tls = Callable[[], ssl.SSLContext]

_PROXY_VARIABLES = (
    "https_proxy",
    "HTTPS_PROXY",
    "http_proxy",
    "HTTP_PROXY",
    "all_proxy",
    "ALL_PROXY",
)


class Route(Protocol):
    """`where` names the endpoint in a message and `hint` is what to check when it cannot be
    reached (empty: nothing special); `target` and `headers` belong into every request; `secure`
    says that opening needs TLS."""

    @property
    def where(self) -> str: ...

    @property
    def hint(self) -> str: ...

    @property
    def target(self) -> str: ...

    @property
    def headers(self) -> Sequence[tuple[str, str]]: ...

    @property
    def secure(self) -> bool: ...

    async def open(self, tls: Tls) -> Line:
        """Raises `ProviderError`, or what the system raises."""
        ...

    def check(self, reply: Reply) -> None:
        """Raises `ProviderError` if it was not the endpoint that answered."""
        ...


class Direct:
    hint = ""
    headers: Sequence[tuple[str, str]] = ()

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.where = endpoint.where
        self.target = endpoint.path
        self.secure = endpoint.scheme == "https"

    async def open(self, tls: Tls) -> Line:
        endpoint = self._endpoint
        return await open_line(endpoint.host, endpoint.port, tls() if self.secure else None)

    def check(self, reply: Reply) -> None:
        """Nobody else can have answered."""


def route_to(endpoint: Endpoint, environ: Mapping[str, str]) -> Route:
    """As the environment says. Raises `ConfigError` for a proxy that cannot be used."""
    if not any(environ.get(name) for name in _PROXY_VARIABLES):
        return Direct(endpoint)
    module = import_module("induscode.gateway.proxy")
    find = cast("Callable[[Endpoint, Mapping[str, str]], Route | None]", module.find_proxy)
    return find(endpoint, environ) or Direct(endpoint)
