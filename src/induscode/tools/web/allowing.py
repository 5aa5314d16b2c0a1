"""The private places that a person allowed: `web.allow_private`."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network

from msgspec import Struct

from induscode.tools.web.address import normal_host, split_port
from induscode.tools.web.judging import IpAddress

__all__ = ["Allowed", "parse_allowed"]

_BELOW = "*."


class Allowed(Struct, frozen=True):
    """One entry. Without a `network` it is the host `name`, or all hosts below it; without a `port`
    it is every port."""

    port: int | None
    network: IPv4Network | IPv6Network | None = None
    name: str = ""
    below: bool = False

    def names(self, host: str, port: int) -> bool:
        """Whether this host was allowed by its name, wherever that leads."""
        if self.network is not None or self.port not in {None, port}:
            return False
        return host.endswith(f".{self.name}") if self.below else host == self.name

    def holds(self, address: IpAddress, port: int) -> bool:
        """Whether this address was allowed, whatever name leads there."""
        return self.network is not None and self.port in {None, port} and address in self.network


def parse_allowed(entries: Iterable[str]) -> tuple[Allowed, ...]:
    """Raises ValueError that names the entry."""
    return tuple(map(_parsed, entries))


def _parsed(entry: str) -> Allowed:
    text = entry.strip()
    try:
        if "/" in text:
            return Allowed(None, ip_network(text, strict=False))
        bare = text.count(":") > 1 and not text.startswith("[")  # IPv6 without brackets or port
        host, port = (f"[{text}]", None) if bare else split_port(text)
        below = host.startswith(_BELOW)
        name = normal_host(host.removeprefix(_BELOW))
    except ValueError as error:
        raise ValueError(f"{entry!r} is no host, address or network ({error})") from None
    try:
        return Allowed(port, ip_network(name))
    except ValueError:
        return Allowed(port, name=name, below=below)
