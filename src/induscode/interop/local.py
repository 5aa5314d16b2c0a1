"""A local server as a transport of the SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.launching import Launched
from induscode.interop.limits import QUESTIONS_MOST
from induscode.interop.reading import message_of
from induscode.interop.watch import Watch

__all__ = ["Overture", "local_transport"]

_Answer = JSONRPCResponse | JSONRPCError


@asynccontextmanager
async def local_transport(
    program: Launched, server: str, close_seconds: float, watch: Watch
) -> AsyncGenerator[tuple[Any, Any]]:
    """Nothing of the program is left afterwards."""
    talk = _Talk(program, server, watch)
    tasks = (asyncio.ensure_future(talk.listen()), asyncio.ensure_future(talk.speak()))
    try:
        yield talk.heard, talk.said
    finally:
        talk.close()
        try:
            await program.child.close(close_seconds)
        finally:
            for task in tasks:
                task.cancel()


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


class _Backlog:
    """Entered while a word of ours is not taken yet. The answers to what is asked meanwhile have to
    wait for it, so there is a bound on that."""

    def __init__(self) -> None:
        self._questions = 0
        self._waits = False

    def __enter__(self) -> None:
        self._waits = True

    def __exit__(self, *_: object) -> None:
        self._waits, self._questions = False, 0

    def takes(self, message: JSONRPCMessage) -> bool:
        """Whether this is to be handed on."""
        if not self._waits or not isinstance(message, JSONRPCRequest):
            return True
        self._questions += 1
        return self._questions <= QUESTIONS_MOST


class _Talk:
    """Both directions, each until it ends or we close."""

    def __init__(self, program: Launched, server: str, watch: Watch) -> None:
        self._program = program
        self._server = server
        self._watch = watch
        self._overture = Overture(program)
        self._backlog = _Backlog()
        incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        self._incoming, self.heard = incoming
        self.said, self._outgoing = outgoing

    def close(self) -> None:
        for stream in (self._incoming, self.heard, self.said, self._outgoing):
            stream.close()

    async def listen(self) -> None:
        """Hand on what it says."""
        try:
            async for line in _lines(self._program):
                message = message_of(line)
                if message is None or not self._backlog.takes(message):
                    continue
                if (known := self._overture.hears(message)) is not None:
                    await self._incoming.send(SessionMessage(known))
            self._end(ServerFaultKind.LOST, await self._program.child.ending())
        except ValueError:
            self._end(ServerFaultKind.FRAME_TOO_LONG, "a message of it is too long")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # we closed
        finally:
            self._incoming.close()

    async def speak(self) -> None:
        """Hand on what we say, unless it was said already."""
        try:
            async for each in self._outgoing:
                said, answer = self._overture.asks(each.message)
                if answer is not None:
                    await self._incoming.send(SessionMessage(answer))
                if not said:
                    text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                    with self._backlog:
                        await self._program.child.write(text.encode() + b"\n")
        except (ConnectionError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # it ended, or we closed; the other direction tells
        finally:
            self._outgoing.close()

    def _end(self, kind: ServerFaultKind, why: str) -> None:
        self._watch.end(ServerFault(kind, self._server, why))


async def _lines(program: Launched) -> AsyncIterator[bytes]:
    """What it has said already, then what it says. Raises as `read_line` does."""
    for line in program.heard:
        yield line
    program.heard.clear()
    while line := await program.child.read_line():
        yield line
