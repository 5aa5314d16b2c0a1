"""The one way to a connection: the program of a local server starts while the SDK is imported.

The SDK takes about a second to import, which would hold the loop. It is imported in a thread, once,
when the first server is to be connected; nothing else on the way to a fleet imports it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from induscode.capability_deck.mcp_config.servers import RemoteServer, ServerConfig, StdioServer
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.ground import Ground
from induscode.interop.launching import Launched, greeted, launched
from induscode.interop.offers import Offer

if TYPE_CHECKING:
    from induscode.interop.connection import Connection

__all__ = ["Opener"]


class Opener:
    """Shared by all servers of a fleet."""

    def __init__(self) -> None:
        self._loading: asyncio.Future[Any] | None = None

    async def open(
        self, server: ServerConfig, ground: Ground, changed: Callable[[Offer], None]
    ) -> Connection:
        """One that is open. Raises `ServerFault`; nothing is left of it then."""
        loading = self._load()
        match server:
            case StdioServer():
                ground.learn_secrets(server)
                program = await launched(server, ground)
            case RemoteServer():
                program = None
        try:
            made = await _loaded(loading, server.name, program)
        except BaseException:
            if program is not None:
                await program.child.close(0)
            raise
        connection: Connection = made(server, ground, changed, program)
        await connection.open()
        return connection

    def _load(self) -> asyncio.Future[Any]:
        if self._loading is None or (self._loading.done() and self._loading.exception()):
            loop = asyncio.get_running_loop()
            self._loading = loop.run_in_executor(
                None, import_module, "induscode.interop.connection"
            )
        return self._loading


async def _loaded(loading: asyncio.Future[Any], server: str, program: Launched | None) -> Any:
    """The class of connections. A program is greeted meanwhile."""
    early = None
    if program is not None and not loading.done():
        early = asyncio.ensure_future(greeted(program))
    try:
        return (await asyncio.shield(loading)).Connection
    except ImportError as error:
        raise ServerFault(
            ServerFaultKind.NOT_STARTED,
            server,
            f"what speaks to MCP servers cannot be imported: {error}",
            hint='install it with: pip install "induscode[mcp]"',
        ) from error
    finally:
        if early is not None:
            early.cancel()
            await asyncio.wait((early,))
