"""HTTP to a provider: one request at a time over a kept connection, the answer fed as it comes.

`HttpTransport` is h11 over an asyncio protocol of our own: a third of the CPU of a general client,
as measured. It keeps one connection; if that turns out dead before a byte of the answer arrived, it
connects anew, once. It follows no redirects and asks for no compression, but understands it.
Proxies are routes (`route.py`, `proxy.py`), private certificate authorities are in `tls.py`; both
come from the environment that is handed in.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Protocol, cast

import h11
from msgspec import Struct

from induscode.errors import NetworkFailed, ProviderError, StreamBroken
from induscode.gateway.endpoint import Endpoint
from induscode.gateway.faults import FOREIGN, fault_of
from induscode.gateway.line import Line
from induscode.gateway.reply import MAX_ANSWER, Feed, Reply, Sink
from induscode.gateway.route import Tls, route_to
from induscode.gateway.watch import Watch
from induscode.kernel.cancel import CancelToken

__all__ = ["Headers", "HttpTransport", "Timeouts", "Transport"]

Headers = Sequence[tuple[str, str]]

_TRUST_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


class Timeouts(Struct, frozen=True):
    """Seconds. `idle`: how long a provider may send nothing; `kept`: how long an unused connection
    is trusted; `settle`: how long a finished answer may take to end its HTTP message;
    `refusal`: how long the text of an error may take."""

    connect: float = 10.0
    idle: float = 120.0
    kept: float = 60.0
    settle: float = 0.25
    refusal: float = 5.0


class Transport(Protocol):
    """The one thing a provider needs of a network."""

    async def post(
        self,
        headers: Headers,
        body: bytes,
        *,
        on_sent: Callable[[], None],
        feed: Feed,
        cancel: CancelToken,
    ) -> Reply:
        """Send, and feed the answer if it is a successful event stream.

        `on_sent` is called once, when the last byte is handed to the system. What it or `feed`
        raises ends the exchange and comes out. Raises `ProviderError`, and `Cancelled` at once
        when the token is; the connection is closed then.
        """
        ...

    async def close(self) -> None: ...


class _Stale(Exception):
    """A kept connection was dead; nothing of the answer had arrived."""


class _Job(Struct, frozen=True):
    """One request to be sent, perhaps twice."""

    head: h11.Request
    body: bytes
    on_sent: Callable[[], None]
    cancel: CancelToken


class HttpTransport:
    """`hint` says what a person may check when the endpoint cannot be reached; `on_reconnect` hears
    a sentence whenever a kept connection had to be replaced. `environ` says which proxy to go
    through and whom to trust, unless `tls` says so. Raises `ConfigError` when a variable of it
    cannot be used. Not for concurrent use."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        hint: str = "check your network",
        timeouts: Timeouts | None = None,
        on_reconnect: Callable[[str], None] | None = None,
        environ: Mapping[str, str] | None = None,
        tls: Tls | None = None,
        max_answer: int = MAX_ANSWER,
    ) -> None:
        given: Mapping[str, str] = environ or {}
        self._endpoint = endpoint
        self._route = route_to(endpoint, given)
        self._hint = self._route.hint or hint
        self._tls = tls or (_trusting(given) if self._route.secure else _system())
        self._max_answer = max_answer
        self._timeouts = timeouts or Timeouts()
        self._on_reconnect = on_reconnect
        self._kept: Line | None = None

    async def post(
        self,
        headers: Headers,
        body: bytes,
        *,
        on_sent: Callable[[], None],
        feed: Feed,
        cancel: CancelToken,
    ) -> Reply:
        cancel.check()
        job = _Job(self._head(headers, len(body)), body, _once(on_sent), cancel)
        line = self._take_kept()
        if line is not None:
            try:
                return await self._exchange(line, job, self._sink(feed))
            except _Stale:
                self._report("the kept connection was dead, the request goes out on a new one")
        line = await self._connect(cancel)
        return await self._exchange(line, job, self._sink(feed))

    async def close(self) -> None:
        line, self._kept = self._kept, None
        if line is not None:
            line.abort()
            await line.gone()

    def _head(self, headers: Headers, length: int) -> h11.Request:
        ours = [
            ("host", self._endpoint.host_header),
            ("accept-encoding", "identity"),
            ("content-length", str(length)),
            *self._route.headers,
        ]
        try:
            return h11.Request(method="POST", target=self._route.target, headers=[*ours, *headers])
        except FOREIGN as error:
            raise self._fault(error, None) from None

    def _sink(self, feed: Feed) -> Sink:
        return Sink(feed, max_answer=self._max_answer)

    def _take_kept(self) -> Line | None:
        line, self._kept = self._kept, None
        if line is None or line.age() > self._timeouts.kept:
            if line is not None:
                line.abort()
            return None
        if not line.quiet:
            line.abort()
            self._report("the kept connection had been closed, a new one is opened")
            return None
        return line

    async def _connect(self, cancel: CancelToken) -> Line:
        try:
            return await cancel.run(self._open())
        except FOREIGN as error:
            raise self._fault(error, None) from None

    async def _open(self) -> Line:
        async with asyncio.timeout(self._timeouts.connect):
            return await self._route.open(self._tls)

    async def _exchange(self, line: Line, job: _Job, sink: Sink) -> Reply:
        watch = Watch(line, job.cancel, self._timeouts.idle)
        keep = False
        try:
            await self._send(line, job)
            await self._receive(line, job, sink, watch)
            if sink.streamed:
                job.on_sent()  # an answer may overtake the end of its request
            keep = await self._settle(line, sink)
            reply = sink.reply()
            self._route.check(reply)
            return reply
        except FOREIGN as error:
            job.cancel.check()
            if sink.refused:
                return sink.reply()
            if line.reused and not sink.heard and isinstance(error, OSError):
                raise _Stale from None
            raise self._fault(error, sink) from None
        finally:
            watch.stop()
            if keep:
                self._keep(line)
            else:
                line.abort()

    async def _send(self, line: Line, job: _Job) -> None:
        http = line.http
        line.write([
            http.send(job.head) or b"",
            *(http.send_with_data_passthrough(h11.Data(data=job.body)) or ()),
            *(http.send_with_data_passthrough(h11.EndOfMessage()) or ()),
        ])  # fmt: skip
        if await line.written():
            job.on_sent()

    async def _receive(self, line: Line, job: _Job, sink: Sink, watch: Watch) -> None:
        """Until the message ends or the sink has enough."""
        while not sink.complete:
            event = line.http.next_event()
            if isinstance(event, h11.Data):
                sink.take(event.data)
            elif event is h11.NEED_DATA:
                data = await line.read()
                if not data:
                    self._ended_early(job, sink, watch)
                sink.heard = sink.heard or bool(data)
                watch.touch()
                line.http.receive_data(data)
            elif isinstance(event, h11.Response):
                sink.begin(event)
                if sink.refused:
                    watch.shorten(self._timeouts.refusal)
            elif not isinstance(event, h11.InformationalResponse):
                return

    def _ended_early(self, job: _Job, sink: Sink, watch: Watch) -> None:
        """The line is closed: by us, for a reason that comes first, or by the other side."""
        job.cancel.check()
        if watch.went_silent and not sink.refused:
            raise self._silence(sink)
        if not sink.heard:
            raise ConnectionResetError

    async def _settle(self, line: Line, sink: Sink) -> bool:
        """Read to the end of the HTTP message, so that the line can serve again."""
        if sink.refused and sink.complete:
            return False
        try:
            async with asyncio.timeout(self._timeouts.settle):
                while line.http.their_state is h11.SEND_BODY:
                    if line.http.next_event() is h11.NEED_DATA:
                        line.http.receive_data(await line.read())
        except FOREIGN:
            return False
        if line.http.our_state is not h11.DONE or line.http.their_state is not h11.DONE:
            return False
        line.http.start_next_cycle()
        return line.quiet

    def _keep(self, line: Line) -> None:
        line.keep()
        if self._kept is not None:
            self._kept.abort()
        self._kept = line

    def _silence(self, sink: Sink) -> ProviderError:
        told = f"{self._endpoint.where} sent nothing for {self._timeouts.idle:g} s"
        return StreamBroken(told) if sink.heard else NetworkFailed(told, hint=self._hint)

    def _fault(self, error: Exception, sink: Sink | None) -> ProviderError:
        return fault_of(
            error,
            where=self._route.where,
            hint=self._hint,
            answering=sink is not None and sink.heard and sink.begun,
        )

    def _report(self, sentence: str) -> None:
        if self._on_reconnect is not None:
            self._on_reconnect(f"{self._endpoint.where}: {sentence}")


def _system() -> Tls:
    """Trusts whom the system trusts; read when first needed."""
    return cache(ssl.create_default_context)


def _trusting(environ: Mapping[str, str]) -> Tls:
    if not any(environ.get(name) for name in _TRUST_VARIABLES):
        return _system()
    module = import_module("induscode.gateway.tls")
    context = cast("Callable[[Mapping[str, str]], ssl.SSLContext]", module.trust)(environ)
    return lambda: context


def _once(call: Callable[[], None]) -> Callable[[], None]:
    calls = [call]

    def first() -> None:
        if calls:
            calls.pop()()

    return first
