"""How a fleet comes up from a cold start: programs first, then the SDK, and nobody waits twice."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.fleet import measure_mcp
from induscode.capability_deck.mcp_config.servers import StdioServer
from induscode.interop import launching
from induscode.interop.connection import Connection
from induscode.interop.launching import greeted, launched
from induscode.interop.opening import Opener
from induscode.interop.standing import ServerState
from tests.interop.harbour import Harbour, local, odd, raw, said, state, until
from tests.test_budgets import exceeded, unobserved

__all__ = ["unobserved"]  # a fixture


@pytest.mark.long
@pytest.mark.timeout(180)
@pytest.mark.usefixtures("unobserved")
def test_ten_servers_that_take_a_second_each_are_mounted_in_one_and_80_ms_a_server() -> None:
    names = ("ten servers, slow to start", "ten servers, slow to answer")
    assert exceeded(lambda: measure_mcp(1), *names) == []


def overheard(server: StdioServer, log: Path) -> StdioServer:
    """The same server, and a file of all that it is told."""
    script = f'tee {log} | "$@"'
    return local(server.name, "/bin/sh", "-c", script, "sh", server.command, *server.args)


def methods(log: Path) -> list[str]:
    return [json.loads(line)["method"] for line in log.read_text().splitlines()]


async def greeted_first(harbour: Harbour, server: StdioServer, *, answered: bool) -> Connection:
    """Connected, but only after the server was greeted without the SDK."""
    program = await launched(server, harbour.ground())
    early = asyncio.ensure_future(greeted(program))
    await until(early.done if answered else lambda: program.said)
    early.cancel()
    await asyncio.wait((early,))
    made = Connection(server, harbour.ground(), lambda _: None, program)
    await made.open()
    return made


@pytest.mark.parametrize("answered", [True, False], ids=["answered", "not yet answered"])
async def test_what_was_said_before_the_sdk_was_there_is_not_said_again(
    harbour: Harbour, tmp_path: Path, answered: bool
) -> None:
    old = await greeted_first(harbour, overheard(raw("plain"), tmp_path / "old"), answered=answered)
    new = await greeted_first(harbour, overheard(odd(), tmp_path / "new"), answered=answered)
    assert (old.protocol, new.protocol) == ("2025-11-25", "2026-07-28")
    assert said(await old.call("ping", {})) == "pong"
    assert said(await new.call("echo", {"text": "hi"})) == "hi"
    await asyncio.gather(old.close(), new.close())
    told = methods(tmp_path / "old")
    assert told[:3] == ["server/discover", "initialize", "notifications/initialized"]
    assert told.count("initialize") == told.count("server/discover") == 1
    assert methods(tmp_path / "new").count("server/discover") == 1


async def test_where_the_sdk_asks_something_else_it_gets_its_own_answer(
    harbour: Harbour, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other: dict[str, Any] = {**launching._INITIALIZE, "params": {"protocolVersion": "2024-11-05"}}
    monkeypatch.setattr(launching, "_INITIALIZE", other)
    made = await greeted_first(harbour, overheard(raw("plain"), tmp_path / "log"), answered=True)
    assert said(await made.call("ping", {})) == "pong"
    await made.close()
    assert methods(tmp_path / "log").count("initialize") == 2


@pytest.mark.parametrize("behaviour", ["greeting", "malformed", "silent", "endless-line"])
async def test_no_server_can_hold_up_its_own_greeting(harbour: Harbour, behaviour: str) -> None:
    program = await launched(raw(behaviour), harbour.ground(frame_bytes=100_000))
    early = asyncio.ensure_future(greeted(program))
    await until(lambda: early.done() or behaviour == "silent")
    assert len(program.heard) <= launching._LINES_MOST
    early.cancel()
    await asyncio.wait((early,))
    await program.child.close(0)


async def test_a_fleet_closed_while_the_sdk_is_imported_leaves_nothing(
    harbour: Harbour, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(Opener, "_load", lambda _: never)
    pid = tmp_path / "pid"
    script = f'echo $$ > {pid}; exec {raw("plain").command} "$@"'
    server = local("plain", "/bin/sh", "-c", script, "sh", *raw("plain").args)
    fleet = harbour.begun(server)
    await until(lambda: pid.exists() and pid.read_text().strip())
    assert state(fleet, "plain") is ServerState.CONNECTING
    await fleet.close()
    assert state(fleet, "plain") is ServerState.CLOSED
    await until(lambda: not Path("/proc", pid.read_text().strip()).exists())


WITHOUT_SDK = """
import asyncio, sys
from pathlib import Path
sys.modules["mcp"] = None
from tests.interop.harbour import Harbour, raw, remote
async def main():
    harbour = Harbour(Path(sys.argv[1]))
    fleet = await harbour.fleet(raw("plain"), remote("http://127.0.0.1:9/"))
    for standing in fleet.standings():
        print(standing.state, standing.fault.message, standing.fault.hint)
    await harbour.close()
asyncio.run(main())
"""


def test_without_the_sdk_each_server_says_what_to_install(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_SDK, str(tmp_path)],
        capture_output=True, text=True, timeout=50, check=True,
    )  # fmt: skip
    lines = ran.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("failed ")
        assert "induscode[mcp]" in line
    assert ran.stderr == ""
