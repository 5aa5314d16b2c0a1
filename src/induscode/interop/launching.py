"""How a local server is started, and greeted when the SDK is not there yet to do it.

The SDK takes a second to import, in which a server could already answer. So what the SDK is going
to say first is said for it: whether the server knows the newest protocol, and if it does not, the
handshake of the one before. The SDK hears the answers when it asks; see `Overture` in `local.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from induscode.capability_deck.mcp_config.servers import StdioServer
from induscode.interop.child import Child, Tail, started
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.ground import Ground
from induscode.policy.environment import find_program
from induscode.version import VERSION

__all__ = ["Launched", "greeted", "launched"]

_LINES_MOST = 100
_BYTES_MOST = 1024 * 1024
_UNSUPPORTED_VERSION = -32022
_CAPABILITIES: Mapping[str, Any] = {
    "elicitation": {"form": {}, "url": {}},
    "roots": {"listChanged": True},
}
_CLIENT = {"name": "induscode", "version": VERSION}
_DISCOVER: Mapping[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1_000_001,
    "method": "server/discover",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": _CLIENT,
            "io.modelcontextprotocol/clientCapabilities": _CAPABILITIES,
        }
    },
}
_INITIALIZE: Mapping[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1_000_002,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": _CAPABILITIES,
        "clientInfo": _CLIENT,
    },
}


class _Error(Struct, frozen=True):
    code: int


class _Answer(Struct, frozen=True):
    id: str | int | None = None
    error: _Error | None = None


_DECODER = msgspec.json.Decoder(_Answer)


class Launched(Struct, frozen=True):
    """A program that runs. `said` is what it was asked already, `heard` the lines that it has
    answered; both grow until somebody else speaks to it."""

    child: Child
    tail: Tail
    said: list[Mapping[str, Any]]
    heard: list[bytes]


async def launched(server: StdioServer, ground: Ground) -> Launched:
    """Raises `ServerFault` when it does not start. The caller closes the child."""
    environ, folder = ground.environment(server), ground.folder(server)
    found, _ = find_program(server.command, folder, environ)
    if found is None:
        raise _not_started(server.name, f"there is no program {server.command!r}")
    if not folder.is_dir():
        raise _not_started(server.name, f"{server.cwd!r} is no folder to start it in")
    tail = Tail(ground.limits.stderr_bytes, ground.secrets)
    words, most = (str(found), *server.args), ground.limits.frame_bytes
    try:
        child = await started(words, folder, environ, ground.keeper, tail, frame_bytes=most)
    except (OSError, ValueError) as error:
        raise _not_started(server.name, f"it could not be started: {error}") from error
    return Launched(child, tail, [], [])


async def greeted(server: Launched) -> None:
    """Until there is nothing more to say early. To be cancelled when the SDK is there: nothing that
    the server says is lost by that. Whatever is wrong with it will be noticed later, too."""
    try:
        await _said(server, _DISCOVER)
        answer = await _answer(server, _DISCOVER["id"])
        if answer is not None and answer.error and answer.error.code != _UNSUPPORTED_VERSION:
            await _said(server, _INITIALIZE)
    except (ConnectionError, ValueError):
        return


async def _said(server: Launched, message: Mapping[str, Any]) -> None:
    server.said.append(message)
    await server.child.write(msgspec.json.encode(message) + b"\n")


async def _answer(server: Launched, wanted: object) -> _Answer | None:
    """None when there is none, or too much else."""
    size = 0
    while len(server.heard) < _LINES_MOST and size < _BYTES_MOST:
        line = await server.child.read_line()
        if not line:
            return None
        size += len(line)
        server.heard.append(line)
        try:
            found = _DECODER.decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            continue
        if found.id == wanted:
            return found
    return None


def _not_started(server: str, why: str) -> ServerFault:
    return ServerFault(
        ServerFaultKind.NOT_STARTED, server, why, hint="check its command in the configuration"
    )
