"""What a server sent back, sorted as it arrives: an event stream is fed on, all else is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import cast

import h11
from msgspec import Struct

from induscode.errors import RequestRejected, StreamBroken

__all__ = ["MAX_ANSWER", "MAX_ERROR_BODY", "Feed", "Reply", "Sink"]

MAX_ANSWER = 64 * 1024 * 1024
MAX_ERROR_BODY = 64 * 1024
_EVENT_STREAM = "text/event-stream"
_SUCCESS = range(200, 300)
_UNCOMPRESSED = frozenset({"", "identity"})

Feed = Callable[[bytes], bool]
"""Takes a piece of the answer; True when nothing more is wanted."""


_ENCODING_NAME = re.compile(r"[a-z, -]{1,24}")


class Reply(Struct, frozen=True):
    """`streamed` says that the answer went to `feed`; otherwise `body` is the start of what the
    server said instead. Names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    streamed: bool
    body: bytes = b""

    @property
    def succeeded(self) -> bool:
        return self.status in _SUCCESS


class Sink:
    """Receives one answer. `heard` is set by whoever reads the first byte of it."""

    def __init__(self, feed: Feed, *, max_answer: int = MAX_ANSWER) -> None:
        self.heard = False
        self.complete = False
        self.begun = False
        self.streamed = False
        self._feed = feed
        self._max_answer = max_answer
        self._size = 0
        self._status = 0
        self._headers: dict[str, str] = {}
        self._aside = bytearray()
        self._unpack: Callable[[bytes], Iterable[bytes]] | None = None

    @property
    def refused(self) -> bool:
        """The head of an answer has come and it is not a stream."""
        return self.begun and not self.streamed

    def begin(self, response: h11.Response) -> None:
        """Raises `RequestRejected` for a stream in an encoding that nobody asked for."""
        self._headers = {name.decode(): value.decode("latin-1") for name, value in response.headers}
        self._status = response.status_code
        kind = self._headers.get("content-type", "").partition(";")[0].strip().lower()
        self.streamed = self._status in _SUCCESS and kind == _EVENT_STREAM
        self.begun = True
        encoding = self._headers.get("content-encoding", "").strip().lower()
        if encoding not in _UNCOMPRESSED:
            self._unpack = self._unpacker(encoding)

    def take(self, data: bytes) -> None:
        """Sets `complete` when enough was taken. Raises what `feed` raises, and `StreamBroken`
        for an answer without end."""
        if self._unpack is None:
            self._take(data)
            return
        for piece in self._unpack(data):
            self._take(piece)
            if self.complete:
                return

    def _unpacker(self, encoding: str) -> Callable[[bytes], Iterable[bytes]]:
        inflate = import_module("induscode.gateway.inflate")
        if encoding in inflate.ENCODINGS:
            return cast("Callable[[bytes], Iterable[bytes]]", inflate.Inflate().pieces)
        if self.streamed:
            raise RequestRejected(
                f"the answer is encoded {_named(encoding)}, which was not asked for",
                hint="see what stands between you and the provider, such as a proxy",
            )
        return lambda _: ()  # the status of an error says enough

    def _take(self, data: bytes) -> None:
        if not self.streamed:
            self._aside += data
            self.complete = len(self._aside) >= MAX_ERROR_BODY
            return
        self._size += len(data)
        if self._size > self._max_answer:
            raise StreamBroken(f"the answer is longer than {self._max_answer} bytes")
        self.complete = self._feed(data)

    def reply(self) -> Reply:
        body = bytes(self._aside[:MAX_ERROR_BODY])
        return Reply(self._status, self._headers, self.streamed, body)


def _named(encoding: str) -> str:
    """A header may say anything, a key too: only what looks like a name is repeated."""
    return f"as {encoding!r}" if _ENCODING_NAME.fullmatch(encoding) else "in an unknown way"
