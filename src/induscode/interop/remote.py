"""A server at an address as a transport of the SDK, bounded and watched."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Self

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from induscode.capability_deck.mcp_config.servers import RemoteServer, Transport
from induscode.interop.bounded import bound
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.oauth.bearer import Bearer
from induscode.interop.watch import Watch

__all__ = ["remote_transport", "status_of", "unreached"]

_CONNECT_SECONDS = 10.0
_BAD_STATUS = 400


@asynccontextmanager
async def remote_transport(
    server: RemoteServer, frame_bytes: int, watch: Watch, bearer: Bearer | None = None
) -> AsyncGenerator[tuple[Any, Any]]:
    """The two streams that the SDK wants. With a `bearer`, every request has the server's login.
    Raises what the SDK and its HTTP client do."""
    client = _Dialer(server, frame_bytes, watch, bearer)
    async with AsyncExitStack() as stack:
        if bearer is not None:
            stack.push_async_callback(bearer.close)
        match server.transport:
            case Transport.HTTP:
                http = await stack.enter_async_context(client())
                yield await stack.enter_async_context(
                    streamable_http_client(
                        server.url, http_client=http, max_sse_event_size=frame_bytes
                    )
                )
            case Transport.SSE:
                heard, said = await stack.enter_async_context(
                    sse_client(server.url, httpx_client_factory=client)
                )
                yield _Heard(heard, server.name, watch), said


def status_of(error: BaseException) -> int:
    """What an address answered instead of what was wanted, 0 when it is about something else."""
    return error.response.status_code if isinstance(error, httpx2.HTTPStatusError) else 0


def unreached(error: BaseException) -> bool:
    return isinstance(error, httpx2.HTTPError | OSError)


class _Dialer:
    """Makes HTTP clients that carry a server's headers and look at every answer."""

    def __init__(
        self, server: RemoteServer, most: int, watch: Watch, bearer: Bearer | None
    ) -> None:
        self._server = server
        self._most = most
        self._watch = watch
        self._bearer = bearer

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
            auth=auth or self._bearer,
            event_hooks={"response": [look]},
        )

    async def _look(self, response: httpx2.Response) -> None:
        # Only for what was asked: an address need not have a stream of events.
        if response.status_code >= _BAD_STATUS and response.request.method == "POST":
            self._watch.answered(response.status_code)
        streamed = response.headers.get("content-type", "").startswith("text/event-stream")
        bound(response, None if streamed else self._most)


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
