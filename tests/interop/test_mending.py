"""Servers whose answers are not quite what the protocol wants."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.interop.harbour import Harbour, remote, said

CACHED = {"ttlMs": 0, "cacheScope": "private"}
RESULTS: dict[str, dict[str, Any]] = {
    "server/discover": {
        "resultType": "complete",
        **CACHED,
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "terse", "version": "1"},
    },
    "tools/list": {**CACHED, "tools": [{"name": "ping", "inputSchema": {"type": "object"}}]},
    "tools/call": {"content": [{"type": "text", "text": "pong"}]},
}


@pytest.fixture
async def terse() -> AsyncIterator[str]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = head.partition(b"content-length: ")[2].partition(b"\r\n")[0]
        asked = json.loads(await reader.readexactly(int(length or b"0")) or b"{}")
        result = RESULTS.get(asked.get("method", ""))
        told = {"result": result} if result else {"error": {"code": -32601, "message": "no"}}
        body = json.dumps({"jsonrpc": "2.0", "id": asked.get("id"), **told}).encode()
        head = f"content-type: application/json\r\ncontent-length: {len(body)}"
        writer.write(f"HTTP/1.1 200 OK\r\n{head}\r\nconnection: close\r\n\r\n".encode() + body)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
    server.close()
    await server.wait_closed()


async def test_its_answers_are_taken_for_complete_ones(harbour: Harbour, terse: str) -> None:
    fleet = await harbour.fleet(remote(terse))
    assert fleet.standings()[0].protocol == "2026-07-28"
    assert said(await fleet.run("far__ping", {})) == "pong"


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ({"name": "odd", "inputSchema": {}}, "'odd': inputSchema.type: Field required"),
        ({"name": 5, "inputSchema": {"type": "object"}}, "one without a name: name: Input"),
        ({"inputSchema": {"type": "object"}}, "one without a name: name: Field required"),
        ("ping", "one without a name: : Input should be"),
    ],
)
async def test_a_tool_that_is_none_costs_no_other(
    harbour: Harbour, terse: str, monkeypatch: pytest.MonkeyPatch, broken: object, why: str
) -> None:
    listed = {**CACHED, "tools": [broken, {"name": "ping", "inputSchema": {"type": "object"}}]}
    monkeypatch.setitem(RESULTS, "tools/list", listed)

    fleet = await harbour.fleet(remote(terse))

    (standing,) = fleet.standings()
    assert [tool.name for tool in standing.tools] == ["ping"]
    assert standing.fault is not None
    assert f"a tool that it lists is left out: {why}" in standing.fault.message
    assert said(await fleet.run("far__ping", {})) == "pong"
