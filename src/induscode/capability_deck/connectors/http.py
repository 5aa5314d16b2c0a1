"""One HTTP exchange: any method, the answer read up to a limit. Nothing is followed or repeated.

Proxies and certificates come from the environment, as for model providers. Each exchange has a
connection of its own.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from induscode.capability_deck.connectors.limits import (
    CONNECT_SECONDS,
    EXCHANGE_SECONDS,
    IDLE_SECONDS,
)
from induscode.errors import NetworkFailed
from induscode.gateway.endpoint import Endpoint
from induscode.gateway.faults import FOREIGN, fault_of
from induscode.gateway.line import Line
from induscode.gateway.route import Route, Tls, route_to
from induscode.gateway.single import Asked, Head, ask
from induscode.gateway.tls import trust
from induscode.gateway.watch import Watch
from induscode.kernel.cancel import CancelToken
from induscode.tools.web.address import WebAddress

__all__ = ["Answer", "HttpClient", "Outgoing", "Patience"]

_HINT = "check your network"
_PLAIN = ("accept-encoding", "identity")


class Outgoing(Struct, frozen=True):
    """A request. `address` is where it goes; `path` begins with a slash and is encoded, as `query`
    is. Shows no header and no query when printed: they may hold a credential."""

    method: str
    address: WebAddress
    path: str
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def __repr__(self) -> str:
        return f"Outgoing({self.method} {self.address.origin}{self.path})"

    @property
    def endpoint(self) -> Endpoint:
        target = f"{self.path}?{self.query}" if self.query else self.path
        return Endpoint(self.address.scheme, self.address.host, self.address.port, target)


class Answer(Struct, frozen=True):
    """`cut` says that the body goes on after what was read. Names of headers are lower case."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    cut: bool = False


class Patience(Struct, frozen=True):
    """Seconds: to connect, with nothing arriving, for everything."""

    connect: float = CONNECT_SECONDS
    idle: float = IDLE_SECONDS
    whole: float = EXCHANGE_SECONDS


class HttpClient:
    """`environ` says which proxy to go through and whom to trust, unless `tls` says so."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        tls: Tls | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._environ = environ
        self._tls: Tls = tls or cache(self._trusted)
        self._patience = patience or Patience()

    async def send(self, request: Outgoing, *, most: int, cancel: CancelToken) -> Answer:
        """At most `most` bytes of the answer's body are read. Raises `ProviderError` (its message
        names host and port and never a header), `ConfigError` for a proxy that cannot be used, and
        `Cancelled`."""
        cancel.check()
        route = route_to(request.endpoint, self._environ)
        try:
            async with asyncio.timeout(self._patience.whole):
                line = await self._open(route, cancel)
                return await self._exchange(line, route, request, most, cancel)
        except TimeoutError:
            told = f"{route.where} did not answer within {self._patience.whole:g} s"
            raise NetworkFailed(told, hint=_HINT) from None

    def _trusted(self) -> ssl.SSLContext:
        return trust(self._environ)

    async def _open(self, route: Route, cancel: CancelToken) -> Line:
        async def opening() -> Line:
            async with asyncio.timeout(self._patience.connect):
                return await route.open(self._tls)

        try:
            return await cancel.run(opening())
        except FOREIGN as error:
            hint = route.hint or _HINT
            raise fault_of(error, where=route.where, hint=hint, answering=False) from None

    async def _exchange(
        self, line: Line, route: Route, request: Outgoing, most: int, cancel: CancelToken
    ) -> Answer:
        watch = Watch(line, cancel, self._patience.idle)
        heard: list[Head] = []

        def wanted(head: Head) -> int:
            heard.append(head)
            return most

        asked = Asked(request.method, (_PLAIN, *request.headers), request.body)
        try:
            got = await ask(line, route, request.endpoint, asked, wanted, watch)
        except FOREIGN as error:
            cancel.check()
            if watch.went_silent:
                told = f"{route.where} sent nothing for {self._patience.idle:g} s"
                raise NetworkFailed(told, hint=_HINT) from None
            hint = route.hint or _HINT
            raise fault_of(error, where=route.where, hint=hint, answering=bool(heard)) from None
        finally:
            watch.stop()
            line.abort()
        return Answer(got.head.status, got.head.reason, got.head.headers, got.body, cut=got.cut)
