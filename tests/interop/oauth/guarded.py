"""An MCP server, made with the SDK, that lets nobody in without a token for it.

    python guarded.py

Prints its port. Every /NAME/mcp is a server of its own: POST /NAME/habits says who issues its
tokens and what it says of that, GET /NAME/seen tells which tokens came.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections import defaultdict
from typing import Any
from urllib.request import urlopen

import uvicorn
from mcp.server.mcpserver import MCPServer

WELL_KNOWN = "/.well-known/oauth-protected-resource"
ORDERLY: dict[str, Any] = {
    "issuers": [],  # whom it names
    "judge": "",  # whom it believes
    "resource": None,  # what it calls itself
    "tells": True,  # whether it says any of that
    "open": False,  # whether what is asked without a token is answered
    "hint": True,  # whether a refusal says where to look
    "scope": "",  # what a refusal asks for
    "demands": "",  # what a token must be good for to call a tool
}
HABITS: dict[str, dict[str, Any]] = defaultdict(lambda: dict(ORDERLY))
SEEN: dict[str, list[str]] = defaultdict(list)
server = MCPServer("guarded")


@server.tool()
def whoami() -> str:
    """Say who."""
    return "you are in"


class Guard:
    def __init__(self, inner: Any, own: str) -> None:
        self._inner = inner
        self._own = own

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        path: str = scope["path"]
        if path.startswith(WELL_KNOWN):
            await self._tell(path.removeprefix(WELL_KNOWN).split("/")[1:], send)
            return
        name, _, verb = path.removeprefix("/").partition("/")
        match verb:
            case "habits":
                HABITS[name].update(json.loads((await receive())["body"]))
                await answer(send, 200, {})
            case "seen":
                await answer(send, 200, SEEN[name])
            case "mcp" if await self._lacks(name, scope):
                more = f'Bearer error="insufficient_scope", scope="{HABITS[name]["demands"]}"'
                await answer(send, 403, {}, (b"www-authenticate", more.encode()))
            case "mcp" if await self._admits(name, scope):
                await self._inner({**scope, "path": "/mcp", "raw_path": b"/mcp"}, receive, send)
            case "mcp":
                await self._refuse(name, send)
            case _:
                await answer(send, 404, {})

    async def _tell(self, names: list[str], send: Any) -> None:
        habits = HABITS[names[0]] if names else ORDERLY
        if not habits["issuers"] or not habits["tells"]:
            await answer(send, 404, {})
            return
        resource = habits["resource"] or f"{self._own}/{names[0]}/mcp"
        told = {"resource": resource, "authorization_servers": habits["issuers"]}
        await answer(send, 200, told)

    async def _refuse(self, name: str, send: Any) -> None:
        habits = HABITS[name]
        place = f'resource_metadata="{self._own}{WELL_KNOWN}/{name}/mcp"'
        scope = f'scope="{habits["scope"]}"' if habits["scope"] else ""
        parts = ", ".join(filter(None, (place, scope))) if habits["hint"] else ""
        await answer(send, 401, {}, (b"www-authenticate", f"Bearer {parts}".strip().encode()))

    async def _lacks(self, name: str, scope: Any) -> bool:
        """Whether a token is good enough to come in, but not for this."""
        habits, headers = HABITS[name], dict(scope["headers"])
        token = headers.get(b"authorization", b"").decode().removeprefix("Bearer ")
        if not (habits["demands"] and token and headers.get(b"mcp-method") == b"tools/call"):
            return False
        about = await asyncio.to_thread(checked, f"{habits['judge']}/check?token={token}")
        return about is not None and habits["demands"] not in about["scope"].split()

    async def _admits(self, name: str, scope: Any) -> bool:
        habits = HABITS[name]
        headers = dict(scope["headers"])
        token = headers.get(b"authorization", b"").decode().removeprefix("Bearer ")
        SEEN[name].append(token)
        if not token:
            return habits["open"]
        about = await asyncio.to_thread(checked, f"{habits['judge']}/check?token={token}")
        return about is not None and about["resource"] == f"{self._own}/{name}/mcp"


def checked(address: str) -> Any:
    with urlopen(address) as answered:
        return json.load(answered)


async def answer(send: Any, status: int, told: Any, *headers: tuple[bytes, bytes]) -> None:
    body = json.dumps(told).encode()
    own = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*own, *headers]})
    await send({"type": "http.response.body", "body": body})


if __name__ == "__main__":
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    app = Guard(server.streamable_http_app(), f"http://127.0.0.1:{port}")
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run([listening])
