"""Commands, tools, tasks and what an addon asks of the host, in every tier."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.addons.conformance.stage import ALERT, EXECUTE, FEATURE, Stage, across
from tests.channels.place import BOUND
from tests.cli.home import Ran, answer
from tests.requirements import requirement

_FULL = ("--mode", "full")
_SHIP, _ACT = "contribute-command(ship)", "contribute-command(act)"
_MEASURE = "contribute-tool(measure)"
_STATE, _SEND = "feature-state", "send-message"
_MODEL, _THINKING = "set-model", "set-thinking"


def _typed(stage: Stage, *lines: str, words: tuple[str, ...] = _FULL) -> Ran:
    """A session at a prompt: one turn, then these lines."""
    model = stage.script(answer("Hello.") * 2)
    return stage.run("-m", model, *words, stdin="".join(f"{line}\n" for line in ("hi", *lines)))


def _script(stage: Stage) -> None:
    script = stage.work / "ship.sh"
    script.write_text('#!/bin/sh\necho "shipped to $1"\n')
    script.chmod(0o755)


@across()
@requirement("addons.command.user-only")
def test_a_command_runs_its_script_as_the_person_would(stage: Stage) -> None:
    _script(stage)
    stage.only(_SHIP, EXECUTE)
    ran = _typed(stage, "/ship north")
    assert ran.out == "Hello.\nshipped to north\n", ran.err
    [tools] = stage.entries("toolset")
    assert "ship" not in [row["name"] for row in tools["tools"]]
    assert stage.trace() == [
        ("input", "person", "hi"),
        ("hook", FEATURE, "exec", "allow", "./ship.sh north"),
        ("hook", FEATURE, "exec", "ended", "exit code 0"),
    ]
    stage.checked()


@across()
def test_a_command_passes_the_permissions(stage: Stage) -> None:
    _script(stage)
    stage.only(_SHIP, EXECUTE)
    ran = stage.run("-p", "/ship north", "-m", stage.script(""))
    assert (ran.code, ran.out) == (3, "")
    assert f"/ship of {FEATURE}" in ran.err
    assert "nobody is there to ask" in ran.err
    assert "without a grant" not in ran.err


@across(lacking=["asks"])
@requirement("addons.handles.set-thinking")
def test_what_was_granted_is_done(stage: Stage) -> None:
    stage.only(_ACT, ALERT, _STATE, _SEND, _THINKING)
    ran = _typed(stage, "/act notify", "/act state", "/act send", "/act thinking", "again")
    assert ran.out == "Hello.\ndone\nkept\ndone\ndone\nHello.\n", ran.err
    assert f"{FEATURE}: told by act" in ran.err
    assert stage.trace() == [
        ("input", "person", "hi"),
        ("notice", FEATURE, "sent by act"),
        ("hook", FEATURE, "set-thinking", "rewrite"),
        ("input", "person", "again"),
    ]
    assert stage.entries("model")[-1]["parameters"]["thinking"] == "high"
    stage.checked()
    assert FEATURE in stage.why("sent by act")


@across(lacking=["asks"])
def test_what_was_not_granted_is_refused_and_told(stage: Stage) -> None:
    stage.only(_ACT, _SHIP)
    lines = ("/act notify", "/act state", "/act send", "/act model", "/act thinking", "/ship x")
    ran = _typed(stage, *lines)
    assert ran.out == "Hello.\n"
    for called in ("notify", "state", "send", "set", "exec"):
        assert any(called in line and "grant" in line for line in ran.err.splitlines()), called
    assert stage.trace() == [("input", "person", "hi")]


@across(lacking=["asks"])
def test_a_granted_call_that_the_host_refuses_is_told_apart_from_one_without_a_grant(
    stage: Stage,
) -> None:
    stage.only(_ACT, _MODEL)
    ran = _typed(stage, "/act model")
    told = "\n".join(line for line in ran.err.splitlines() if "act" in line and "fail" in line)
    assert "there is no provider 'no'" in told
    assert "not granted" not in told
    assert "without a grant" not in ran.err


@across(lacking=["asks"])
def test_a_command_that_fails_is_told_and_the_session_goes_on(stage: Stage) -> None:
    stage.only(_ACT)
    ran = _typed(stage, "/act explode", "/act nothing")
    assert ran.out == "Hello.\ndone\n"
    assert f"/act of {FEATURE} failed: " in ran.err
    assert stage.trace() == [("input", "person", "hi")]


@across()
def test_a_tool_answers_fails_and_breaks_down(stage: Stage) -> None:
    stage.only(_MEASURE)
    calls = [("measure", {"text": text}) for text in ("cloth", "wrong", "explode")]
    ran = stage.ask(*calls, ("measure", {"text": 7}), words=_FULL)
    assert ran.code == 0, ran.err
    found = stage.trace("hook", "intent", "result")
    assert found[:3] == [
        ("intent", FEATURE),
        ("result", FEATURE, "ok", "it fits"),
        ("intent", FEATURE),
    ]
    wrong, intent, broken, invalid = found[3:]
    assert wrong[:3] == ("result", FEATURE, "error")
    assert wrong[3].startswith("that is wrong")
    assert (intent, broken[:3]) == (("intent", FEATURE), ("result", FEATURE, "error"))
    assert invalid[:3] == ("result", "builtin:conductor", "invalid")
    stage.checked()


@across()
def test_a_tool_is_cancelled_with_the_turn(stage: Stage) -> None:
    stage.only(_MEASURE)
    model = stage.script(answer("", ("measure", {"text": "stay"})) + answer("Going on."))
    with stage.rpc("-m", model, *_FULL) as client:
        submit = client.send("submit", text="go")
        client.event("tool_start")
        assert client.result("abort", reason="enough of it") == {"aborted": True}
        assert client.answer(submit)["result"]["exit"] == 130
        assert client.result("continue")["text"] == "Going on."
    intent, result = stage.trace("intent", "result")
    assert (intent, result[:3]) == (("intent", FEATURE), ("result", FEATURE, "error"))
    assert result[3].startswith("Stopped by the user before it finished")
    stage.checked()


@across(lacking=["tasks"])
def test_a_task_runs_beside_the_session_and_ends_with_it(stage: Stage) -> None:
    stage.only("run-background-task", ALERT)
    with stage.rpc("-m", stage.script(answer("Hello."))) as client:
        if stage.tier.asks:
            assert client.event("alert")["text"] == f"{FEATURE}: tick"
        else:
            _until((stage.work / "ticked").exists)
        assert client.result("submit", text="hi")["text"] == "Hello."
        client.stdin.close()
        assert client.ends_with() == 0
    assert stage.trace() == [("input", "person", "hi")]
    stage.checked()


@across()
def test_a_tool_whose_grant_is_withdrawn_is_offered_no_more(stage: Stage) -> None:
    stage.only(_MEASURE)
    one = ("measure", {"text": "cloth"})
    model = stage.script(answer("", one) + answer("One.") + answer("", one) + answer("Two."))
    with stage.rpc("-m", model, *_FULL) as client:
        assert client.result("submit", text="go on")["text"] == "One."
        assert stage.run("grants", "withdraw", FEATURE, _MEASURE).code == 0
        assert client.result("submit", text="go on")["text"] == "Two."
    *_, denied = stage.trace("result")
    assert denied[2] == "denied"
    assert "may not offer measure any more" in denied[3]
    stage.checked()


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + BOUND
    while not holds():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.01)
