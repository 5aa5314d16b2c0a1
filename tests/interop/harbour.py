"""Fleets over real servers, for tests: started, watched until something holds, and ended."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from induscode.capability_deck.mcp_config.servers import (
    RemoteServer,
    ServerConfig,
    Source,
    StdioServer,
    Transport,
)
from induscode.interop.fleet import Fleet
from induscode.interop.ground import Ask, Ground
from induscode.interop.limits import FleetLimits
from induscode.interop.standing import ServerState, Standing
from induscode.kernel.content import Text
from induscode.policy.redaction import Secrets
from induscode.tools.processes.line import Keeper, Mode

SERVERS = Path(__file__).with_name("servers")
SECONDS = 30.0


def local(name: str, *words: str, **more: Any) -> StdioServer:
    return StdioServer(
        name=name,
        source=Source("mcp.json", f"mcpServers.{name}"),
        launch="sha256:x",
        command=words[0],
        args=words[1:],
        **more,
    )


def odd(name: str = "odd", **more: Any) -> StdioServer:
    return local(name, sys.executable, str(SERVERS / "odd.py"), **more)


def raw(behaviour: str, name: str = "", **more: Any) -> StdioServer:
    return local(
        name or behaviour, sys.executable, "-S", str(SERVERS / "raw.py"), behaviour, **more
    )


def remote(url: str, transport: Transport = Transport.HTTP, **more: Any) -> RemoteServer:
    source = Source("mcp.json", "mcpServers.far")
    return RemoteServer(
        name="far", source=source, launch="sha256:x", url=url, transport=transport, **more
    )


async def until(held: Callable[[], Any], seconds: float = SECONDS) -> None:
    """Fails when it does not hold in time."""
    async with asyncio.timeout(seconds):
        while not held():  # noqa: ASYNC110 - another process makes it true
            await asyncio.sleep(0.01)


def said(outcome: Any) -> str:
    """The texts of an outcome, whatever it holds them in."""
    if isinstance(outcome.output, str):
        return outcome.output
    return "\n".join(block.text for block in outcome.output if isinstance(block, Text))


class Harbour:
    """Fleets of one test. `news` is everything that was told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keeper = Keeper()
        self.secrets = Secrets()
        self.news: list[Standing] = []
        self._fleets: list[Fleet] = []
        self._lines: list[Any] = []

    def ground(self, ask: Ask | None = None, **limits: Any) -> Ground:
        fast = {"backoff_seconds": 0.05, "startup_seconds": SECONDS, **limits}
        return Ground(self.keeper, self.folder, os.environ, self.secrets, FleetLimits(**fast), ask)

    async def fleet(self, *servers: ServerConfig, ask: Ask | None = None, **limits: Any) -> Fleet:
        """Settled."""
        made = self.begun(*servers, ask=ask, **limits)
        await made.settled(SECONDS)
        return made

    def begun(self, *servers: ServerConfig, ask: Ask | None = None, **limits: Any) -> Fleet:
        """It connects."""
        made = Fleet(servers, self.ground(ask, **limits), self.news.append)
        self._fleets.append(made)
        made.start()
        return made

    async def serve(self, transport: str, port: int) -> Any:
        """The odd server on a port, until the end of the test or of the line that is returned."""
        words = (sys.executable, str(SERVERS / "odd.py"), transport, str(port))
        return await self.serve_words(words, port)

    async def serve_words(self, words: tuple[str, ...], port: int, **environ: str) -> Any:
        """Any server that listens on a port."""
        null = os.open(os.devnull, os.O_WRONLY)
        try:
            line = await self.keeper.begin(
                words,
                self.folder,
                {**os.environ, **environ},
                outputs=(null, null),
                mode=Mode.FOREGROUND,
            )
        finally:
            os.close(null)
        self._lines.append(line)
        await until(lambda: answers(port))
        return line

    async def close(self) -> None:
        for fleet in self._fleets:
            await fleet.close()
        for line in self._lines:
            line.end(0)
            await line.gone.wait()
            line.close()
        await self.keeper.close()


def answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def state(fleet: Fleet, name: str) -> ServerState:
    return next(each.state for each in fleet.standings() if each.server == name)
