"""One GET: what was asked for is sent, of the answer as much is read as is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import h11
from msgspec import Struct

from induscode.errors import StreamBroken
from induscode.gateway.endpoint import Endpoint
from induscode.gateway.faults import FOREIGN, fault_of
from induscode.gateway.inflate import ENCODINGS, Inflate
from induscode.gateway.line import Line
from induscode.gateway.reply import Reply
from induscode.gateway.route import Route
from induscode.gateway.tls import trust
from induscode.version import VERSION

__all__ = ["Answer", "Head", "get"]

_ALWAYS = (
    ("user-agent", f"induscode/{VERSION}"),
    ("accept-encoding", "gzip, deflate"),
    ("connection", "close"),
)
_UNCOMPRESSED = frozenset({"", "identity"})
_PACKING = 64 * 1024
"""Bytes that may come without unpacking to anything."""


class Head(Struct, frozen=True):
    """Names of headers are in lower case; of a repeated one, the last counts."""

    status: int
    headers: Mapping[str, str]

    @property
    def kind(self) -> str:
        """The content type without its parameters; empty if none was sent."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


class Answer(Struct, frozen=True):
    """`cut` says that there was more than was wanted."""

    head: Head
    body: bytes
    cut: bool


async def get(
    route: Route,
    endpoint: Endpoint,
    headers: Sequence[tuple[str, str]],
    *,
    environ: Mapping[str, str],
    wanted: Callable[[Head], int],
    hint: str = "check the address and the network",
) -> Answer:
    """`wanted` sees the head and says how many bytes of the body, unpacked, are worth reading;
    `hint` is what to check when nobody is there, unless the route knows better. Raises
    `ProviderError` for whatever goes wrong on the way, `ConfigError` for certificates that cannot
    be used. The caller sets the time."""
    heard = False
    line: Line | None = None
    try:
        line = await route.open(lambda: trust(environ))
        http = line.http
        asked = [("host", endpoint.host_header), *_ALWAYS, *route.headers, *headers]
        request = h11.Request(method="GET", target=route.target, headers=asked)
        line.write([http.send(request) or b"", http.send(h11.EndOfMessage()) or b""])
        head = await _head(line)
        heard = True
        route.check(Reply(head.status, dict(head.headers), streamed=False))
        return await _answer(line, head, wanted(head))
    except FOREIGN as error:
        check = route.hint or hint
        raise fault_of(error, where=route.where, hint=check, answering=heard) from None
    finally:
        if line is not None:
            line.abort()


async def _head(line: Line) -> Head:
    while True:
        event = await _next(line)
        if isinstance(event, h11.Response):
            headers = {name.decode(): value.decode("latin-1") for name, value in event.headers}
            return Head(event.status_code, headers)
        if not isinstance(event, h11.InformationalResponse):
            raise ConnectionResetError


async def _answer(line: Line, head: Head, most: int) -> Answer:
    body = bytearray()
    received = 0
    unpack = _unpacker(head) if most else _as_it_is
    while most:
        event = await _next(line)
        if not isinstance(event, h11.Data):
            break
        received += len(event.data)
        for piece in unpack(bytes(event.data)):
            body += piece
            if len(body) > most:
                break
        if len(body) > most or received > most + _PACKING:
            return Answer(head, bytes(body[:most]), cut=True)
    return Answer(head, bytes(body), cut=False)


async def _next(line: Line) -> object:
    """The next event of HTTP, whatever it takes."""
    while (event := line.http.next_event()) is h11.NEED_DATA:
        data = await line.read()
        if not data and line.http.their_state is h11.SEND_RESPONSE:
            raise ConnectionResetError
        line.http.receive_data(data)
    return event


def _unpacker(head: Head) -> Callable[[bytes], Iterable[bytes]]:
    encoding = head.headers.get("content-encoding", "").strip().lower()
    if encoding in _UNCOMPRESSED:
        return _as_it_is
    if encoding in ENCODINGS:
        return Inflate().pieces
    raise StreamBroken("the answer is compressed in a way that was not asked for")


def _as_it_is(data: bytes) -> Iterable[bytes]:
    return (data,)
