"""The tool `process`, as a model meets it."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from induscode.kernel.content import plain_text
from induscode.tools.local_shell import LocalShell
from induscode.tools.processes import limits
from tests.requirements import requirement
from tests.tools.processes.conftest import KEY, MARK, Yard
from tests.tools.processes.escapes import alive, marked
from tests.tools.waiting import until, until_gone


def file_in(text: str) -> Path:
    found = re.search(r"\[all of it: (.*?)[;\]]", text)
    assert found is not None
    return Path(found[1])


async def test_start_comes_back_at_once_with_what_it_said(yard: Yard) -> None:
    result = await yard.do("start", command="echo hello; exec sleep 300")

    assert not result.is_error
    text = plain_text(result.content)
    assert result.details is not None
    pid = result.details["pid"]
    assert text.startswith(f"p1 is running (pid {pid}).\nhello\n[all of it: ")
    assert file_in(text).read_text() == "hello\n"
    assert file_in(text).parent == yard.spilled / limits.BACKGROUND_FOLDER
    assert file_in(text).stat().st_mode & 0o777 == 0o600
    assert Path(f"/proc/{pid}/comm").read_text() == "sleep\n"


async def test_a_command_that_fails_at_once_is_told(yard: Yard) -> None:
    told = await yard.failed("start", command="echo so not; exit 3")

    assert told.startswith("p1 exited with code 3.\nso not\n")


async def test_status_gives_what_is_new_and_no_more(yard: Yard) -> None:
    go = yard.cwd / "go"
    await yard.told("start", command=f"echo one; until test -e {go}; do sleep 0.02; done; echo two")
    assert "(no new output)" in await yard.told("status", id="p1")

    go.touch()
    told = await yard.told("wait", id="p1")

    assert told.startswith("p1 exited with code 0.\ntwo\n")
    assert "(no new output)" in await yard.told("status", id="p1")


async def test_wait_tells_how_it_ended_and_when_time_is_up(yard: Yard) -> None:
    await yard.told("start", command="sleep 0.6; exit 5")

    told = await yard.told("wait", id="p1", timeout=0.05)
    assert told.startswith("p1 is running")
    assert "Waited 0.05 s." in told
    assert "p1 exited with code 5." in await yard.failed("wait", id="p1")


async def test_output_comes_to_the_person_while_it_is_waited_for(yard: Yard) -> None:
    await yard.told("start", command="for i in 1 2 3; do echo $i; sleep 0.2; done")
    await yard.told("wait", id="p1")

    assert "".join(yard.progress).split() == ["1", "2", "3"]
    assert len(yard.progress) >= 2


async def test_stop_ends_all_that_it_started(yard: Yard) -> None:
    command = marked(yard.marker, "setsid sleep 1000 & sleep 1000 & wait")
    await yard.told("start", command=command)
    assert len(alive(yard.marker)) == 3

    assert (await yard.told("stop", id="p1")).startswith("p1 exited with code 143.")
    assert alive(yard.marker) == []
    assert (await yard.told("stop", id="p1")).startswith("p1 exited with code 143.")


async def test_what_does_not_want_to_end_is_killed_after_the_grace(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("induscode.tools.processes.process.STOP_SECONDS", 0.3)
    await yard.told("start", command="trap '' TERM; echo deaf; while :; do sleep 0.05; done")

    began = time.monotonic()
    told = await yard.told("stop", id="p1")

    assert told.startswith("p1 exited with code 137.")
    assert time.monotonic() - began >= 0.3


async def test_what_a_command_leaves_running_is_told_and_can_be_stopped(yard: Yard) -> None:
    command = marked(yard.marker, "setsid bash -c 'echo from the daemon; sleep 1000' & sleep 0.1")
    told = await yard.told("start", command=command)

    assert told.startswith("p1 exited with code 0; what it started is still running.")
    assert "from the daemon" in told
    assert len(alive(yard.marker)) >= 1
    assert (await yard.told("stop", id="p1")).startswith("p1 exited with code 0.")
    assert alive(yard.marker) == []


async def test_list_names_all(yard: Yard) -> None:
    assert await yard.told("list") == "No process was started in this session."
    await yard.told("start", command="sleep 300")
    await yard.failed("start", command="exit 1")

    lines = (await yard.told("list")).splitlines()

    assert re.fullmatch(r"p1 is running \(pid \d+\)\. sleep 300", lines[0])
    assert lines[1] == "p2 exited with code 1. exit 1"
    details = (await yard.do("list")).details
    assert details is not None
    assert [each["id"] for each in details["processes"]] == ["p1", "p2"]


async def test_two_tools_do_not_share_their_processes(yard: Yard, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Yard(tmp_path / "other")
    await yard.told("start", command="sleep 300")

    assert "are: none" in await other.failed("status", id="p1")


async def test_it_runs_where_it_is_told(yard: Yard) -> None:
    yard.file("sub/x", "")

    assert f"\n{yard.cwd / 'sub'}\n" in await yard.told("start", command="pwd", cwd="sub")


@requirement("invariant.11.spilled-not-dropped")
async def test_much_output_is_shown_at_its_end_and_is_whole_in_the_file(yard: Yard) -> None:
    told = await yard.told("start", command="seq 100000")
    told = told if "100000" in told else await yard.told("wait", id="p1")

    assert len(told) < limits.SHOWN_CHARACTERS + 500
    assert "characters before this are only in the file" in told
    assert "\n100000\n" in told
    assert file_in(told).read_text() == "".join(f"{n}\n" for n in range(1, 100_001))


async def test_a_file_that_grows_too_large_ends_and_that_is_told(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("induscode.tools.processes.spawned.CAPTURE_BYTES", 100_000)
    await yard.do("start", command="yes | head -c 2000000; sleep 0.5; echo the end")
    told = await yard.told("wait", id="p1")

    assert "the end" in told
    assert "; the file ends at" in told
    assert file_in(told).stat().st_size <= 100_000


async def test_a_line_without_end_stays_bounded(yard: Yard) -> None:
    told = await yard.told("start", command="head -c 50000000 /dev/zero | tr '\\0' x; sleep 0.1")

    assert len(told) < limits.SHOWN_CHARACTERS + 500


async def test_an_unfinished_line_is_shown_and_not_twice(yard: Yard) -> None:
    go = yard.cwd / "go"
    waiting = f"printf 'half a '; until test -e {go}; do sleep 0.02; done; echo line"

    assert "\nhalf a \n" in await yard.told("start", command=waiting)
    go.touch()
    assert "\nline\n" in await yard.told("wait", id="p1")


async def test_secrets_are_neither_shown_nor_kept(yard: Yard) -> None:
    command = f"printf {KEY[:9]}; sleep 0.4; echo {KEY[9:]}"
    first = await yard.told("start", command=command)
    told = await yard.told("wait", id="p1")

    assert KEY[:9] not in first.partition("\n")[2].partition("[all")[0]
    assert MARK in told
    assert file_in(told).read_text() == f"{MARK}\n"


async def test_keys_are_not_inherited(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary")
    yard.shell = LocalShell(yard.spilled)

    assert "canary" not in await yard.told("start", command="env")
    await yard.shell.close()


# Ends


async def test_the_session_takes_its_processes_along_but_for_the_detached(yard: Yard) -> None:
    go = yard.cwd / "go"
    await yard.told("start", command=marked(yard.marker, "sleep 1000 & setsid sleep 1000"))
    waiting = f"echo early; until test -e {go}; do sleep 0.02; done; echo late; exec sleep 1000"
    result = await yard.do("start", command=waiting, detached=True)
    assert result.details is not None
    pid = result.details["pid"]
    told = plain_text(result.content)
    assert told.startswith(f"p2 is running (pid {pid}, detached: it outlives the session).\nearly")

    await yard.shell.close()

    assert alive(yard.marker) == []
    go.touch()
    await until(lambda: file_in(told).read_text() == "early\nlate\n")
    os.kill(pid, 9)
    await until_gone(pid)


async def test_a_detached_process_can_be_looked_at_and_stopped(yard: Yard) -> None:
    command = marked(yard.marker, f"echo {KEY}; setsid sleep 1000 & exec sleep 1000")
    told = await yard.told("start", command=command, detached=True, ready={"output": "canary"})

    assert MARK in told
    assert "secrets are not taken out of the file" in told
    await yard.told("stop", id="p1")
    assert alive(yard.marker) == []


async def test_no_more_than_so_many_run_at_a_time(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("induscode.tools.processes.table.RUNNING_MOST", 2)
    for _ in range(2):
        await yard.told("start", command="sleep 300")

    told = await yard.failed("start", command="touch made")

    assert told == "2 processes are running, which is the most; stop one first."
    await yard.told("stop", id="p1")
    assert (await yard.told("start", command="sleep 300")).startswith("p3 is running")


async def test_the_oldest_that_ended_are_forgotten(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("induscode.tools.processes.table.REMEMBERED", 2)
    await yard.told("start", command="sleep 300")
    for _ in range(3):
        await yard.told("start", command="true")

    assert "are: p1, p4." in await yard.failed("status", id="p2")


# Arguments

BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "process needs the argument `action`"),
    ({"action": "run"}, "`action` of process"),
    ({"action": 1}, "`action` of process"),
    ({"action": "start"}, "`command` of process is empty"),
    ({"action": "start", "command": 1}, "`command` of process must be a string"),
    ({"action": "start", "command": " "}, "`command` of process is empty or holds NUL"),
    ({"action": "start", "command": "a\0b"}, "`command` of process is empty or holds NUL"),
    ({"action": "start", "command": "echo \ud800"}, "`command` of process holds half a character"),
    ({"action": "start", "command": "x" * 300_000}, "could not be started: Argument list too long"),
    ({"action": "start", "command": "ls", "cwd": "missing"}, "`cwd` of process names no directory"),
    ({"action": "start", "command": "ls", "cwd": 1}, "`cwd` of process must be a string"),
    ({"action": "start", "command": "ls", "cwd": "a\0"}, "`cwd` of process is not usable"),
    (
        {"action": "start", "command": "ls", "detached": "yes"},
        "`detached` of process must be a boo",
    ),
    ({"action": "start", "command": "ls", "timeout": 0}, "`timeout` of process"),
    ({"action": "start", "command": "ls", "timeout": "5"}, "`timeout` of process must be a number"),
    ({"action": "start", "command": "ls", "ready": "x"}, "`ready` of process must be an object"),
    ({"action": "start", "command": "ls", "ready": {}}, "`ready` of process"),
    ({"action": "start", "command": "ls", "ready": {"prot": 1}}, "`ready` of process"),
    ({"action": "start", "command": "ls", "ready": {"port": 0}}, "`ready.port` of process"),
    ({"action": "start", "command": "ls", "ready": {"port": 65536}}, "`ready.port` of process"),
    ({"action": "start", "command": "ls", "ready": {"port": "x"}}, "`ready.port` of process must"),
    ({"action": "start", "command": "ls", "ready": {"output": "("}}, "no regular expression: uncl"),
    (
        {"action": "start", "command": "ls", "ready": {"output": 1}},
        "`ready.output` of process must",
    ),
    ({"action": "start", "command": "ls", "ready": {"output": "a\0"}}, "no regular expression"),
    ({"action": "start", "command": "ls", "ready": {"url": 1}}, "`ready.url` of process must"),
    ({"action": "status"}, "The argument `id` is missing; the processes of this session are: none"),
    ({"action": "wait", "id": "p7"}, "There is no process 'p7'"),
    ({"action": "stop", "id": 7}, "`id` of process must be a string"),
    ({"action": "stop", "idd": "p1"}, "Did you mean `id`?"),
]


@pytest.mark.parametrize(("arguments", "told"), BAD)
async def test_a_wrong_argument_is_told_by_name(
    yard: Yard, arguments: dict[str, Any], told: str
) -> None:
    result = await yard.process.execute(arguments, yard.context())

    assert result.is_error
    assert told in plain_text(result.content)
