"""Answers that are not quite what the protocol wants, mended so that one fault costs no more.

The SDK takes an answer as a whole or not at all. One of the newer protocol that does not say of
what kind it is would lose the result of a call that was made: it counts as complete, as the
protocol wants. A list with a tool that is none would lose the others: that tool is left out.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Self

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCResponse
from mcp.types.methods import parse_server_result
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from induscode.interop.translating import first_problem

__all__ = ["mending"]

_KIND = "resultType"
_TOOLS = "tools"
_LIST = "tools/list"
_EARLIER = "2025-11-25"
_SHOWN = 80


@asynccontextmanager
async def mending(
    transport: AbstractAsyncContextManager[tuple[Any, Any]],
    protocol: Callable[[], str],
    left_out: Callable[[str], None],
) -> AsyncGenerator[tuple[Any, Any]]:
    """The same transport. `protocol` tells the version that was agreed on; `left_out` hears of each
    tool that is none, and why."""
    async with transport as (heard, said):
        yield _Heard(heard, protocol, left_out), said


class _Heard:
    """What is heard of a server, as the SDK reads it."""

    def __init__(
        self, inner: Any, protocol: Callable[[], str], left_out: Callable[[str], None]
    ) -> None:
        self._inner = inner
        self._protocol = protocol
        self._left_out = left_out

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        return self._mended(await self._inner.receive())

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> _Heard:
        return self

    async def __anext__(self) -> Any:
        return self._mended(await self._inner.__anext__())

    def _mended(self, heard: Any) -> Any:
        match heard:
            case SessionMessage(message=JSONRPCResponse(result=result)):
                version = self._protocol()
                if _KIND not in result and version in MODERN_PROTOCOL_VERSIONS:
                    result[_KIND] = "complete"
                if isinstance(result.get(_TOOLS), list):
                    self._keep_sound(result, version or _EARLIER)
            case _:
                pass
        return heard

    def _keep_sound(self, result: dict[str, Any], version: str) -> None:
        if _problem(result, version) is None:
            return
        sound: list[Any] = []
        for tool in result[_TOOLS]:
            problem = _problem({**result, _TOOLS: [tool]}, version)
            if problem is None:
                sound.append(tool)
            else:
                self._left_out(f"{_named(tool)}: {problem}")
        if sound or not result[_TOOLS]:
            result[_TOOLS] = sound


def _problem(result: dict[str, Any], version: str) -> str | None:
    try:
        parse_server_result(_LIST, version, result)
    except ValidationError as error:
        return first_problem(error, below=2)
    except (KeyError, ValueError):
        return None  # not a version that has such lists: the SDK says so
    return None


def _named(tool: Any) -> str:
    match tool:
        case {"name": str(name)}:
            return repr(name[:_SHOWN])
        case _:
            return "one without a name"
