"""Answers of the newer protocol that do not say of what kind they are.

They should. The SDK takes them for none then, which would lose the result of a call that was made;
the protocol wants them taken for complete ones.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Self

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCResponse
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

__all__ = ["completing"]

_KIND = "resultType"


@asynccontextmanager
async def completing(
    transport: AbstractAsyncContextManager[tuple[Any, Any]], protocol: Callable[[], str]
) -> AsyncGenerator[tuple[Any, Any]]:
    """The same transport. `protocol` tells the version that was agreed on."""
    async with transport as (heard, said):
        yield _Heard(heard, protocol), said


class _Heard:
    """What is heard of a server, as the SDK reads it."""

    def __init__(self, inner: Any, protocol: Callable[[], str]) -> None:
        self._inner = inner
        self._protocol = protocol

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        return self._complete(await self._inner.receive())

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> _Heard:
        return self

    async def __anext__(self) -> Any:
        return self._complete(await self._inner.__anext__())

    def _complete(self, heard: Any) -> Any:
        match heard:
            case SessionMessage(message=JSONRPCResponse(result=result)) if _KIND not in result:
                if self._protocol() in MODERN_PROTOCOL_VERSIONS:
                    result[_KIND] = "complete"
            case _:
                pass
        return heard
