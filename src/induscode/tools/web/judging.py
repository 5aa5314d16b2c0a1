"""Which addresses are not the public internet, and what they are instead.

Our own table, after IANA's registries of special-purpose addresses: what the standard library
calls private differs between its versions. An address inside an address (IPv4-mapped, NAT64) is
judged as the one inside; other tunnels (6to4, Teredo) are refused whatever is inside.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

__all__ = ["IpAddress", "inner", "special"]

IpAddress = IPv4Address | IPv6Address

_VERSION_4 = tuple(
    (IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "this machine, unspecified"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "a provider's inner network"),
        ("127.0.0.0/8", "this machine, loopback"),
        ("168.63.129.16/32", "a cloud's inner service"),
        ("169.254.0.0/16", "link-local, where clouds keep credentials"),
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "reserved for examples"),
        ("192.88.99.0/24", "a tunnel's relay"),
        ("192.168.0.0/16", "a private network"),
        ("198.18.0.0/15", "reserved for measurements"),
        ("198.51.100.0/24", "reserved for examples"),
        ("203.0.113.0/24", "reserved for examples"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
# Order matters: the first that holds an address says what it is.
_VERSION_6 = tuple(
    (IPv6Network(network), kind)
    for network, kind in (
        ("::/128", "this machine, unspecified"),
        ("::1/128", "this machine, loopback"),
        ("fc00::/7", "a private network"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "a private network"),
        ("ff00::/8", "multicast"),
        ("2001::/32", "a Teredo tunnel"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "reserved for examples"),
        ("2002::/16", "a 6to4 tunnel"),
        ("3fff::/20", "reserved for examples"),
    )
)
_GLOBAL_6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_LOW_32 = 0xFFFF_FFFF


def inner(text: str) -> IpAddress:
    """The address that is reached in the end. Raises ValueError for what is no address."""
    address = ip_address(text)
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return IPv4Address(int(address) & _LOW_32) if address in _NAT64 else address


def special(address: IpAddress) -> str | None:
    """What an address is if it is not of the public internet; None if it is."""
    if isinstance(address, IPv4Address):
        return next((kind for network, kind in _VERSION_4 if address in network), None)
    kind = next((kind for network, kind in _VERSION_6 if address in network), None)
    return kind or (None if address in _GLOBAL_6 else "reserved")
