"""Servers that die, hang, shout or ask too much: told honestly, ended wholly, paid by nobody."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from induscode.capability_deck.mcp_config.servers import StdioServer
from induscode.interop.connection import Connection
from induscode.interop.faults import ServerFaultKind
from induscode.interop.ground import Asked, Reply
from induscode.interop.limits import QUESTIONS_MOST
from induscode.interop.standing import ServerState
from tests.interop.harbour import Harbour, local, odd, raw, said, state, until


def with_grandchild(server: StdioServer, pids: Path) -> StdioServer:
    """The same server, which starts another program first; the ids of both are in the file."""
    script = f'sleep 1000 >/dev/null & echo $$ $! >> {pids}; exec {server.command} "$@"'
    return local(server.name, "/bin/sh", "-c", script, "sh", *server.args)


def lives(pid: str) -> bool:
    """Also as a zombie."""
    return Path("/proc", pid).exists()


async def test_a_server_killed_in_a_call_leaves_nothing_and_comes_back(
    harbour: Harbour, tmp_path: Path
) -> None:
    pids, mark = tmp_path / "pids", tmp_path / "mark"
    fleet = await harbour.fleet(with_grandchild(odd(), pids), raw("plain"))
    before = fleet.descriptors()
    call = asyncio.ensure_future(fleet.run("odd__slow", {"mark": str(mark)}))
    await until(mark.exists)
    server, grandchild = pids.read_text().split()
    os.kill(int(server), signal.SIGKILL)
    outcome = await call
    assert outcome.is_error
    assert "ended by signal 9" in said(outcome)
    assert "Whether odd__slow had an effect is not known" in said(outcome)
    assert said(await fleet.run("plain__ping", {})) == "pong"
    await until(lambda: len(pids.read_text().split()) == 4)
    await until(lambda: state(fleet, "odd") is ServerState.READY)
    assert not lives(server)
    assert not lives(grandchild)
    assert fleet.descriptors() == before
    assert said(await fleet.run("odd__echo", {"text": "back"})) == "back"
    assert [each.state for each in harbour.news if each.server == "plain"] == [
        ServerState.CONNECTING,
        ServerState.READY,
    ]


async def test_a_server_that_closes_its_output_is_lost_though_it_lives(
    harbour: Harbour, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    fleet = await harbour.fleet(with_grandchild(raw("mute"), pids), close_seconds=0.2)
    outcome = await fleet.run("mute__ping", {})
    assert "it closed its standard output" in said(outcome)
    assert "Whether mute__ping had an effect is not known" in said(outcome)
    await until(lambda: len(pids.read_text().split()) == 4)
    assert not any(lives(pid) for pid in pids.read_text().split()[:2])


async def test_a_server_that_will_not_end_is_ended(harbour: Harbour, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    fleet = await harbour.fleet(with_grandchild(raw("stubborn"), pids), close_seconds=0.2)
    assert said(await fleet.run("stubborn__ping", {})) == "pong"
    async with asyncio.timeout(5):
        await fleet.close()
    assert not any(lives(pid) for pid in pids.read_text().split())


async def test_a_hundred_megabytes_of_complaints_cost_neither_the_call_nor_memory(
    harbour: Harbour,
) -> None:
    ground = harbour.ground()
    made = Connection(raw("loud"), ground, lambda _: None)
    await made.open()
    assert said(await made.call("ping", {})) == "pong"
    assert len(made.said()) <= ground.limits.stderr_bytes
    await made.close()


async def test_a_server_that_asks_without_reading_is_not_heard_for_ever(harbour: Harbour) -> None:
    fleet = await harbour.fleet(raw("nagging", call_seconds=2.5), raw("plain"), close_seconds=0.2)
    most = 0
    call = asyncio.ensure_future(fleet.run("nagging__ping", {}))
    while not call.done():
        await asyncio.wait((call,), timeout=0.05)
        most = max(most, len(asyncio.all_tasks()))
    assert "no answer within 2.5 s" in said(call.result())
    assert most < QUESTIONS_MOST + 50
    assert said(await fleet.run("plain__ping", {})) == "pong"


async def test_the_person_is_not_asked_more_than_so_many_things_at_once(harbour: Harbour) -> None:
    asked: list[Asked] = []

    async def ask(question: Asked) -> Reply:
        asked.append(question)
        await asyncio.Event().wait()
        return Reply()

    fleet = await harbour.fleet(raw("curious"), ask=ask)
    assert said(await fleet.run("curious__ping", {})) == "pong"
    assert len(asked) == QUESTIONS_MOST


async def test_a_server_that_ends_right_after_the_handshake_is_tried_again(
    harbour: Harbour, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Connection.open

    async def open_and_lose(self: Connection) -> None:
        await opened(self)
        await self.over.wait()

    monkeypatch.setattr(Connection, "open", open_and_lose)
    fleet = await harbour.fleet(raw("brief"), attempts=3)
    await until(lambda: state(fleet, "brief") is ServerState.FAILED)
    assert [each.state for each in harbour.news].count(ServerState.WAITING) == 2
    fault = fleet.standings()[0].fault
    assert fault is not None
    assert fault.kind is ServerFaultKind.LOST
