"""What every provider over HTTP does alike: send a body, decode the stream, tell a refusal.

A wire brings a `Dialect`: its path, its headers, its encoder, its decoder, and how it words errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol
from urllib.parse import quote

from msgspec import Struct

from induscode.errors import KeyRefused, RequestRejected
from induscode.gateway.endpoint import Endpoint
from induscode.gateway.faults import one_line, retry_after
from induscode.gateway.refusals import Refusal, Sense, fault_of_status
from induscode.gateway.reply import Reply
from induscode.gateway.sse import EventSplitter
from induscode.gateway.transport import HttpTransport, Timeouts, Transport
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, SystemClock
from induscode.kernel.model import Answer, Body, Encoder, ExchangeListener
from induscode.version import VERSION

__all__ = ["Account", "Decoder", "Dialect", "HttpProvider", "Notes", "connect"]

_SHORTEST_KEY = 8
"""A shorter one, such as `none`, is for servers that want any key: it stands in ordinary words."""
_COMPLAINT = b'"error"'


class Decoder(Protocol):
    """Makes an answer of the events of one stream."""

    @property
    def done(self) -> bool:
        """Whether the answer is complete, so that nothing more need be read."""
        ...

    def event(self, data: bytes) -> None:
        """Raises `ProviderError` for an error that comes as an event, or for nonsense."""
        ...

    def answer(self) -> Answer:
        """The whole answer. Raises `StreamBroken` when it is not complete."""
        ...

    def partial(self) -> Answer | None:
        """What arrived, None if nothing did."""
        ...


class Dialect(Struct, frozen=True):
    """One wire. `path` may name the model as `{model}`; `key_headers` are the headers that carry a
    key; `key_variable` and `url_variable` are where people usually set key and address; `sense_of`
    reads of an error's body what its status does not say."""

    wire: str
    path: str
    key_headers: Callable[[str], Sequence[tuple[str, str]]]
    encoder: Callable[[], Encoder]
    decoder: Callable[[ExchangeListener], Decoder]
    told_by: Callable[[bytes], str]
    key_variable: str
    url_variable: str
    headers: tuple[tuple[str, str], ...] = ()
    sense_of: Callable[[bytes], Sense] = lambda _: Sense()


class Account(Struct, frozen=True):
    """Whose model is asked: the provider's name for the user, the model, the key. An empty key is
    for servers that want none. Shows no key when printed."""

    name: str
    model: str
    key: str

    def __repr__(self) -> str:
        return f"Account({self.name}/{self.model})"


class Notes:
    """Passes what a transport reports on to whoever listens to the exchange under way."""

    listener: ExchangeListener | None = None

    def __call__(self, sentence: str) -> None:
        if self.listener is not None:
            self.listener.note(sentence)


class HttpProvider:
    """Sends each body once: retrying is the caller's, because each attempt is an entry. The key
    appears in one header and nowhere else."""

    def __init__(
        self,
        dialect: Dialect,
        account: Account,
        transport: Transport,
        *,
        notes: Notes | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._notes = notes or Notes()
        self._dialect = dialect
        self._account = account
        self._transport = transport
        self._clock = clock or SystemClock()
        self._partial: Answer | None = None
        key = _usable(account.key.strip(), self._key_from())
        self._key = key.encode() if len(key) >= _SHORTEST_KEY else b""
        self._mark = f"[redacted: key of {account.name}]".encode("ascii", "replace")
        self._headers = (
            *(dialect.key_headers(key) if key else ()),
            *dialect.headers,
            ("content-type", "application/json"),
            ("accept", "text/event-stream"),
            ("user-agent", f"induscode/{VERSION}"),
        )

    @property
    def wire(self) -> str:
        return self._dialect.wire

    @property
    def partial(self) -> Answer | None:
        return self._partial

    def encoder(self) -> Encoder:
        return self._dialect.encoder()

    async def exchange(self, body: Body, listener: ExchangeListener, cancel: CancelToken) -> Answer:
        decoder = self._dialect.decoder(listener)
        self._notes.listener = listener
        splitter = EventSplitter()
        self._partial = None
        answer: Answer | None = None

        def feed(chunk: bytes) -> bool:
            for event in splitter.feed(chunk):
                complains = _COMPLAINT in event.data
                decoder.event(self._without_key(event.data) if complains else event.data)
            return decoder.done

        try:
            reply = await self._transport.post(
                self._headers, body.data, on_sent=listener.sent, feed=feed, cancel=cancel
            )
            self._check(reply)
            answer = decoder.answer()
            return answer
        finally:
            if answer is None:
                self._partial = decoder.partial()

    async def close(self) -> None:
        await self._transport.close()

    def _check(self, reply: Reply) -> None:
        if reply.streamed:
            return
        name = self._account.name
        if reply.succeeded:
            kind = reply.headers.get("content-type", "no content type").partition(";")[0]
            shown = one_line(self._without_key(kind.encode()).decode())
            raise RequestRejected(
                f"{name} answers with {shown} instead of an event stream",
                hint=f"check {self._url_from()}",
                status=reply.status,
            )
        sense = self._dialect.sense_of(reply.body)
        waits = (retry_after(reply.headers, self._clock), sense.retry_after)
        raise fault_of_status(
            Refusal(
                status=reply.status,
                told=self._dialect.told_by(self._without_key(reply.body)),
                provider=name,
                model=self._account.model,
                key_from=self._key_from(),
                url_from=self._url_from(),
                retry_after=next((wait for wait in waits if wait is not None), None),
                kind=sense.kind,
            )
        )

    def _without_key(self, said: bytes) -> bytes:
        """A complaint, before anybody cuts it to length: half a key is one too."""
        return said.replace(self._key, self._mark) if self._key else said

    def _key_from(self) -> str:
        return _set_in(self._account.name, self._dialect.key_variable, "the key")

    def _url_from(self) -> str:
        return _set_in(self._account.name, self._dialect.url_variable, "base_url")


def connect(
    dialect: Dialect,
    account: Account,
    base_url: str,
    *,
    idle_timeout: float,
    environ: Mapping[str, str],
) -> HttpProvider:
    """A provider with a transport of its own. No byte is sent yet. Raises `ConfigError`."""
    url_from = _set_in(account.name, dialect.url_variable, "base_url")
    notes = Notes()
    transport = HttpTransport(
        Endpoint.parse(base_url, dialect.path.replace("{model}", quote(account.model))),
        hint=f"check {url_from} or your network",
        timeouts=Timeouts(idle=idle_timeout),
        environ=environ,
        on_reconnect=notes,
    )
    return HttpProvider(dialect, account, transport, notes=notes)


def _set_in(name: str, variable: str, what: str) -> str:
    """Where a person sets something: the usual variable of the vendor, else the file."""
    if variable.lower().startswith((name.lower(), f"google_{name.lower()}")):
        return variable
    return f"{what} of [providers.{name}]"


def _usable(key: str, key_from: str) -> str:
    if key.isascii() and key.isprintable():
        return key
    raise KeyRefused("the key contains characters that no key has", hint=f"check {key_from}")
