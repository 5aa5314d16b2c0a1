"""How a server is started or reached, as one line that a person may see: without its secrets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

from induscode.capability_deck.mcp_config.servers import RemoteServer, ServerConfig, StdioServer
from induscode.policy.environment import looks_secret
from induscode.policy.redaction import mark

__all__ = ["launch_line", "transport_of"]

_USER_INFO = re.compile(r"(?<=://)[^/?#@\s]+(?=@)")
_PARAMETER = re.compile(r"(?<=[?&;])([^=&;#\s]+)=([^&;#\s]+)")
_ASSIGNED = re.compile(r"(-*[A-Za-z_][\w.-]*)=(.+)", re.DOTALL)


def transport_of(server: ServerConfig) -> str:
    match server:
        case StdioServer():
            return "stdio"
        case RemoteServer(transport=transport):
            return transport


def launch_line(server: ServerConfig) -> str:
    """All that its launch digest covers, whole. What a name calls secret (a variable, a flag, a
    field of an address) stands there as a mark; of headers only the names do."""
    match server:
        case StdioServer():
            words = [*_environment(server), server.command, *_arguments(server.args)]
            where = f" (in {shlex.quote(server.cwd)})" if server.cwd else ""
            return shlex.join(words) + where
        case RemoteServer():
            parts = [_address(server.url)]
            if server.headers:
                parts.append(f"with the headers {', '.join(sorted(server.headers))}")
            if server.oauth is not None and server.oauth.client_id:
                parts.append(f"as the client {server.oauth.client_id}")
            return " ".join(parts)


def _environment(server: StdioServer) -> Iterator[str]:
    for name, value in sorted(server.env.items()):
        yield f"{name}={mark(name) if looks_secret(name, value) else value}"


def _arguments(args: Sequence[str]) -> Iterable[str]:
    """A value is one that follows a flag, or is assigned to a name, that says secret."""
    before = ""
    for arg in args:
        assigned = _ASSIGNED.fullmatch(arg)
        if before and not arg.startswith("-"):
            yield mark(before)
        elif assigned is not None and looks_secret(assigned[1]):
            yield f"{assigned[1]}={mark(assigned[1].lstrip('-'))}"
        else:
            yield _address(arg) if "://" in arg else arg
        before = arg.lstrip("-") if arg.startswith("-") and looks_secret(arg) else ""
        if assigned is not None:
            before = ""


def _address(text: str) -> str:
    bare = _USER_INFO.sub(mark("user"), text)
    return _PARAMETER.sub(_parameter, bare)


def _parameter(found: re.Match[str]) -> str:
    return f"{found[1]}={mark(found[1])}" if looks_secret(found[1]) else found[0]
