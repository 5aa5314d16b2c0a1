"""Lines of commands while they run: recorded first, bounded, shaped, stopped; and their ends."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from induscode.errors import Cancelled
from induscode.feature.capability import ShapeEnvironment
from induscode.feature.command import Say
from induscode.feature.hook_views import DenyWithSyntheticError, SetEnvironment
from induscode.feature.points import HookPoint
from induscode.kernel.person import PersonAnswer, Question
from induscode.sdk import Agent, OwnFeature
from tests.channels.place import BOUND
from tests.channels.rpc_client import RpcClient
from tests.features.deployer import EXEC, deployer
from tests.features.modules import until
from tests.features.sessions import SAY, Hook, entries, hooked, ran
from tests.features.yard import DEPLOYER, Yard
from tests.requirements import requirement


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


@requirement("decision.handles-are-capabilities", "addons.handles.exec")
def test_a_declared_line_runs_with_what_was_typed_and_its_streams_are_told_apart(
    yard: Yard,
) -> None:
    done = yard.indus("-p", "/deploy staging", "--allow", "bash(./deploy.sh *)")

    assert done.stdout == "out='deploying staging' err='careful' code=0\n"
    assert done.returncode == 0
    assert yard.made("deployed")
    assert f"user:deployer: allow: {EXEC} staging" in done.stderr
    assert yard.ran() == [("allow", f"{EXEC} staging"), ("ended", "exit code 0")]
    assert entries(yard, "request") == entries(yard, "intent") == entries(yard, "result") == []
    assert yard.replays()


def test_a_line_that_ends_badly_fails_the_run_of_a_command_that_stands_for_it(
    tmp_path: Path,
) -> None:
    yard = Yard(tmp_path, "#!/bin/sh\necho trying\nexit 7\n")

    done = yard.indus("-p", "/deploy", "--mode", "full")

    assert done.returncode == 1
    assert done.stdout == "out='trying' err='' code=7\n"
    assert "the command did not end well: exit code 7" in done.stderr
    assert yard.ran()[-1] == ("ended", "exit code 7")


def test_a_command_that_says_nothing_is_no_fault(yard: Yard) -> None:
    done = yard.indus("-p", "/quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


async def test_a_line_that_nobody_waits_for_ends_with_its_command(yard: Yard) -> None:
    feature = deployer()
    left: list[asyncio.Task[Any]] = []

    async def hasty(arguments: str) -> Say:
        line = feature.module.shells["quiet"].run("touch begun; exec sleep 60")
        left.append(asyncio.ensure_future(line))
        await until(lambda: yard.made("begun"))
        return Say("gone")

    feature.module.quiet = hasty
    result, _ = await ran(yard, SAY, feature, said="/quiet")

    assert result.text == "gone"
    assert isinstance(left[0].exception(), Cancelled)
    assert yard.ran()[-1] == ("ended", "the command that it ran for is over")


async def test_the_time_in_which_a_person_thinks_is_not_the_commands(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("induscode.boot.feature_commands.COMMAND_SECONDS", 0.2)

    async def thinks(question: Question) -> PersonAnswer:
        del question
        loop = asyncio.get_running_loop()
        later = loop.time() + 0.5
        await until(lambda: loop.time() > later)
        return PersonAnswer("once")

    result, _ = await ran(yard, SAY, deployer(), said="/deploy x", mode="ask", on_approval=thinks)

    assert (result.exit, yard.made("deployed")) == (0, True)


SLOW = """#!/bin/sh
trap 'echo ended kindly > how; exit 0' TERM
touch begun
while :; do sleep 0.1; done
"""


def begun(yard: Yard) -> None:
    last = time.monotonic() + BOUND
    while not yard.made("begun"):
        assert time.monotonic() < last
        time.sleep(0.01)


def test_ctrl_c_ends_a_line_kindly_and_the_log_says_so(tmp_path: Path) -> None:
    yard = Yard(tmp_path, SLOW)
    running = subprocess.Popen(
        [*DEPLOYER, "-p", "/deploy", "--mode", "full", "-m", yard.script(SAY)],
        cwd=yard.workspace, env=yard.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    begun(yard)
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=BOUND)

    assert running.returncode == 130
    assert (yard.workspace / "how").read_text() == "ended kindly\n"
    assert yard.ran() == [("allow", EXEC), ("ended", "stopped by the user")]
    assert b"Traceback" not in told
    assert yard.replays()


def test_abort_over_rpc_stops_a_command_and_the_session_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard = Yard(tmp_path, SLOW)
    monkeypatch.setattr("tests.channels.rpc_client.INDUS", DEPLOYER)
    with RpcClient(yard, "-m", yard.script(SAY), "--mode", "full") as client:
        submitted = client.send("submit", text="/deploy")
        begun(yard)
        assert client.result("abort", reason="enough") == {"aborted": True}
        assert client.answer(submitted)["result"]["exit"] == 130
        assert client.result("abort") == {"aborted": False}
        assert client.result("submit", text="hello")["text"] == "Done."
    assert yard.ran() == [("allow", EXEC), ("ended", "enough")]
    assert yard.replays()


async def test_a_command_that_runs_no_line_is_stopped_and_ends_first(yard: Yard) -> None:
    feature = deployer()
    seen: list[str] = []

    async def hangs(arguments: str) -> Say:
        try:
            seen.append(f"begun {arguments}")
            await asyncio.Event().wait()
        finally:
            seen.append("ended")
        return Say("never")

    feature.module.quiet = hangs
    where: Any = {"cwd": yard.workspace, "home": yard.home, "environ": yard.environ}
    yard.script(SAY)
    model = f"scripted/{yard.workspace / 'answers.toml'}"
    async with Agent(model, features=[feature], **where) as agent:
        running = asyncio.ensure_future(agent.ask("/quiet now"))
        await until(lambda: seen)
        agent.cancel()
        assert (await running).exit == 130
        assert seen == ["begun now", "ended"]


def test_the_log_says_that_a_line_runs_before_it_does(tmp_path: Path) -> None:
    look = '#!/bin/sh\ngrep -h \'"point":"exec"\' "$(ls ../home/sessions/*/*.jsonl)" > seen\n'
    yard = Yard(tmp_path, look)

    assert yard.indus("-p", "/deploy x", "--mode", "full").returncode == 0

    [seen] = (yard.workspace / "seen").read_text().splitlines()
    assert json.loads(seen)["reason"] == f"{EXEC} x"


async def test_hooks_shape_the_environment_of_a_line_and_those_around_tools_are_not_heard(
    yard: Yard,
) -> None:
    yard.write("deploy.sh", '#!/bin/sh\necho "to $TARGET"\n')
    where = Hook(SetEnvironment({"TARGET": "the moon"}))
    shaping = hooked(where, HookPoint.SHELL_ENVIRONMENT, "shaper")
    shaping = OwnFeature(shaping.module, (*shaping.granted, ShapeEnvironment("TARGET")))
    gate = Hook(DenyWithSyntheticError("never"))

    result, _ = await ran(yard, SAY, deployer(), shaping, hooked(gate), said="/deploy x")

    assert result.text == "out='to the moon' err='' code=0"
    [event] = where.seen
    starts = [entry for entry in entries(yard, "hook") if entry["point"] == "exec"]
    assert (event.tool, event.call) == ("bash", starts[0]["target"])
    assert "PATH" in event.environment
    [shaped] = [e for e in entries(yard, "hook") if e["point"] == "shell-environment"]
    assert (shaped["by"], shaped["target"]) == ("user:shaper", event.call)
    assert gate.seen == []


async def test_a_guard_of_the_environment_that_fails_keeps_a_line_from_running(
    yard: Yard,
) -> None:
    broken = hooked(Hook("nonsense"), HookPoint.SHELL_ENVIRONMENT, "shaper")

    result, _ = await ran(yard, SAY, deployer(), broken, said="/deploy x")

    assert result.exit == 1
    assert not yard.made("deployed")
    assert yard.ran()[0][0] == "deny"


def test_what_a_line_changes_can_be_taken_back(yard: Yard) -> None:
    (yard.workspace / "deployed").write_text("before")
    yard.write("deploy.sh", "#!/bin/sh\necho after > deployed\n")

    assert yard.indus("-p", "/deploy", "--mode", "full").returncode == 0

    [kept] = entries(yard, "checkpoint")
    assert [change["path"] for change in kept["files"]] == ["deployed"]
    assert kept["call"] == next(e["target"] for e in entries(yard, "hook"))


def test_a_line_finds_no_keys_and_none_is_kept_of_what_it_says(yard: Yard) -> None:
    key = "sk-canary-0123456789abcdef"
    (yard.home / "config.toml").write_text('[providers.own]\nwire = "anthropic"\n')
    (yard.home / "credentials.json").write_text(json.dumps({"own": {"key": key}}))
    (yard.home / "credentials.json").chmod(0o600)
    yard.write("deploy.sh", "#!/bin/sh\nenv\ncat ../home/credentials.json\n")

    apart = "x" * (2_000 - len(f"{EXEC} {key} ") - len(key) // 2)  # the second one is cut in half

    done = yard.indus("-p", f"/deploy {key} {apart}{key}", "--mode", "full")

    assert done.returncode == 0
    assert key not in done.stdout + done.stderr
    assert "INDUS_HOME" not in done.stdout
    for log in yard.logs():
        assert "sk-canary" not in log.read_text()


def test_too_much_is_cut_and_kept_in_a_file(yard: Yard) -> None:
    yard.write("deploy.sh", "#!/bin/sh\nseq 1 200000\nseq 1 20000 >&2\n")

    done = yard.indus("-p", "/deploy", "--mode", "full")

    assert done.returncode == 0
    assert len(done.stdout) < 100_000
    assert "the whole output is in" in done.stdout
    assert "the whole text is in" in done.stdout
    kept = [path for path in yard.home.rglob("*.txt") if path.stat().st_size > 1_000_000]
    assert kept[0].read_text().splitlines()[-1] == "200000"
    assert kept[0].stat().st_mode & 0o077 == 0


async def test_a_command_runs_a_bounded_number_of_lines(yard: Yard) -> None:
    feature = deployer()
    shell_of = feature.module.shells

    async def flood(arguments: str) -> Any:
        for _ in range(200):
            await shell_of["quiet"].run("true")

    feature.module.quiet = flood
    result, events = await ran(yard, SAY, feature, said="/quiet", mode="full")

    assert result.exit == 1
    assert any("at most 100 lines" in str(event) for event in events)
    assert len(entries(yard, "hook")) == 200
