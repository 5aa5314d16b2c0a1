"""Proxies as the usual variables name them: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY.

The lower-case spelling of a variable wins, and an empty one means no proxy. An https endpoint is
reached through a tunnel (CONNECT), an http endpoint by asking the proxy for its whole address.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from ipaddress import ip_address, ip_network
from urllib.parse import unquote, urlsplit

import h11
from msgspec import Struct

from induscode.errors import ConfigError, NetworkFailed, ProviderError, RequestRejected
from induscode.gateway.endpoint import Endpoint
from induscode.gateway.faults import FOREIGN, fault_of
from induscode.gateway.line import Line, open_line
from induscode.gateway.reply import Reply
from induscode.gateway.route import Tls

__all__ = ["Proxied", "Proxy", "find_proxy", "is_exempt"]

_PORTS = {"http": 80, "https": 443}
_SUCCESS = range(200, 300)
_SERVER_FAULT = 500
_UNAUTHENTICATED = 407
_EVEN_LOOPBACK = "<-loopback>"


class Proxy(Struct, frozen=True):
    """`variable` is where a person set it; `credentials` are `user:password`, or empty. Shows
    neither of them when printed."""

    variable: str
    scheme: str
    host: str
    port: int
    credentials: str = ""

    def __repr__(self) -> str:
        return f"Proxy({self.where} of {self.variable})"

    @property
    def where(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def headers(self) -> Sequence[tuple[str, str]]:
        if not self.credentials:
            return ()
        return (("proxy-authorization", f"Basic {b64encode(self.credentials.encode()).decode()}"),)

    @classmethod
    def parse(cls, variable: str, value: str) -> Proxy:
        """Raises `ConfigError`. An address without a scheme is one of an http proxy."""
        try:
            parts = urlsplit(value if "://" in value else f"http://{value}")
            host, port = parts.hostname, parts.port
        except ValueError:
            raise _unusable(variable, "not the address of a proxy") from None
        if parts.scheme not in _PORTS:
            raise _unusable(variable, f"a proxy of the kind {parts.scheme!r} is not supported")
        if not host or parts.path.strip("/"):
            raise _unusable(variable, "not the address of a proxy")
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        named = parts.username is not None
        return cls(
            variable,
            parts.scheme,
            host,
            port or _PORTS[parts.scheme],
            f"{user}:{password}" if named else "",
        )


class Proxied:
    """The route to `endpoint` through `proxy`."""

    def __init__(self, endpoint: Endpoint, proxy: Proxy) -> None:
        self._endpoint = endpoint
        self._proxy = proxy
        tunnelled = endpoint.scheme == "https"
        self.secure = tunnelled or proxy.scheme == "https"
        self.where = f"{endpoint.where} (through the proxy {proxy.where})"
        self.hint = f"check {proxy.variable} or your network"
        self.target = (
            endpoint.path if tunnelled else f"http://{endpoint.host_header}{endpoint.path}"
        )
        self.headers = () if tunnelled else proxy.headers

    async def open(self, tls: Tls) -> Line:
        line = await self._reach(tls)
        if self._endpoint.scheme != "https":
            return line
        opened = False
        try:
            await self._tunnel(line)
            await line.secure(tls(), self._endpoint.host)
            opened = True
            return line
        finally:
            if not opened:
                line.abort()

    def check(self, reply: Reply) -> None:
        if reply.status == _UNAUTHENTICATED:
            raise self._refusal(reply.status)

    async def _reach(self, tls: Tls) -> Line:
        proxy = self._proxy
        try:
            return await open_line(
                proxy.host, proxy.port, tls() if proxy.scheme == "https" else None
            )
        except FOREIGN as error:
            raise self._fault(error) from None

    async def _tunnel(self, line: Line) -> None:
        try:
            status = await self._asked(line)
        except FOREIGN as error:
            raise self._fault(error) from None
        if status not in _SUCCESS:
            raise self._refusal(status)

    async def _asked(self, line: Line) -> int:
        """Send CONNECT; returns the status of the answer."""
        http, endpoint = line.http, self._endpoint
        host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
        target = f"{host}:{endpoint.port}"
        headers = [("host", target), *self._proxy.headers]
        asked = h11.Request(method="CONNECT", target=target, headers=headers)
        line.write([http.send(asked) or b"", http.send(h11.EndOfMessage()) or b""])
        while True:
            event = http.next_event()
            if isinstance(event, h11.Response):
                return event.status_code
            if event is h11.NEED_DATA:
                http.receive_data(await line.read())
            elif not isinstance(event, h11.InformationalResponse):
                raise ConnectionResetError

    def _fault(self, error: Exception) -> ProviderError:
        where = f"the proxy {self._proxy.where}"
        return fault_of(error, where=where, hint=self.hint, answering=False)

    def _refusal(self, status: int) -> ProviderError:
        variable = self._proxy.variable
        if status == _UNAUTHENTICATED:
            return RequestRejected(
                f"the proxy {self._proxy.where} wants to know who asks (407)",
                hint=f"put the right user and password into {variable}: http://USER:PASSWORD@HOST",
            )
        told = (
            f"the proxy {self._proxy.where} does not connect to {self._endpoint.where} ({status})"
        )
        kind = NetworkFailed if status >= _SERVER_FAULT else RequestRejected
        return kind(told, hint=f"check {variable}, or name the host in NO_PROXY")


def find_proxy(endpoint: Endpoint, environ: Mapping[str, str]) -> Proxied | None:
    """The proxy for this endpoint, if there is one. Raises `ConfigError`."""
    variable = _first(environ, f"{endpoint.scheme}_proxy", "all_proxy")
    value = environ.get(variable, "").strip()
    if not value:
        return None
    rules = environ.get(_first(environ, "no_proxy"), "")
    if is_exempt(endpoint.host, endpoint.port, rules):
        return None
    return Proxied(endpoint, Proxy.parse(variable, value))


def is_exempt(host: str, port: int, no_proxy: str) -> bool:
    """Whether `no_proxy` (names, addresses and networks, each perhaps with a port) exempts a host.
    The machine itself always is, but for the rule `<-loopback>`, as browsers have it."""
    rules = no_proxy.replace(",", " ").lower().split()
    host = host.lower().rstrip(".")
    if _EVEN_LOOPBACK not in rules and _is_loopback(host):
        return True
    return any(_covers(rule, host, port) for rule in rules)


def _first(environ: Mapping[str, str], *names: str) -> str:
    """The variable that decides: the first that is set, in lower case before upper case."""
    spelled = [spelling for name in names for spelling in (name, name.upper())]
    return next((name for name in spelled if name in environ), "")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _covers(rule: str, host: str, port: int) -> bool:
    name, rule_port = _split(rule)
    if rule_port not in {"", str(port)}:
        return False
    if name == "*":
        return True
    try:
        return ip_address(host) in ip_network(name, strict=False)
    except ValueError:
        pass  # one of the two is a name
    name = name.removeprefix("*").strip(".")
    return bool(name) and (host == name or host.endswith(f".{name}"))


def _split(rule: str) -> tuple[str, str]:
    """Name and port; an address of version 6 with a port stands in brackets."""
    if rule.startswith("["):
        name, _, port = rule[1:].partition("]")
        return name, port.removeprefix(":")
    name, _, port = rule.partition(":")
    return (rule, "") if ":" in port else (name, port)


def _unusable(variable: str, found: str) -> ConfigError:
    # The value itself is not repeated: it may hold a password.
    return ConfigError(
        "environment",
        field=variable,
        found=found,
        hint="write it like http://proxy.example.com:3128",
    )
