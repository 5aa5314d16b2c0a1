"""How a delegate ends when it does not come to its end by itself."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from induscode.crew.delegates.deadline import Deadline
from induscode.kernel.events import ToolUpdated
from induscode.sdk import Agent
from tests.cli.home import BOUND, Home, answer
from tests.crew.delegates.family import SAY, agent, chain, of, outcomes, sessions, task, told

SLOW = ("bash", {"command": "touch began; sleep 60"})


def wait_for(file: Path) -> None:
    end = time.monotonic() + BOUND
    while not file.exists():
        assert time.monotonic() < end, f"{file} never came"
        time.sleep(0.01)


def gone(process: subprocess.Popen[bytes]) -> int:
    process.communicate(timeout=BOUND)
    return process.returncode


def test_it_is_stopped_with_its_parent_and_every_log_is_closed_honestly(home: Home) -> None:
    process = home.start("-p", "go", "-m", chain(home, SLOW), "--mode", "full", "--json")
    wait_for(home.work / "began")
    process.send_signal(signal.SIGINT)
    assert gone(process) == 130
    found = sessions(home)
    for name in ("middle", "root"):
        assert outcomes(found[name]) == [("task", "error")]
        assert "The delegate was stopped by the user" in told(found[name])
        details = of(found[name], "result")[0]["details"]["delegate"]
        assert details["ended"] == "stopped"
    used = of(found["root"], "result")[0]["details"]["delegate"]["used"]
    assert used["steps"] == 2, "what was used by then is counted"
    assert outcomes(found["leaf"]) == [("bash", "error")]
    for rows in found.values():
        assert rows[-1]["type"] == "notice"
        assert "The turn ended here" in rows[-1]["text"]
    assert home.run("replay", "last").code == 0


def test_its_time_is_bounded_and_it_is_told_when_it_is_over(home: Home) -> None:
    agent(home, "slow", answer("I wait.", SLOW) + SAY, max_seconds=0.5)
    model = home.script(answer("", task("wait", "slow")) + answer("Then not."))
    ran = home.run("-p", "go", "--json", "-m", model, "--mode", "full")
    assert (ran.code, ran.result["text"]) == (0, "Then not.")
    root = sessions(home)["root"]
    assert "time was over and it was stopped: it did not finish within 0.5 s" in told(root)
    assert "It said last:\nI wait." in told(root)
    assert of(root, "result")[0]["details"]["delegate"]["ended"] == "late"


async def test_time_stands_still_while_somebody_is_asked() -> None:
    over, later = asyncio.Event(), asyncio.Event()
    deadline = Deadline(0.05, over.set)
    other = Deadline(0.2, later.set)
    deadline.start()
    other.start()
    with deadline.paused(), deadline.paused():
        await asyncio.wait_for(later.wait(), BOUND)
    assert other.missed
    assert not deadline.missed, "it had less time, and was asked meanwhile"
    await asyncio.wait_for(over.wait(), BOUND)
    assert deadline.missed


async def test_a_deadline_that_was_stopped_never_hits() -> None:
    hits: list[int] = []
    later = asyncio.Event()
    deadline, other = Deadline(0.01, lambda: hits.append(1)), Deadline(0.1, later.set)
    deadline.start()
    other.start()
    with deadline.paused():
        deadline.stop()
    await asyncio.wait_for(later.wait(), BOUND)
    assert hits == []


def test_a_kill_leaves_parent_and_child_resumable_with_honest_results(home: Home) -> None:
    process = home.start("-p", "go", "-m", chain(home, SLOW), "--mode", "full", "--json")
    wait_for(home.work / "began")
    os.kill(process.pid, signal.SIGKILL)
    assert gone(process) == -signal.SIGKILL
    found = sessions(home)
    assert [of(rows, "result") for rows in found.values()] == [[], [], []]
    root, middle = found["root"][0]["session"], found["middle"][0]["session"]

    # The newest log is a delegate's; going on means the session of the person all the same.
    leaf = next(log for log in home.logs() if log.stem == found["leaf"][0]["session"])
    os.utime(leaf)
    again = home.script(answer("", task("begin", "middle")) + answer("I see."), "again.toml")
    ran = home.run("-c", "-p", "and now?", "-m", again)
    assert ran.code == 0, ran.err
    rows = sessions(home)["root"]
    assert rows[0]["session"] == root
    (cut,) = of(rows, "interrupted")
    assert cut["started"]
    assert f"handed its work to the session {middle}" in cut["text"]
    assert "outcome" not in cut

    # A delegate's session can be gone on with by itself; what it had begun is interrupted there.
    alone = home.script(answer("", SLOW) + answer("Alone."), "alone.toml")
    ran = home.run("-r", leaf.stem, "-p", "what was done?", "-m", alone)
    assert (ran.code, ran.out) == (0, "Alone.\n")
    rows = home.entries(log=leaf)
    (cut,) = of(rows, "interrupted")
    assert (cut["tool"], cut["started"]) == ("bash", True)
    assert rows[0]["delegator"]["session"] == middle
    for session in (root, middle, leaf.stem):
        assert home.run("replay", session).code == 0


def test_a_turn_cut_off_by_a_kill_can_be_continued_without_running_it_again(home: Home) -> None:
    process = home.start("-p", "go", "-m", chain(home, SLOW), "--mode", "full", "--json")
    wait_for(home.work / "began")
    os.kill(process.pid, signal.SIGKILL)
    gone(process)
    (home.work / "began").unlink()
    ran = home.run("-c", "-p", "-m", home.script(answer("", task("x")) + answer("Cut off.")))
    assert (ran.code, ran.out) == (0, "Cut off.\n")
    assert not (home.work / "began").exists()
    assert len(home.logs()) == 3


async def test_closing_the_program_ends_its_delegates(home: Home) -> None:
    where: dict[str, Any] = {"cwd": home.work, "home": home.indus, "environ": home.environ()}
    async with Agent(chain(home, SLOW), mode="full", **where) as opened:
        async for event in opened.run("go"):
            if isinstance(event, ToolUpdated) and "bash" in event.text:
                await asyncio.to_thread(wait_for, home.work / "began")
                break
    found = sessions(home)
    assert outcomes(found["leaf"]) == [("bash", "error")]
    assert outcomes(found["root"]) == [("task", "error")]
