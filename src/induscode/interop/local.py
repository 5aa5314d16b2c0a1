"""A local server as a transport of the SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)

from induscode.interop.child import Child
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.launching import Launched
from induscode.interop.watch import Watch

__all__ = ["Overture", "local_transport"]

_Incoming = MemoryObjectSendStream[SessionMessage | Exception]
_Answer = JSONRPCResponse | JSONRPCError


class Overture:
    """What the SDK asks, joined to what was asked for it before it was there. Where the two differ,
    the SDK is right: its own question goes out, and the answer to ours is dropped."""

    def __init__(self, program: Launched) -> None:
        self._said = {each["id"]: {**each, "id": None} for each in program.said}
        self._asked: dict[RequestId, RequestId] = {}
        self._held: dict[RequestId, _Answer] = {}

    def asks(self, message: JSONRPCMessage) -> tuple[bool, _Answer | None]:
        """Whether this was asked already, and the answer if there is one."""
        if not self._said or not isinstance(message, JSONRPCRequest):
            return False, None
        same = {**message.model_dump(by_alias=True, exclude_unset=True), "id": None}
        early = next((name for name, said in self._said.items() if said == same), None)
        if early is None:
            return False, None
        del self._said[early]
        held = self._held.pop(early, None)
        if held is None:
            self._asked[early] = message.id
            return True, None
        return True, held.model_copy(update={"id": message.id})

    def hears(self, message: JSONRPCMessage) -> JSONRPCMessage | None:
        """As the SDK knows it, or None when the SDK has not asked for it yet."""
        if not isinstance(message, _Answer) or message.id is None:
            return message
        if message.id in self._said:
            self._held[message.id] = message
            return None
        asked = self._asked.pop(message.id, None)
        return message if asked is None else message.model_copy(update={"id": asked})


@asynccontextmanager
async def local_transport(
    program: Launched, server: str, close_seconds: float, watch: Watch
) -> AsyncGenerator[tuple[Any, Any]]:
    """Nothing of the program is left afterwards."""
    child, overture = program.child, Overture(program)
    incoming, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    said, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = (
        asyncio.ensure_future(_listen(program, incoming, overture, server, watch)),
        asyncio.ensure_future(_speak(child, outgoing, incoming, overture)),
    )
    try:
        yield heard, said
    finally:
        for stream in (incoming, heard, said, outgoing):
            stream.close()
        try:
            await child.close(close_seconds)
        finally:
            for task in tasks:
                task.cancel()


async def _listen(
    program: Launched, incoming: _Incoming, overture: Overture, server: str, watch: Watch
) -> None:
    """Hand on what it says until that ends. What is no message is dropped: some servers greet."""
    try:
        async for line in _lines(program):
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                continue
            if (known := overture.hears(message)) is not None:
                await incoming.send(SessionMessage(known))
        watch.end(ServerFault(ServerFaultKind.LOST, server, await program.child.ending()))
    except ValueError:
        watch.end(
            ServerFault(ServerFaultKind.FRAME_TOO_LONG, server, "a message of it is too long")
        )
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        return  # we closed
    finally:
        incoming.close()


async def _lines(program: Launched) -> AsyncIterator[bytes]:
    """What it has said already, then what it says. Raises as `read_line` does."""
    for line in program.heard:
        yield line
    program.heard.clear()
    while line := await program.child.read_line():
        yield line


async def _speak(
    child: Child,
    outgoing: MemoryObjectReceiveStream[SessionMessage],
    incoming: _Incoming,
    overture: Overture,
) -> None:
    try:
        async for each in outgoing:
            said, answer = overture.asks(each.message)
            if answer is not None:
                await incoming.send(SessionMessage(answer))
            if not said:
                text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                await child.write(text.encode() + b"\n")
    except (ConnectionError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        return  # it ended, or we closed; the other direction tells
    finally:
        outgoing.close()
