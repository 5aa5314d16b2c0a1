"""Addresses of the web, read strictly: one reading for the gate and for the request.

What browsers mend is refused here, because two who mend differently see different hosts: a
backslash, a control character, `user@`. A host has one spelling (lower case, IDNA, IPv4 as four
decimal numbers however it was written, IPv6 as the system writes it and without brackets), so that
a rule about a host holds for all of its spellings. Imported at every start: nothing heavy here.
"""

from __future__ import annotations

import re
import socket

from msgspec import Struct

from induscode.tools.web.limits import URL_CHARACTERS

__all__ = ["WebAddress", "normal_host", "parse_address", "split_port"]

_PORTS = {"http": 80, "https": 443}
_MOST_PORT = 65_535
_HOST_CHARACTERS = 253
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TO_ESCAPE = re.compile(r"[^!$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]")
# Two versions of IDNA make different hosts of these; which one is meant, nobody can tell.
_AMBIGUOUS = frozenset("\u00df\u03c2\u200c\u200d")
_MAPPED = "::ffff:"
_OCTETS = 4
_OCTET_VALUES = 256


class WebAddress(Struct, frozen=True):
    """`host` has its one spelling; `path` begins with a slash, has the query, is ASCII, and never
    has a fragment. Make it with `parse_address`."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    @property
    def url(self) -> str:
        return f"{self.origin}{self.path}"

    @property
    def place(self) -> str:
        """Host and port, as a person writes them in a configuration."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> WebAddress:
    """Raises ValueError with the reason, fit to stand after "is not usable:"."""
    text = text.strip(" \t\r\n")
    if len(text) > URL_CHARACTERS:
        raise ValueError(f"it is longer than {URL_CHARACTERS:,} characters")
    if _CONTROL.search(text):
        raise ValueError("it holds a control character")
    scheme, found, rest = text.partition("://")
    scheme = scheme.lower()
    if not found or scheme not in _PORTS:
        raise ValueError("it must begin with http:// or https://")
    end = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
    host, port = _authority(rest[:end])
    return WebAddress(scheme, host, port or _PORTS[scheme], _path(rest[end:].partition("#")[0]))


def _authority(text: str) -> tuple[str, int | None]:
    if "@" in text:
        raise ValueError("a user name or password in an address is refused; leave it out")
    host, port = split_port(text)
    return normal_host(host), port


def split_port(text: str) -> tuple[str, int | None]:
    """`host:80`, `[::1]:80` or a host alone, in its brackets if it has them. Raises ValueError."""
    if text.startswith("["):
        inside, closed, port = text[1:].partition("]")
        if not closed or (port and not port.startswith(":")):
            raise ValueError("the brackets around its host are not closed")
        host, port = f"[{inside}]", port[1:]
    else:
        host, _, port = text.partition(":")
    if not port:
        return host, None
    if not (port.isascii() and port.isdecimal()) or not 0 < int(port[:6]) <= _MOST_PORT:
        raise ValueError("its port is not a number from 1 to 65535")
    return host, int(port)


def _path(text: str) -> str:
    if not text.startswith("/"):
        text = f"/{text}"
    try:
        return _TO_ESCAPE.sub(_escaped, text)
    except UnicodeEncodeError:
        raise ValueError("it holds half a character") from None


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def normal_host(text: str) -> str:
    """The one spelling of a host; IPv6 comes in brackets and loses them. Raises ValueError."""
    if text.startswith("[") and text.endswith("]"):
        return _version_6(text[1:-1])
    host = _ascii(text).lower().removesuffix(".")
    if not host or len(host) > _HOST_CHARACTERS:
        raise ValueError("it names no host" if not host else "its host is too long")
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return _version_4(labels)
    if not all(map(_LABEL.fullmatch, labels)):
        raise ValueError("its host is not the name of a host")
    return host


def _ascii(text: str) -> str:
    if text.isascii():
        return text
    if len(text) > _HOST_CHARACTERS:
        raise ValueError("its host is too long")
    if _AMBIGUOUS & set(text):
        raise ValueError("its host can be read in two ways; write it in its xn-- form")
    try:
        return text.encode("idna").decode("ascii")
    except UnicodeError:
        raise ValueError("its host is not the name of a host") from None


def _version_4(parts: list[str]) -> str:
    """As every system reads it: 127.1, 0x7f.0.0.1, 0177.0.0.1 and 2130706433 are one address."""
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        numbers = []
    last = _OCTET_VALUES ** (_OCTETS + 1 - len(numbers)) if 0 < len(numbers) <= _OCTETS else 0
    if not last or numbers[-1] >= last or any(each >= _OCTET_VALUES for each in numbers[:-1]):
        raise ValueError("its host ends in a number and is not an IPv4 address")
    value = numbers[-1]
    for at, number in enumerate(numbers[:-1]):
        value += number * _OCTET_VALUES ** (_OCTETS - 1 - at)
    return socket.inet_ntoa(value.to_bytes(_OCTETS, "big"))


def _number(part: str) -> int:
    if not _NUMBER.fullmatch(part) or len(part) > _HOST_CHARACTERS:
        raise ValueError(part)
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8) if len(part) > 1 and part.startswith("0") else int(part)


def _version_6(text: str) -> str:
    try:
        spelled = socket.inet_ntop(socket.AF_INET6, socket.inet_pton(socket.AF_INET6, text))
    except (OSError, UnicodeError, ValueError):
        raise ValueError("its host is not an IPv6 address") from None
    mapped = spelled.removeprefix(_MAPPED)
    return mapped if mapped != spelled and "." in mapped else spelled
