"""`indus --rpc`: standard input and output belong to the protocol, and to nothing else."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from induscode.boot.assemble import open_session
from induscode.boot.invocation import Invocation
from induscode.boot.running import RunningSession
from induscode.boot.surroundings import Surroundings
from induscode.channels.rpc import RpcServer
from induscode.channels.rpcperson import RpcPerson
from induscode.channels.rpcstreams import LineWriter, read_lines
from induscode.kernel.events import Event
from induscode.kernel.scrubbing import scrub_json

__all__ = ["serve"]

_INTERRUPTED = 130
_SECONDS_TO_END = 10.0
_SECONDS_TO_SEND = 5.0


async def serve(invocation: Invocation, around: Surroundings) -> int:
    """Serve until `shutdown` (0), the end of input once all is answered (0), or a signal or a lost
    client (130). Raises as `open_session` does, before a byte is written."""
    person = RpcPerson()
    host = _Host(invocation, around, person)
    incoming, outgoing = _own_streams()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    writer = LineWriter(outgoing, lambda: loop.call_soon_threadsafe(stop.set))
    _watch_for_hangup(loop, outgoing, stop.set)
    server = RpcServer(host, person, lambda line: writer.put(scrub_json(line, around.secrets)))
    try:
        host.open(server.show)
        code = await _until_the_end(server, host, person, incoming, stop)
        await _bounded(server.finish())
        return code
    finally:
        await host.driver.close()
        writer.close(_SECONDS_TO_SEND)


async def _until_the_end(
    server: RpcServer, host: _Host, person: RpcPerson, incoming: int, stop: asyncio.Event
) -> int:
    async def listen() -> None:
        async for line in read_lines(incoming):
            server.receive(line)
        # No more answers can come; what runs may end, and its results are still read.
        person.leave()
        await server.finish()

    listening = asyncio.ensure_future(listen())
    endings = {
        asyncio.ensure_future(stop.wait()),
        asyncio.ensure_future(server.over.wait()),
        listening,
    }
    await asyncio.wait(endings, return_when=asyncio.FIRST_COMPLETED)
    for ending in endings:
        ending.cancel()
    await asyncio.wait(endings)
    host.driver.cancel("the client has gone" if stop.is_set() else "the client shut it down")
    return _INTERRUPTED if stop.is_set() and not server.over.is_set() else 0


async def _bounded(work: Coroutine[Any, Any, None]) -> None:
    """A tool that cannot be stopped must not keep us: the log is valid at every moment."""
    try:
        async with asyncio.timeout(_SECONDS_TO_END):
            await work
    except TimeoutError:
        return


class _Host:
    """The session that is served; another may take its place while it is idle."""

    def __init__(self, invocation: Invocation, around: Surroundings, person: RpcPerson) -> None:
        self._invocation = invocation
        self._around = around
        self._person = person
        self._emit: Callable[[Event], None] = _drop
        self.driver = self._opened(invocation)

    def open(self, emit: Callable[[Event], None]) -> None:
        """From now on events go to `emit`, beginning with which session this is."""
        self._emit = emit
        self.driver.open(cwd=str(self._around.cwd))

    async def resume(self, wanted: str) -> None:
        path = self._around.store.find(wanted, self._around.workspace)
        if path.stem == self.driver.session:
            return
        before = self.driver
        self.driver = self._opened(
            msgspec.structs.replace(self._invocation, resume=path.stem, fork=None)
        )
        await before.close()
        self.open(self._emit)

    def _opened(self, invocation: Invocation) -> RunningSession:
        tell, person = self._tell, self._person
        return open_session(invocation, self._around, tell, person=person, waits=False)

    def _tell(self, event: Event) -> None:
        self._emit(event)


def _drop(event: Event) -> None:
    del event


def _own_streams() -> tuple[int, int]:
    """Take the standard streams for ourselves: whatever else reads or writes them, here or in a
    child, gets nothing and speaks to standard error."""
    incoming, outgoing = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    sys.stdout.flush()
    os.dup2(2, 1)
    return incoming, outgoing


def _watch_for_hangup(
    loop: asyncio.AbstractEventLoop, outgoing: int, hung_up: Callable[[], None]
) -> None:
    """Notice a client that went away even while there is nothing to write to it."""
    if not stat.S_ISFIFO(os.fstat(outgoing).st_mode):
        return

    def gone() -> None:
        loop.remove_reader(outgoing)
        hung_up()

    loop.add_reader(outgoing, gone)
