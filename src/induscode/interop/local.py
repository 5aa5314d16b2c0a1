"""A local server as a transport of the SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from induscode.capability_deck.mcp_config.servers import StdioServer
from induscode.interop.child import Child, Tail, started
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.ground import Ground
from induscode.interop.watch import Watch
from induscode.policy.environment import find_program

__all__ = ["local_transport"]


@asynccontextmanager
async def local_transport(
    server: StdioServer, ground: Ground, tail: Tail, watch: Watch
) -> AsyncGenerator[tuple[Any, Any]]:
    """Nothing of the program is left afterwards. Raises `ServerFault` when it does not start."""
    child = await _start(server, ground, tail)
    incoming, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    said, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = (
        asyncio.ensure_future(_listen(child, incoming, server.name, watch)),
        asyncio.ensure_future(_speak(child, outgoing)),
    )
    try:
        yield heard, said
    finally:
        for stream in (incoming, heard, said, outgoing):
            stream.close()
        try:
            await child.close(ground.limits.close_seconds)
        finally:
            for task in tasks:
                task.cancel()


async def _start(server: StdioServer, ground: Ground, tail: Tail) -> Child:
    environ, folder = ground.environment(server), ground.folder(server)
    found, _ = find_program(server.command, folder, environ)
    if found is None:
        raise _not_started(server.name, f"there is no program {server.command!r}")
    if not folder.is_dir():
        raise _not_started(server.name, f"{server.cwd!r} is no folder to start it in")
    try:
        return await started(
            (str(found), *server.args),
            folder,
            environ,
            ground.keeper,
            tail,
            frame_bytes=ground.limits.frame_bytes,
        )
    except (OSError, ValueError) as error:
        raise _not_started(server.name, f"it could not be started: {error}") from error


def _not_started(server: str, why: str) -> ServerFault:
    return ServerFault(
        ServerFaultKind.NOT_STARTED, server, why, hint="check its command in the configuration"
    )


async def _listen(
    child: Child,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    server: str,
    watch: Watch,
) -> None:
    """Hand on what it says until that ends. What is no message is dropped: some servers greet."""
    try:
        while line := await child.read_line():
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                continue
            await incoming.send(SessionMessage(message))
        watch.end(ServerFault(ServerFaultKind.LOST, server, await child.ending()))
    except ValueError:
        watch.end(
            ServerFault(ServerFaultKind.FRAME_TOO_LONG, server, "a message of it is too long")
        )
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        return  # we closed
    finally:
        incoming.close()


async def _speak(child: Child, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
    try:
        async for each in outgoing:
            text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            await child.write(text.encode() + b"\n")
    except (ConnectionError, anyio.ClosedResourceError):
        return  # it ended, or we closed; the other direction tells
    finally:
        outgoing.close()
