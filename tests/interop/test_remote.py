"""Addresses that answer what they should not."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable

import pytest

from induscode.capability_deck.mcp_config.servers import RemoteServer
from induscode.interop.connection import Connection
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.standing import ServerState
from tests.interop.harbour import Harbour, remote, said, state, until

Answer = tuple[int, dict[str, str], bytes]
JSON = {"content-type": "application/json"}


class Site:
    """An HTTP server that answers each message as `answer` says, and keeps the headers it got."""

    def __init__(self) -> None:
        self.answer: Callable[[dict], Answer] = honest
        self.headers: list[dict[str, str]] = []
        self.port = 0
        self.held: dict[str, asyncio.Event] = {}
        """Calls with this `name` among their arguments are answered when it is set."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        pairs = (line.partition(": ") for line in lines[1:] if line)
        headers = {name.lower(): value for name, _, value in pairs}
        self.headers.append(headers)
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        posted = lines[0].startswith("POST")
        if posted and (held := self.held.get(named(json.loads(body)))):
            await held.wait()
        status, more, content = self.answer(json.loads(body)) if posted else (405, {}, b"")
        told = {**more, "content-length": str(len(content)), "connection": "close"}
        head = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        writer.write(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + content)
        writer.close()


def named(asked: dict) -> str:
    return asked.get("params", {}).get("arguments", {}).get("name", "")


def honest(asked: dict) -> Answer:
    """A server of 2025-11-25 with sessions."""
    if "id" not in asked:
        return 202, {}, b""
    results = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "site", "version": "1"},
        },
        "tools/list": {"tools": [{"name": "ping", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": "pong"}]},
    }
    reply = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] not in results:
        return 400, JSON, json.dumps({**reply, "error": {"code": -32601, "message": "no"}}).encode()
    body = json.dumps({**reply, "result": results[asked["method"]]}).encode()
    return 200, {**JSON, "mcp-session-id": "s1"}, body


def for_calls(answer: Callable[[dict], Answer]) -> Callable[[dict], Answer]:
    return lambda asked: (answer if asked["method"] == "tools/call" else honest)(asked)


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = Site()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()
    await server.wait_closed()


def far(site: Site, **more) -> RemoteServer:
    return remote(f"http://127.0.0.1:{site.port}/mcp", **more)


async def fault_of(harbour: Harbour, site: Site) -> ServerFault:
    """Of a call."""
    made = Connection(far(site), harbour.ground(frame_bytes=100_000), lambda _: None)
    await made.open()
    with pytest.raises(ServerFault) as caught:
        await made.call("ping", {})
    await made.close()
    return caught.value


async def test_headers_of_the_row_are_sent_and_are_secrets(harbour: Harbour, site: Site) -> None:
    server = far(site, headers={"Authorization": "Bearer token-of-the-row"})
    fleet = await harbour.fleet(server)
    assert said(await fleet.run("far__ping", {})) == "pong"
    assert {each["authorization"] for each in site.headers} == {"Bearer token-of-the-row"}
    assert "token-of-the-row" not in harbour.secrets.text("I know token-of-the-row.")


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refusal_is_told_as_one_and_not_tried_again(
    harbour: Harbour, site: Site, status: int
) -> None:
    site.answer = lambda _: (status, {}, b"")
    fleet = await harbour.fleet(far(site))
    assert state(fleet, "far") is ServerState.FAILED
    fault = fleet.standings()[0].fault
    assert fault is not None
    assert fault.kind is ServerFaultKind.NOT_AUTHORIZED


async def test_a_refusal_of_the_newer_handshake_counts_whatever_the_older_one_gets(
    harbour: Harbour, site: Site
) -> None:
    site.answer = lambda asked: (401 if asked["method"] == "server/discover" else 400, {}, b"")
    fleet = await harbour.fleet(far(site))
    fault = fleet.standings()[0].fault
    assert fault is not None
    assert fault.kind is ServerFaultKind.NOT_AUTHORIZED


async def test_an_answer_without_end_is_cut_off(harbour: Harbour, site: Site) -> None:
    site.answer = for_calls(lambda _: (200, JSON, b" " * 200_000))
    assert "over 100000 bytes" in str(await fault_of(harbour, site))


async def test_an_encoding_that_was_not_asked_for_is_not_unpacked(
    harbour: Harbour, site: Site
) -> None:
    packed = gzip.compress(b" " * 50_000)
    site.answer = for_calls(lambda _: (200, {**JSON, "content-encoding": "gzip"}, packed))
    assert "gzip" in str(await fault_of(harbour, site))


@pytest.mark.parametrize(
    "answer",
    [(500, {}, b"boom"), (200, JSON, b"{"), (200, {"content-type": "text/html"}, b"<p>")],
    ids=["status", "half", "page"],
)
async def test_what_is_no_answer_is_a_fault_of_that_call(
    harbour: Harbour, site: Site, answer: Answer
) -> None:
    site.answer = for_calls(lambda _: answer)
    fleet = await harbour.fleet(far(site))
    assert (await fleet.run("far__ping", {})).is_error
    site.answer = honest
    assert said(await fleet.run("far__ping", {})) == "pong"


async def test_a_server_that_forgot_the_session_is_connected_to_again(
    harbour: Harbour, site: Site
) -> None:
    fleet = await harbour.fleet(far(site))
    site.answer = for_calls(lambda _: (404, {}, b""))
    assert (await fleet.run("far__ping", {})).is_error
    assert "did not run" in said(await fleet.run("far__ping", {}))
    site.answer = honest
    await until(lambda: [each.state for each in harbour.news].count(ServerState.READY) == 2)
    assert said(await fleet.run("far__ping", {})) == "pong"


async def test_what_one_call_is_answered_is_not_told_of_another(
    harbour: Harbour, site: Site
) -> None:
    def answer(asked: dict) -> Answer:
        if named(asked) == "refused":
            return 403, {}, b""
        error = {"code": -32000, "message": "not today"}
        return 200, JSON, json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}).encode()

    site.answer = for_calls(answer)
    site.held["failing"] = asyncio.Event()
    made = Connection(far(site), harbour.ground(), lambda _: None)
    await made.open()
    failing = asyncio.ensure_future(made.call("ping", {"name": "failing"}))
    with pytest.raises(ServerFault) as refused:
        await made.call("ping", {"name": "refused"})
    site.held["failing"].set()
    with pytest.raises(ServerFault) as failed:
        await failing
    assert refused.value.kind is ServerFaultKind.NOT_AUTHORIZED
    assert failed.value.kind is ServerFaultKind.FAILED
    assert "403" not in str(failed.value)
    await made.close()
