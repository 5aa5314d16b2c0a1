"""Nothing that a command started outlives it, however it tried to get away."""

from __future__ import annotations

import asyncio
import os
import signal
import struct
import time
from pathlib import Path

import pytest

from induscode.errors import Cancelled
from induscode.tools.local_shell import LocalShell
from induscode.tools.processes.limits import BACKGROUND_FOLDER
from tests.tools.processes.conftest import Yard
from tests.tools.processes.escapes import (
    COMET,
    ESCAPES,
    alive,
    children,
    marked,
    python,
    status,
)
from tests.tools.waiting import BOUND, until, until_gone


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)
async def test_what_a_command_left_behind_is_gone_when_it_returns(yard: Yard, escape: str) -> None:
    await yard.said("bash", command=marked(yard.marker, f"{escape}\nsleep 0.1"))

    assert alive(yard.marker) == []


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)
async def test_a_timeout_ends_what_got_away(
    yard: Yard, escape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("induscode.tools.local_shell.SECONDS_TO_END", 0.2)

    await yard.refused("bash", command=marked(yard.marker, f"{escape}\nsleep 300"), timeout=0.3)

    assert alive(yard.marker) == []


async def test_cancelling_ends_what_got_away(yard: Yard) -> None:
    everything = "\n".join(ESCAPES.values())
    command = marked(yard.marker, f"{everything}\necho ready\nsleep 300")
    call = asyncio.create_task(yard.call("bash", command=command))
    await until(lambda: "ready" in "".join(yard.progress))
    assert len(alive(yard.marker)) >= len(ESCAPES)

    yard.cancel.cancel()

    with pytest.raises(Cancelled):
        await asyncio.wait_for(call, BOUND)
    assert alive(yard.marker) == []


async def test_a_process_that_keeps_changing_its_number_loses(yard: Yard) -> None:
    command = marked(yard.marker, f"{python(COMET)} &\nsleep 0.2")

    await asyncio.wait_for(yard.said("bash", command=command), BOUND)

    assert alive(yard.marker) == []


async def test_processes_that_multiply_lose(yard: Yard) -> None:
    bomb = "f() { (( $1 < 7 )) && { f $(($1 + 1)) & f $(($1 + 1)) & }; sleep 1000; }; f 0 &"

    await yard.said("bash", command=marked(yard.marker, f"{bomb}\nsleep 0.3"))

    assert alive(yard.marker) == []


async def test_those_who_are_asked_to_end_may_clean_up_even_if_the_command_is_gone(
    yard: Yard,
) -> None:
    note = yard.cwd / "clean"
    careful = f"setsid bash -c \"trap 'sleep 0.3; echo done > {note}; exit' TERM; "
    careful += 'echo began; while :; do sleep 0.05; done" &'
    await yard.refused("bash", command=f"{careful}\nsleep 300", timeout=0.5)

    assert note.read_text() == "done\n"


async def test_a_command_that_kills_its_own_group_kills_nobody_else(yard: Yard) -> None:
    assert "[exit code 137]" in await yard.refused("bash", command="kill -KILL 0")
    assert await yard.said("bash", command="echo still here") == "still here"


async def test_a_command_that_kills_its_parent_ends_with_it(yard: Yard) -> None:
    command = marked(yard.marker, "setsid sleep 1000 &\nsleep 0.3; kill -KILL $PPID\nsleep 1000")

    told = await asyncio.wait_for(yard.refused("bash", command=command), BOUND)

    assert "[the command was ended]" in told
    await until(lambda: alive(yard.marker) == [])
    assert await yard.said("bash", command="echo still here") == "still here"


async def test_the_requests_to_end_that_others_send_do_not_reach_the_reaper(yard: Yard) -> None:
    command = "for s in TERM INT HUP QUIT; do kill -$s $PPID; done; sleep 0.1; echo alive"

    assert await yard.said("bash", command=command) == "alive"


async def test_a_reaper_that_was_stopped_goes_on(yard: Yard) -> None:
    assert await yard.said("bash", command="kill -STOP $PPID; sleep 0.1; echo on") == "on"


async def test_what_cannot_be_ended_is_told(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SECONDS_TO_END", "SECONDS_TO_CLOSE"):
        monkeypatch.setattr(f"induscode.tools.local_shell.{name}", 0.2)
    command = 'both="$(ps -o ppid= $PPID) $PPID"; echo $both; kill -STOP $both; sleep 300'

    told = await yard.refused("bash", command=marked(yard.marker, command), timeout=0.5)

    assert "[something that it started could not be ended]" in told
    for pid in told.splitlines()[0].split():
        os.kill(int(pid), signal.SIGCONT)
    await until(lambda: alive(yard.marker) == [])


async def test_nobody_who_kills_us_by_name_kills_the_keeper(yard: Yard) -> None:
    keeper, reaper = (await yard.said("bash", command="ps -o ppid= $PPID; echo $PPID")).split()

    for pid in map(int, (keeper, reaper)):
        said = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
        assert said.endswith(b"-I -S /dev/fd/3 ")
    assert status(int(keeper), "Name") == "keeper"
    assert status(int(reaper), "Name") == "reaper"


async def test_nothing_of_our_environment_and_no_descriptor_is_in_keeper_or_reaper(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary")
    keeper, reaper = map(
        int, (await yard.said("bash", command="ps -o ppid= $PPID; echo $PPID")).split()
    )

    for pid, most in ((keeper, 6), (reaper, 6)):
        assert b"canary" not in Path(f"/proc/{pid}/environ").read_bytes()
        assert len(list(Path(f"/proc/{pid}/fd").iterdir())) <= most
    mine = await yard.said("bash", command="ls /proc/self/fd")
    assert mine.split() == ["0", "1", "2", "3"]  # the last is the directory itself


async def test_when_the_keeper_was_killed_the_next_command_has_another(yard: Yard) -> None:
    keeper = int(await yard.said("bash", command="ps -o ppid= $PPID"))
    started = await yard.do("start", command=marked(yard.marker, "setsid sleep 1000 & sleep 1000"))
    assert started.details is not None

    os.kill(keeper, signal.SIGKILL)
    await until_gone(keeper)
    calls = (yard.said("bash", command="echo fine") for _ in range(4))

    assert await asyncio.gather(*calls) == ["fine"] * 4
    assert len(alive(yard.marker)) >= 2
    await yard.told("stop", id="p1")
    assert alive(yard.marker) == []


async def test_commands_side_by_side_end_each_with_its_own(yard: Yard) -> None:
    await yard.told("start", command=marked(yard.marker, "setsid sleep 1000 & exec sleep 1000"))
    before = alive(yard.marker)

    await asyncio.gather(
        *(yard.said("bash", command="setsid sleep 1000 & sleep 0.05") for _ in range(8))
    )

    assert alive(yard.marker) == before
    assert len(before) == 2


async def test_a_request_to_end_that_came_too_late_does_not_meet_the_next_command(
    yard: Yard,
) -> None:
    reaper = await yard.said("bash", command="echo $PPID")
    yard.shell.keeper._idle[-1].send(struct.pack("!cd", b"e", 0.0))

    assert await yard.said("bash", command="sleep 0.2; echo $PPID") == reaper


async def test_a_closed_shell_leaves_neither_child_nor_descriptor(yard: Yard) -> None:
    def open_now() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before, own = open_now(), set(children(os.getpid()))
    shell = yard.shell = LocalShell(yard.spilled)
    for escape in ESCAPES.values():
        await yard.do("start", command=marked(yard.marker, f"{escape}\nsleep 1000"))
    await asyncio.gather(*(yard.said("bash", command="echo x") for _ in range(5)))
    keeper = set(children(os.getpid())) - own
    assert len(keeper) == 1

    began = time.monotonic()
    await shell.close()

    assert time.monotonic() - began < 3
    assert alive(yard.marker) == []
    assert set(children(os.getpid())) <= own
    assert open_now() == before


async def test_what_a_process_says_when_the_session_closes_is_kept(yard: Yard) -> None:
    await yard.told(
        "start",
        command="trap 'echo bye; exit' TERM; echo hello; while :; do sleep 0.02; done",
        ready={"output": "hello"},
    )

    await yard.shell.close()

    (kept,) = (yard.spilled / BACKGROUND_FOLDER).iterdir()
    assert kept.read_text().endswith("bye\n")


async def test_a_shell_that_nobody_closed_ends_its_keeper_when_it_is_forgotten(yard: Yard) -> None:
    own = set(children(os.getpid()))
    yard.shell = LocalShell(yard.spilled)
    await yard.said("bash", command="true")
    (keeper,) = set(children(os.getpid())) - own

    yard.shell = LocalShell(yard.spilled)

    await until_gone(keeper)


async def test_a_command_of_many_bytes_arrives_whole(yard: Yard) -> None:
    text = "x" * 120_000

    assert await yard.said("bash", command=f"v={text}; echo ${{#v}}") == "120000"
