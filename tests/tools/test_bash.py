from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from induscode.errors import Cancelled
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import plain_text
from induscode.tools.limits import OUTPUT_END_BYTES, RESULT_CHARACTERS
from induscode.tools.local_shell import LocalShell
from tests.requirements import requirement
from tests.tools.conftest import Bench
from tests.tools.processes.escapes import children
from tests.tools.waiting import BOUND, until, until_gone, until_written


async def test_output_and_errors_come_together_in_order(bench: Bench) -> None:
    assert await bench.said("bash", command="echo one; echo two >&2; echo three") == (
        "one\ntwo\nthree"
    )


async def test_an_exit_code_is_told_when_it_is_not_zero(bench: Bench) -> None:
    result = await bench.call("bash", command="echo no; exit 3")

    assert result.is_error
    assert plain_text(result.content) == "no\n[exit code 3]"
    assert result.details == {"exit_code": 3, "timed_out": False}


async def test_a_death_by_signal_is_told_as_shells_tell_it(bench: Bench) -> None:
    assert "[exit code 139]" in await bench.refused("bash", command="kill -SEGV $$")


async def test_silence_is_told(bench: Bench) -> None:
    assert await bench.said("bash", command="true") == "(no output)"


async def test_it_runs_in_the_working_directory_or_in_cwd(bench: Bench) -> None:
    bench.file("sub/a", "x")

    assert await bench.said("bash", command="pwd") == str(bench.cwd)
    assert await bench.said("bash", command="pwd", cwd="sub") == str(bench.cwd / "sub")


async def test_standard_input_is_empty_and_there_is_no_terminal(bench: Bench) -> None:
    said = await bench.said("bash", command="cat; test -t 0 || echo none; tty || true")

    assert said == "none\nnot a tty"


async def test_bytes_that_are_not_text_are_replaced(bench: Bench) -> None:
    assert await bench.said("bash", command=r"printf 'a\xffb'") == "a\ufffdb"


async def test_a_timeout_ends_the_whole_group_and_is_told(bench: Bench) -> None:
    note = bench.cwd / "pids"

    told = await bench.refused(
        "bash", command=f"sleep 300 & echo $! $$ > {note}; echo began; wait", timeout=0.5
    )

    assert "began\n[timed out after 0.5 s" in told
    for pid in note.read_text().split():
        await until_gone(int(pid))


async def test_what_ignores_the_request_to_end_is_killed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("induscode.tools.local_shell.SECONDS_TO_END", 0.1)

    told = await bench.refused(
        "bash", command="trap '' TERM; echo $$; while :; do sleep 1; done", timeout=0.3
    )

    await until_gone(int(told.split()[0]))


async def test_cancelling_ends_the_whole_group(bench: Bench) -> None:
    note = bench.cwd / "pid"
    call = asyncio.create_task(bench.call("bash", command=f"sleep 300 & echo $! > {note}; wait"))
    pid = int(await until_written(note))

    bench.cancel.cancel()

    with pytest.raises(Cancelled):
        await asyncio.wait_for(call, BOUND)
    await until_gone(pid)


async def test_cancelling_the_task_ends_the_whole_group_too(bench: Bench) -> None:
    note = bench.cwd / "pid"
    call = asyncio.create_task(bench.call("bash", command=f"sleep 300 & echo $! > {note}; wait"))
    pid = int(await until_written(note))

    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(call, BOUND)
    await until_gone(pid)


async def test_a_cancelled_token_starts_nothing(bench: Bench) -> None:
    bench.cancel.cancel()

    with pytest.raises(Cancelled):
        await bench.call("bash", command="touch made")
    assert list(bench.cwd.iterdir()) == []


async def test_what_was_left_in_the_background_is_ended(bench: Bench) -> None:
    said = await bench.said("bash", command="sleep 300 & echo $!")

    await until_gone(int(said))


async def test_a_process_that_left_the_group_neither_holds_the_call_nor_outlives_it(
    bench: Bench,
) -> None:
    call = bench.said("bash", command="setsid sh -c 'echo $$; exec sleep 300' & sleep 0.2")

    pid = int(await asyncio.wait_for(call, BOUND))

    await until_gone(pid)


async def test_progress_comes_while_the_command_runs(bench: Bench) -> None:
    go = bench.cwd / "go"
    call = asyncio.create_task(
        bench.said(
            "bash", command=f"echo began; until test -e {go}; do sleep 0.02; done; echo done"
        )
    )
    await until(lambda: bool(bench.progress))
    assert "".join(bench.progress) == "began\n"

    go.touch()

    assert await asyncio.wait_for(call, BOUND) == "began\ndone"
    assert "".join(bench.progress) == "began\ndone\n"


async def test_progress_is_not_reported_for_every_line(bench: Bench) -> None:
    await bench.said("bash", command="for i in $(seq 2000); do echo $i; done")

    assert len(bench.progress) < 100


@requirement("invariant.11.spilled-not-dropped")
async def test_long_output_is_kept_at_both_ends_and_whole_in_a_file(bench: Bench) -> None:
    text = await bench.said("bash", command="seq 200000")

    assert len(text) <= RESULT_CHARACTERS
    assert text.startswith("1\n2\n")
    assert text.endswith("\n199999\n200000")
    spilled = list(bench.spilled.iterdir())
    assert len(spilled) == 1
    assert f"the whole output is in {spilled[0]}" in text
    assert spilled[0].read_text() == "".join(f"{n}\n" for n in range(1, 200001))
    assert spilled[0].stat().st_mode & 0o777 == 0o600
    head, _, tail = text.partition("\n[... ")
    shown = len(head.splitlines()) + len(tail.splitlines()) - 1
    assert f"[... {200000 - shown:,} lines" in text


async def test_output_of_middling_length_is_spilled_once_by_the_bound(bench: Bench) -> None:
    text = await bench.said("bash", command="seq 10000")

    assert len(text) < RESULT_CHARACTERS + 300
    assert len(list(bench.spilled.iterdir())) == 1


async def test_a_cut_in_the_middle_of_a_character_is_not_seen(bench: Bench) -> None:
    count = OUTPUT_END_BYTES

    text = await bench.said("bash", command=f"printf x; yes é | tr -d '\\n' | head -c {2 * count}")

    assert set(text.partition("\n[...")[0]) == {"x", "é"}
    assert "\ufffd" not in text.partition("...]\n")[2][:-1]


async def test_a_command_that_never_stops_talking_is_ended(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("induscode.tools.capture.OUTPUT_BYTES", 1_000_000)

    told = await bench.refused("bash", command="yes")

    assert "[the command was ended]" in told
    assert "because it said more than" in told


@requirement("invariant.11.spilled-not-dropped")
async def test_output_that_cannot_be_kept_is_told(bench: Bench) -> None:
    bench.spilled.write_text("in the way")

    text = await bench.said("bash", command="seq 200000")

    assert "it was not kept" in text
    assert "the whole output could not be kept" in text


async def test_keys_are_not_inherited(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary")
    monkeypatch.setenv("LD_PRELOAD_CANARY", "canary")
    bench.shell = LocalShell(bench.spilled)

    assert "canary" not in await bench.said("bash", command="env; cat /proc/self/environ")


async def test_reading_a_status_does_not_start_what_the_repository_configured(
    bench: Bench,
) -> None:
    bench.file("monitor", f"#!/bin/sh\ntouch {bench.cwd}/started\n").chmod(0o755)
    await bench.said(
        "bash", command=f"git init -q . && git config core.fsmonitor {bench.cwd}/monitor"
    )

    await bench.said("bash", command="git status")

    assert not (bench.cwd / "started").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "bash needs the argument `command`"),
        ({"command": 1}, "`command` of bash must be a string"),
        ({"command": ""}, "`command` of bash"),
        ({"command": "  "}, "`command` of bash"),
        ({"command": "a\0b"}, "`command` of bash"),
        ({"command": "echo \ud800"}, "`command` of bash"),
        ({"command": "x" * 300_000}, "could not be started"),
        ({"command": "ls", "timeout": 0}, "`timeout` of bash"),
        ({"command": "ls", "timeout": "5"}, "`timeout` of bash must be a number"),
        ({"command": "ls", "cwd": "missing"}, "`cwd` of bash names no directory"),
        ({"command": "ls", "cwd": "a\0"}, "`cwd` of bash"),
        ({"command": "ls", "cwd": 1}, "`cwd` of bash must be a string"),
        ({"command": "ls", "cdw": "x"}, "Did you mean `cwd`?"),
    ],
)
async def test_a_wrong_argument_is_told_by_name(
    bench: Bench, arguments: dict[str, object], told: str
) -> None:
    assert told in await bench.refused("bash", **arguments)


async def test_no_descriptor_and_no_child_stays_behind(bench: Bench) -> None:
    others = set(children(os.getpid()))
    await bench.said("bash", command="true")
    before = len(list(Path("/proc/self/fd").iterdir()))

    for _ in range(10):
        await bench.said("bash", command="echo x")

    assert len(list(Path("/proc/self/fd").iterdir())) == before
    await bench.shell.close()
    assert set(children(os.getpid())) <= others


async def test_errors_can_be_had_apart_each_stream_with_its_own_bounds(tmp_path: Path) -> None:
    shell = LocalShell(tmp_path / "spill")
    heard: list[str] = []
    outcome = await shell.run(
        f"echo out; head -c {3 * OUTPUT_END_BYTES} /dev/zero | tr '\\0' x >&2; exit 4",
        cwd=tmp_path,
        seconds=BOUND,
        cancel=CancelToken(),
        progress=heard.append,
        apart=True,
    )
    await shell.close()

    assert (outcome.output, outcome.code, outcome.omitted_bytes) == ("out\n", 4, 0)
    errors = outcome.errors
    assert errors is not None
    assert (len(errors.output), len(errors.tail)) == (OUTPUT_END_BYTES, OUTPUT_END_BYTES)
    assert errors.omitted_bytes == OUTPUT_END_BYTES
    assert errors.spilled is not None
    assert errors.spilled.stat().st_size == 3 * OUTPUT_END_BYTES
    assert any("out" in text for text in heard)
