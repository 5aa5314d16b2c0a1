"""The card `bg-process`, through the deck's own building."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from induscode.capability_deck.cards.bg_process import (
    CAPTURE_FOLDER,
    MAX_BUFFERED_LINES,
    STOP_GRACE_MS,
    daemon_card,
)
from induscode.capability_deck.contract import DeckContext
from induscode.kernel.content import plain_text
from induscode.kernel.tool import AgentTool, ToolResult
from induscode.policy.subject import NoSubject
from induscode.tools.guarded import GuardedShell
from tests.requirements import requirement
from tests.tools.processes.conftest import KEY, MARK, Yard
from tests.tools.processes.escapes import alive, marked
from tests.tools.waiting import BOUND, until


class Card:
    def __init__(self, yard: Yard) -> None:
        self.yard = yard
        self.tool: AgentTool = daemon_card().build(DeckContext(cwd=yard.cwd))

    async def do(self, **arguments: Any) -> ToolResult:
        return await self.tool.execute(arguments, self.yard.context())

    async def told(self, **arguments: Any) -> str:
        result = await self.do(**arguments)
        assert not result.is_error, plain_text(result.content)
        return plain_text(result.content)

    async def ended(self, name: str = "bg1") -> None:
        async with asyncio.timeout(BOUND):
            while await self._runs(name):  # noqa: ASYNC110 - another process makes it true
                await asyncio.sleep(0.01)

    async def _runs(self, name: str) -> bool:
        details = (await self.do(action="list")).details or {}
        return next(each for each in details["processes"] if each["id"] == name)["running"]


@pytest.fixture
def card(yard: Yard) -> Card:
    return Card(yard)


@requirement("deck.cards.daemon.actions")
async def test_start_poll_stop_and_list(card: Card) -> None:
    told = await card.told(action="start", command="echo out; echo wrong >&2; exec sleep 300")
    assert re.match(r"bg1 is running \(pid \d+\)\.\n", told)

    async with asyncio.timeout(BOUND):
        while not ("\nwrong\n" in told and "\nout\n" in told):
            told += await card.told(action="poll", id="bg1")
            await asyncio.sleep(0.01)
    assert "[output]\nout\n" in told
    assert "[errors]\nwrong\n" in told
    assert "bg1 is running" in await card.told(action="list")
    assert (await card.told(action="stop", id="bg1")).startswith("bg1 exited with code 143.")
    assert (await card.told(action="list")).startswith("bg1 exited with code 143.")


@requirement("deck.cards.daemon.buffer-cap", "deck.cards.daemon.capture-files")
async def test_the_last_lines_of_each_stream_stay_and_the_files_have_all(card: Card) -> None:
    assert MAX_BUFFERED_LINES == 2_000
    await card.told(action="start", command="sleep 0.3; seq 5000; seq 7000 >&2")
    await card.ended()

    told = await card.told(action="poll", id="bg1")

    files = [Path(name) for name in re.findall(r"\[all of it: (.*?)\]", told)]
    assert [file.suffix for file in files] == [".out", ".err"]
    assert {file.parent for file in files} == {card.yard.spilled / CAPTURE_FOLDER}
    assert files[0].read_text() == "".join(f"{n}\n" for n in range(1, 5001))
    assert files[1].read_text() == "".join(f"{n}\n" for n in range(1, 7001))
    assert "\n5000\n" in told
    assert "\n7000\n" in told
    dropped = sum(len(f"{n}\n") for n in range(1, 5000 - MAX_BUFFERED_LINES + 1))
    counts = [int(n.replace(",", "")) for n in re.findall(r"\[\.\.\. ([\d,]+) char", told)]
    assert counts[0] >= dropped


async def test_a_stream_keeps_no_more_than_the_lines_promised(card: Card) -> None:
    spawned = await card.yard.shell.spawn("seq 5000", cwd=card.yard.cwd, apart=True)
    await until(lambda: not spawned.running)
    await spawned.wait()

    text, missing = spawned.outputs[0].since(0)

    assert text.splitlines() == [str(n) for n in range(3001, 5001)]
    assert missing == sum(len(f"{n}\n") for n in range(1, 3001))


@requirement("deck.cards.daemon.stop-escalates")
async def test_stop_asks_first_and_kills_after_the_grace(card: Card) -> None:
    assert STOP_GRACE_MS == 3_000
    deaf = marked(card.yard.marker, "trap '' TERM; echo deaf; while :; do sleep 0.05; done")
    await card.told(action="start", command=deaf)
    await until(lambda: len(alive(card.yard.marker)) > 1)

    began = time.monotonic()
    told = await card.told(action="stop", id="bg1")

    assert 3 <= time.monotonic() - began < 5
    assert told.startswith("bg1 exited with code 137.")
    assert alive(card.yard.marker) == []


@requirement("deck.cards.daemon.shell-seam")
async def test_a_command_that_was_not_judged_is_not_started(card: Card) -> None:
    context = replace(card.yard.context(), shell=GuardedShell(card.yard.shell, NoSubject()))

    result = await card.tool.execute({"action": "start", "command": "touch made"}, context)

    assert result.is_error
    assert "not allowed to run that command" in plain_text(result.content)
    assert list(card.yard.cwd.iterdir()) == []


async def test_each_stream_is_without_secrets(card: Card) -> None:
    told = await card.told(action="start", command=f"echo {KEY}; echo {KEY} >&2")
    await card.ended()
    told += await card.told(action="poll", id="bg1")

    assert KEY not in told
    assert told.count(MARK) == 2
    for file in (card.yard.spilled / CAPTURE_FOLDER).iterdir():
        assert file.read_text() == f"{MARK}\n"


async def test_two_cards_do_not_share_their_processes(card: Card) -> None:
    await card.told(action="start", command="sleep 300")

    other = await Card(card.yard).do(action="poll", id="bg1")

    assert other.is_error
    assert "are: none" in plain_text(other.content)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "bg-process needs the argument `action`"),
        ({"action": "wait"}, "`action` of bg-process"),
        ({"action": "start"}, "`command` of bg-process is empty or holds NUL"),
        ({"action": "start", "command": 1}, "`command` of bg-process must be a string"),
        ({"action": "start", "command": "a\0"}, "`command` of bg-process is empty or holds NUL"),
        ({"action": "start", "command": "ls", "cwd": "no"}, "`cwd` of bg-process names no dir"),
        ({"action": "start", "command": "ls", "cwd": 1}, "`cwd` of bg-process must be a string"),
        ({"action": "start", "command": "ls", "detached": 1}, "`detached` of bg-process must"),
        ({"action": "start", "command": "x" * 300_000}, "could not be started: Argument list"),
        ({"action": "poll"}, "The argument `id` is missing; the processes of this session are"),
        ({"action": "poll", "id": "bg9"}, "There is no process 'bg9'"),
        ({"action": "stop", "id": 1}, "`id` of bg-process must be a string"),
        ({"action": "list", "idd": 1}, "Did you mean `id`?"),
    ],
)
async def test_a_wrong_argument_is_told_by_name(
    card: Card, arguments: dict[str, Any], told: str
) -> None:
    result = await card.do(**arguments)

    assert result.is_error
    assert told in plain_text(result.content)
