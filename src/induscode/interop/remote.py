"""A server at an address as a transport of the SDK, bounded and watched."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Self

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from induscode.capability_deck.mcp_config.servers import RemoteServer, Transport
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.watch import Watch

__all__ = ["remote_transport", "status_of", "unreached"]

_CONNECT_SECONDS = 10.0
_BAD_STATUS = 400


@asynccontextmanager
async def remote_transport(
    server: RemoteServer, frame_bytes: int, watch: Watch
) -> AsyncGenerator[tuple[Any, Any]]:
    """The two streams that the SDK wants. Raises what the SDK and its HTTP client do."""
    client = _Dialer(server, frame_bytes, watch)
    match server.transport:
        case Transport.HTTP:
            async with (
                client() as http,
                streamable_http_client(
                    server.url, http_client=http, max_sse_event_size=frame_bytes
                ) as streams,
            ):
                yield streams
        case Transport.SSE:
            async with sse_client(server.url, httpx_client_factory=client) as (heard, said):
                yield _Heard(heard, server.name, watch), said


def status_of(error: BaseException) -> int:
    """What an address answered instead of what was wanted, 0 when it is about something else."""
    return error.response.status_code if isinstance(error, httpx2.HTTPStatusError) else 0


def unreached(error: BaseException) -> bool:
    return isinstance(error, httpx2.HTTPError | OSError)


class _Dialer:
    """Makes HTTP clients that carry a server's headers and look at every answer."""

    def __init__(self, server: RemoteServer, most: int, watch: Watch) -> None:
        self._server = server
        self._most = most
        self._watch = watch

    def __call__(
        self,
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        """No time for reading is set, whatever is asked: deadlines of calls are the connection's,
        and a stream of events may be silent for hours."""
        look: Callable[[httpx2.Response], Awaitable[None]] = self._look
        return httpx2.AsyncClient(
            headers={**(headers or {}), **self._server.headers, "accept-encoding": "identity"},
            timeout=httpx2.Timeout(_CONNECT_SECONDS, read=None),
            auth=auth,
            event_hooks={"response": [look]},
        )

    async def _look(self, response: httpx2.Response) -> None:
        # Only for what was asked: an address need not have a stream of events.
        if response.status_code >= _BAD_STATUS and response.request.method == "POST":
            self._watch.status = response.status_code
        encoding = response.headers.get("content-encoding", "identity")
        if encoding != "identity":
            raise httpx2.StreamError(f"it answers in {encoding!r}, which was not asked for")
        streamed = response.headers.get("content-type", "").startswith("text/event-stream")
        if not streamed and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream, self._most)


class _Bounded(httpx2.AsyncByteStream):
    """A body that is cut off with an error when it is too long."""

    def __init__(self, inner: httpx2.AsyncByteStream, most: int) -> None:
        self._inner = inner
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._inner:
            size += len(piece)
            if size > self._most:
                raise httpx2.StreamError(f"its answer has over {self._most} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Heard:
    """What is heard of a server, as the SDK reads it; the end of it is noticed."""

    def __init__(self, inner: Any, server: str, watch: Watch) -> None:
        self._inner = inner
        self._server = server
        self._watch = watch

    @property
    def last_context(self) -> Any:
        return self._inner.last_context

    async def receive(self) -> Any:
        return await self._inner.receive()

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> _Heard:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._inner.__anext__()
        except StopAsyncIteration:
            self._watch.end(
                ServerFault(ServerFaultKind.LOST, self._server, "it closed the connection")
            )
            raise
