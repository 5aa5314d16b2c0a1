"""`indus mcp login SERVER`: through a browser, or by hand where there is none."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TextIO

from induscode.capability_deck.mcp_config.servers import RemoteServer, ServerConfig, StdioServer
from induscode.channels.terminal import safe
from induscode.errors import UsageError
from induscode.interop.oauth.credential import Vault, has_own_key
from induscode.interop.oauth.limits import LOGIN_SECONDS
from induscode.policy.environment import child_environment
from induscode.policy.redaction import Secrets

__all__ = ["Browse", "Terminal", "login_server", "opens_browser", "wanted_server"]

Browse = Callable[[str], bool]
_DISPLAYS = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS")
_LINE_BYTES = 64 * 1024


class Terminal:
    """Where the person is: what they read, what they may paste, and how their browser is opened.
    Without `browse` they go there by hand, and may paste the address that they end at."""

    def __init__(self, out: TextIO, pasted: TextIO, browse: Browse | None) -> None:
        self.out = out
        self.pasted = pasted
        self.browse = browse

    def say(self, text: str) -> None:
        self.out.write(f"{safe(text)}\n")
        self.out.flush()


def wanted_server(name: str, servers: Iterable[ServerConfig]) -> RemoteServer:
    """The server to log in to. Raises `UsageError` when there is none, or nothing to log in to."""
    known = {each.name: each for each in servers}
    match known.get(name):
        case None:
            names = ", ".join(known) or "none"
            raise UsageError(f"there is no MCP server {name!r}", hint=f"configured: {names}")
        case StdioServer():
            raise UsageError(
                f"the MCP server {name!r} is a program of this machine, and has no login",
                hint="give it what it needs in `env` of its row",
            )
        case RemoteServer() as server if has_own_key(server):
            raise UsageError(
                f"the MCP server {name!r} is let in by its row, and needs no login",
                hint="remove the Authorization header, or what stands before the @ of its address",
            )
        case RemoteServer() as server:
            return server


async def login_server(
    server: RemoteServer,
    vault: Vault,
    secrets: Secrets,
    terminal: Terminal,
    *,
    seconds: float = LOGIN_SECONDS,
) -> None:
    """Until the person logged in. Raises `ServerFault`; `ConfigError` when it cannot be kept."""
    from induscode.interop.oauth.login import Visit, login

    async def show(visit: Visit) -> None:
        terminal.say(f"{server.name} at {server.url} asks you to log in at {visit.issuer}")
        if visit.before and visit.before != visit.issuer:
            terminal.say(f"note: until now you were logged in at {visit.before}")
        if terminal.browse is not None and terminal.browse(visit.address):
            terminal.say("your browser shows it; if it does not, go to:")
        else:
            terminal.say("go to:")
        terminal.say(f"\n  {visit.address}\n")
        if terminal.browse is None:
            terminal.say("and, if you end at a page that does not load, paste its address here:")

    async def pasted(wrong: str) -> str:
        if wrong:
            terminal.say(f"{wrong}; try again:")
        return await _line(terminal.pasted)

    done = await login(
        server,
        vault,
        secrets,
        show,
        pasted=pasted if terminal.browse is None else None,
        seconds=seconds,
    )
    terminal.say(f"{server.name} is logged in at {done.issuer}; the login is kept in {done.place}")


def opens_browser(environ: Mapping[str, str], secrets: Secrets) -> Browse:
    """Opens an address in the person's browser; False when there is none. It gets no secret."""
    given = child_environment(environ, also=_DISPLAYS, secrets=secrets)

    def opened(address: str) -> bool:
        if sys.platform == "darwin":
            word = "open"
        elif any(given.get(name) for name in _DISPLAYS[:3]):
            word = given.get("BROWSER") or "xdg-open"
        else:
            return False
        try:
            shown = subprocess.Popen(
                [word, address],
                env=given,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            return False
        # Somebody has to hear of its end; it may come after ours.
        threading.Thread(target=shown.wait, daemon=True).start()
        return True

    return opened


async def _line(stream: TextIO) -> str:
    """The next line that the person gives; empty at the end. Nothing waits for it when this is
    cancelled, so that a process can end."""
    loop = asyncio.get_running_loop()
    file = stream.fileno()
    line: asyncio.Future[str] = loop.create_future()
    kept = bytearray()

    def ready() -> None:
        data = os.read(file, _LINE_BYTES)
        kept.extend(data)
        if not line.done() and (not data or b"\n" in data or len(kept) > _LINE_BYTES):
            line.set_result(kept.decode(errors="replace"))

    try:
        loop.add_reader(file, ready)
    except PermissionError:  # a plain file: it is all there
        return os.read(file, _LINE_BYTES).decode(errors="replace")
    try:
        return await line
    finally:
        loop.remove_reader(file)
