"""One network connection as a coroutine uses it: write, learn that it is written, read."""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import Sequence
from typing import cast

import h11

__all__ = ["Line", "open_line"]

_MAX_HEADERS = 64 * 1024
_NEXT_ADDRESS = 0.25
_PIECE = 16 * 1024
_MAX_UNREAD = 16 * _PIECE


class Line(asyncio.Protocol):
    """A connection and the state of HTTP on it. For one user at a time.

    What arrives is handed over by `read` in small pieces, other tasks having their turn between
    two of them: a flood cannot keep a cancellation waiting. Reading pauses while much is unread.
    `reused` says that an earlier exchange succeeded on this line.
    """

    def __init__(self) -> None:
        self.http = _http()
        self.reused = False
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._chunks: deque[bytes] = deque()
        self._unread = 0
        self._writing = False
        self._closed = False
        self._lost = False
        self._error: Exception | None = None
        self._kept_since = 0.0

    def keep(self) -> None:
        """An exchange ended well; the next may use this line."""
        self.reused = True
        self._kept_since = self._loop.time()

    def age(self) -> float:
        """Seconds since it was kept."""
        return self._loop.time() - self._kept_since

    @property
    def quiet(self) -> bool:
        """Open, everything written, and nothing on it that nobody asked for."""
        return not self._closed and not self._writing and not self._chunks

    def write(self, pieces: Sequence[bytes]) -> None:
        if self._transport is not None:
            # Not `writelines`: it joins its pieces, and a body can be megabytes.
            for piece in pieces:
                self._transport.write(piece)

    async def written(self) -> bool:
        """Wait until the system took every byte. False if the other side spoke or hung up first."""
        while self._writing and not self._chunks and not self._closed:
            await self._wait()
        return not self._writing and not self._closed

    async def read(self) -> bytes:
        """What arrived since the last time; empty at the end. Raises the OSError that ended it."""
        while not self._chunks:
            if self._error is not None:
                raise self._error
            if self._closed:
                return b""
            await self._wait()
        data = self._chunks.popleft()
        self._unread -= len(data)
        if self._chunks:
            await asyncio.sleep(0)
        elif self._transport is not None:
            self._transport.resume_reading()
        return data

    async def secure(self, tls: ssl.SSLContext, host: str) -> None:
        """Speak TLS from here on, and HTTP anew. Raises what the system raises."""
        if self._transport is None or self._closed or self._chunks or self.http.trailing_data[0]:
            raise ConnectionResetError
        self.http = _http()
        inner = await self._loop.start_tls(self._transport, self, tls, server_hostname=host)
        if inner is None:
            raise ConnectionResetError
        self.connection_made(inner)

    def abort(self) -> None:
        """Close now; what is on the way or unread is dropped."""
        self._closed = True
        self._chunks.clear()
        if self._transport is not None:
            self._transport.abort()
        self._wake()

    async def gone(self) -> None:
        """Wait until nothing is left of a line that was aborted."""
        while self._transport is not None and not self._lost:
            await self._wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        # TLS compares with "at least" where plain sockets compare with "more than": at a limit of
        # nought it would pause a line that has nothing to write.
        secure = transport.get_extra_info("sslcontext") is not None
        self._transport.set_write_buffer_limits(high=int(secure), low=0)

    def data_received(self, data: bytes) -> None:
        if self._closed:
            return
        self._unread += len(data)
        if len(data) <= _PIECE:
            self._chunks.append(data)
        else:
            self._chunks.extend(data[at : at + _PIECE] for at in range(0, len(data), _PIECE))
        if self._unread > _MAX_UNREAD and self._transport is not None:
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        self._closed = True
        self._wake()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed = self._lost = True
        self._error = self._error or exc
        self._wake()

    def pause_writing(self) -> None:
        self._writing = True

    def resume_writing(self) -> None:
        self._writing = False
        self._wake()

    async def _wait(self) -> None:
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def _http() -> h11.Connection:
    return h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_HEADERS)


async def open_line(host: str, port: int, tls: ssl.SSLContext | None) -> Line:
    """Connect. Raises what the system raises."""
    loop = asyncio.get_running_loop()
    _, line = await loop.create_connection(
        Line, host, port, ssl=tls, happy_eyeballs_delay=_NEXT_ADDRESS
    )
    return line
