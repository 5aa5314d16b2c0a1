"""One HTTP exchange on a connection of its own: any method, of the answer as much as is wanted.

For everything that is no model: pages of the web, services of connectors. Nothing is followed,
repeated or kept.
"""

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
from induscode.gateway.watch import Watch
from induscode.version import VERSION

__all__ = ["Answer", "Asked", "Head", "ask", "get"]

_HINT = "check the address and the network"
_USER_AGENT = ("user-agent", f"induscode/{VERSION}")
_UNCOMPRESSED = frozenset({"", "identity"})
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
_PACKING = 64 * 1024
"""Bytes that may come without unpacking to anything."""


class Asked(Struct, frozen=True):
    """A request but for where it goes. Shows no header when printed: one may hold a credential."""

    method: str = "GET"
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""

    def __repr__(self) -> str:
        return f"Asked({self.method})"


class Head(Struct, frozen=True):
    """Names of headers are in lower case; of a repeated one, the last counts."""

    status: int
    reason: str
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


Wanted = Callable[[Head], int]
"""Sees the head and says how many bytes of the body, unpacked, are worth reading."""


async def get(
    route: Route,
    endpoint: Endpoint,
    headers: Sequence[tuple[str, str]],
    *,
    environ: Mapping[str, str],
    wanted: Wanted,
    hint: str = _HINT,
) -> Answer:
    """`hint` says what a person may check when nothing comes. Raises `ProviderError` for whatever
    goes wrong on the way, `ConfigError` for certificates that cannot be used. The caller sets the
    time."""
    line: Line | None = None
    asked = Asked(headers=(_USER_AGENT, ("accept-encoding", "gzip, deflate"), *headers))
    heard: list[Head] = []

    def begun(head: Head) -> int:
        heard.append(head)
        return wanted(head)

    try:
        line = await route.open(lambda: trust(environ))
        return await ask(line, route, endpoint, asked, begun)
    except FOREIGN as error:
        told = route.hint or hint
        raise fault_of(error, where=route.where, hint=told, answering=bool(heard)) from None
    finally:
        if line is not None:
            line.abort()


async def ask(
    line: Line,
    route: Route,
    endpoint: Endpoint,
    asked: Asked,
    wanted: Wanted,
    watch: Watch | None = None,
) -> Answer:
    """On an open line, which the caller closes. `watch` is told of every byte. Raises what the
    system and HTTP raise (`FOREIGN`), and `StreamBroken`."""
    line.write(_bytes_of(line.http, route, endpoint, asked))
    await line.written()
    head = await _head(line, watch)
    route.check(Reply(head.status, dict(head.headers), streamed=False))
    return await _answer(line, head, wanted(head), watch)


def _bytes_of(http: h11.Connection, route: Route, endpoint: Endpoint, asked: Asked) -> list[bytes]:
    headers = [
        ("host", endpoint.host_header),
        ("connection", "close"),
        *route.headers,
        *asked.headers,
    ]
    if asked.body or asked.method not in _BODILESS:
        headers.append(("content-length", str(len(asked.body))))
    head = h11.Request(method=asked.method, target=route.target, headers=headers)
    pieces = [http.send(head), http.send(h11.Data(data=asked.body)) if asked.body else b""]
    return [piece or b"" for piece in (*pieces, http.send(h11.EndOfMessage()))]


async def _head(line: Line, watch: Watch | None) -> Head:
    while True:
        event = await _next(line, watch)
        if isinstance(event, h11.Response):
            headers = {name.decode(): value.decode("latin-1") for name, value in event.headers}
            return Head(event.status_code, event.reason.decode("latin-1"), headers)
        if not isinstance(event, h11.InformationalResponse):
            raise ConnectionResetError


async def _answer(line: Line, head: Head, most: int, watch: Watch | None) -> Answer:
    body = bytearray()
    received = 0
    unpack = _unpacker(head) if most else _as_it_is
    while most:
        event = await _next(line, watch)
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


async def _next(line: Line, watch: Watch | None) -> object:
    """The next event of HTTP, whatever it takes. An end that we made ourselves is none."""
    while (event := line.http.next_event()) is h11.NEED_DATA:
        data = await line.read()
        ours = watch is not None and watch.closed_it
        if not data and (ours or line.http.their_state is h11.SEND_RESPONSE):
            raise ConnectionResetError
        if watch is not None:
            watch.touch()
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
