"""Answers of an address that do not grow for ever."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

__all__ = ["bound"]


def bound(response: httpx2.Response, most: int | None) -> None:
    """Cut its body off with an error when it is too long, if there is a bound. Raises `StreamError`
    for one that is packed, which was not asked for: what it unpacks to could be anything."""
    encoding = response.headers.get("content-encoding", "identity")
    if encoding != "identity":
        raise httpx2.StreamError(f"it answers in {encoding!r}, which was not asked for")
    if most is not None and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream, most)


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
