"""How a host of the web is reached: judged first, then connected to exactly what was judged.

A name is looked up once. If any of its addresses is not of the public internet and was not allowed,
the host is refused and nothing is sent to it. Behind a proxy the name is judged here as far as it
can be looked up here; the connection is the proxy's, and so is its own look at the name.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence

from msgspec import Struct

from induscode.gateway.endpoint import Endpoint
from induscode.gateway.faults import fault_of
from induscode.gateway.line import Line, open_line
from induscode.gateway.proxy import find_proxy
from induscode.gateway.reply import Reply
from induscode.gateway.route import Route, Tls
from induscode.tools.web.address import WebAddress
from induscode.tools.web.allowing import Allowed
from induscode.tools.web.judging import inner, special
from induscode.tools.web.limits import ADDRESSES_TRIED, CONNECT_SECONDS, LOOKUP_SECONDS
from induscode.tools.web.problem import WebProblem

__all__ = ["Wire", "endpoint_of", "way_to"]

_HINT = "check the address and the network"
_INNER_NAMES = (
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "home.arpa",
)


async def _look_up(host: str, port: int) -> Sequence[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def _connect(address: str, port: int) -> Line:
    return await open_line(address, port, None)


class Wire(Struct, frozen=True):
    """The two things that touch a network. `look_up` gives the addresses of a name, `connect` takes
    an address, never a name; both raise OSError."""

    look_up: Callable[[str, int], Awaitable[Sequence[str]]] = _look_up
    connect: Callable[[str, int], Awaitable[Line]] = _connect


async def way_to(
    address: WebAddress, allowed: Sequence[Allowed], environ: Mapping[str, str], wire: Wire
) -> Route:
    """Raises `WebProblem` for a host that is refused, `NetworkFailed` for one that cannot be found,
    `ConfigError` for a proxy that cannot be used."""
    endpoint = endpoint_of(address)
    proxied = find_proxy(endpoint, environ)
    found = await _addresses(address, wire, behind_proxy=proxied is not None)
    if not any(entry.names(address.host, address.port) for entry in allowed):
        _judge(address, found, allowed)
    return proxied or _Pinned(endpoint, found, wire)


def endpoint_of(address: WebAddress) -> Endpoint:
    return Endpoint(address.scheme, address.host, address.port, address.path)


async def _addresses(address: WebAddress, wire: Wire, *, behind_proxy: bool) -> Sequence[str]:
    """None of them, if only the proxy can know."""
    if _is_literal(address.host):
        return [address.host]
    try:
        async with asyncio.timeout(LOOKUP_SECONDS if behind_proxy else None):
            found = await wire.look_up(address.host, address.port)
    except (OSError, UnicodeError) as error:
        if behind_proxy:
            return []
        where = endpoint_of(address).where
        raise fault_of(error, where=where, hint=_HINT, answering=False) from None
    if not found and not behind_proxy:
        raise WebProblem(f"{address.host} has no address; {_HINT}.")
    return found


def _is_literal(host: str) -> bool:
    try:
        inner(host)
    except ValueError:
        return False
    return True


def _judge(address: WebAddress, found: Sequence[str], allowed: Sequence[Allowed]) -> None:
    if not found and _sounds_private(address.host):
        raise _refusal(address, "the name of a private place")
    for text in found:
        reached = inner(text)
        kind = special(reached)
        if kind and not any(entry.holds(reached, address.port) for entry in allowed):
            raise _refusal(address, kind)


def _sounds_private(host: str) -> bool:
    return "." not in host or host.endswith(tuple(f".{name}" for name in _INNER_NAMES))


def _refusal(address: WebAddress, kind: str) -> WebProblem:
    is_or_leads = "is" if _is_literal(address.host) else "leads to"
    return WebProblem(
        f"{address.host} {is_or_leads} an address that webfetch does not reach ({kind}). "
        "The user can allow it in config.toml: "
        f'[web] allow_private = ["{address.place}"].'
    )


class _Pinned:
    """The route to addresses that were judged, and to no other."""

    hint = ""
    headers: Sequence[tuple[str, str]] = ()

    def __init__(self, endpoint: Endpoint, addresses: Sequence[str], wire: Wire) -> None:
        self._endpoint = endpoint
        self._addresses = addresses[:ADDRESSES_TRIED]
        self._wire = wire
        self.where = endpoint.where
        self.target = endpoint.path
        self.secure = endpoint.scheme == "https"

    async def open(self, tls: Tls) -> Line:
        line = await self._connected()
        if not self.secure:
            return line
        opened = False
        try:
            await line.secure(tls(), self._endpoint.host)
            opened = True
            return line
        finally:
            if not opened:
                line.abort()

    async def _connected(self) -> Line:
        trouble: OSError = ConnectionRefusedError()
        for address in self._addresses:
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    return await self._wire.connect(address, self._endpoint.port)
            except OSError as error:
                trouble = error
        raise trouble

    def check(self, reply: Reply) -> None:
        """Nobody else can have answered."""
