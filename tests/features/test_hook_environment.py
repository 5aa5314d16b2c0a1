"""Hooks that shape what a command finds in its environment: as its real process sees it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from induscode.feature.capability import ShapeEnvironment
from induscode.feature.hook import FailurePolicy
from induscode.feature.hook_views import Continue, SetEnvironment
from induscode.feature.points import HookPoint
from induscode.kernel.events import Fault
from tests.channels.place import Place
from tests.cli.home import Home, answer
from tests.crew.delegates.family import SAY as DONE
from tests.crew.delegates.family import agent, of, sessions, task, told
from tests.crew.delegates.test_features import ran as ran_at_home
from tests.features.sessions import Hook, entries, hooked, ran
from tests.requirements import requirement

POINT = HookPoint.SHELL_ENVIRONMENT
GRANTS = (ShapeEnvironment("STAGE"), ShapeEnvironment("LANG"), ShapeEnvironment("TERM"))


def script(tool: str, *calls: dict[str, Any]) -> str:
    made = "".join(
        f'[[answer]]\n[[answer.call]]\nname = "{tool}"\narguments = {inline(call)}\n'
        for call in calls
    )
    return made + '[[answer]]\ntext = "Done."\n'


def inline(call: dict[str, Any]) -> str:
    return "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in call.items()) + " }"


def results(place: Place) -> list[str]:
    return [entry["content"][0]["text"] for entry in entries(place, "result")]


PRINT = "printenv STAGE LANG TERM"


async def test_a_command_finds_the_environment_that_hooks_left(place: Place) -> None:
    hook = Hook(SetEnvironment({"STAGE": "test", "LANG": "C", "TERM": None}))
    await ran(place, script("bash", {"command": PRINT}), hooked(hook, POINT, grants=GRANTS))

    assert results(place)[0].splitlines()[:2] == ["test", "C"]
    assert "xterm" not in results(place)[0]
    (seen,) = hook.seen
    (intent,) = entries(place, "intent")
    assert (seen.tool, seen.call) == ("bash", intent["call"])
    assert (seen.environment["LANG"], seen.environment["TERM"]) == ("C.UTF-8", "xterm")
    assert "STAGE" in intent["environment"]["names"]
    assert "TERM" not in intent["environment"]["names"]
    (note,) = entries(place, "hook")
    assert (note["by"], note["point"], note["decision"]) == ("user:guard", POINT, "rewrite")
    assert note["target"] == intent["call"]
    assert note["after"] == intent["environment"]["sha256"] != note["before"]
    assert "test" not in json.dumps(note), "the log has names and digests, never a value"
    assert place.replays()


async def test_the_next_command_begins_with_what_it_would_have_found(place: Place) -> None:
    hook = Hook(lambda _: SetEnvironment({"STAGE": "x"}) if len(hook.seen) == 1 else Continue())
    two = script("bash", {"command": "echo [$STAGE]"}, {"command": "echo [$STAGE]"})
    await ran(place, two, hooked(hook, POINT, grants=GRANTS))

    assert results(place) == ["[x]", "[]"]
    first, second = entries(place, "intent")
    assert first["environment"] != second["environment"]


async def test_each_hook_sees_what_those_before_it_left_and_may_not_change_it_in_place(
    place: Place,
) -> None:
    def meddle(event: Any) -> SetEnvironment:
        event.environment["LANG"] = "never"
        return SetEnvironment({"STAGE": "one"})

    second = Hook(lambda event: SetEnvironment({"STAGE": event.environment["STAGE"] + ", two"}))
    features = [
        hooked(Hook(meddle), POINT, "first", GRANTS),
        hooked(second, POINT, "second", GRANTS),
    ]
    await ran(place, script("bash", {"command": PRINT}), *features)

    assert results(place)[0].splitlines() == ["one, two", "C.UTF-8", "xterm"]
    assert [note["by"] for note in entries(place, "hook")] == ["user:first", "user:second"]


@pytest.mark.parametrize("tool", ["process", "bg-process"])
async def test_processes_beside_the_conversation_find_it_too(place: Place, tool: str) -> None:
    hook = Hook(SetEnvironment({"STAGE": "beside"}))
    command = "echo [$STAGE] > made.txt"
    calls = ({"action": "start", "command": command}, {"action": "list"})
    await ran(place, script(tool, *calls), hooked(hook, POINT, grants=GRANTS))

    made = place.workspace / "made.txt"
    assert made.read_text() == "[beside]\n"
    assert [event.tool for event in hook.seen] == [tool], "only a command has an environment"


@requirement("decision.loader-variables-refused")
@pytest.mark.parametrize(
    "name",
    ["PATH", "LD_PRELOAD", "BASH_ENV", "GIT_SSH_COMMAND", "PYTHONPATH", "INDUS_HOME", "MANPAGER",
     "ANTHROPIC_API_KEY", "ld_preload", "A=B", ""],
)  # fmt: skip
async def test_what_decides_which_code_runs_is_refused_whoever_granted_it(
    place: Place, name: str
) -> None:
    hook = Hook(SetEnvironment({name: "/evil", "STAGE": "test"}))
    feature = hooked(hook, POINT, grants=(ShapeEnvironment(name), *GRANTS))
    _, events = await ran(place, script("bash", {"command": "env"}), feature)

    assert "/evil" not in results(place)[0]
    assert "STAGE=test" in results(place)[0], "the rest of its wish counts"
    refused, rewrite = entries(place, "hook")
    assert (refused["decision"], rewrite["decision"]) == ("refused", "rewrite")
    assert f"{name}: " in refused["reason"]
    assert any(isinstance(e, Fault) and f"{name}: " in e.message for e in events)


async def test_a_variable_needs_its_own_grant(place: Place) -> None:
    hook = Hook(SetEnvironment({"STAGE": "test", "OTHER": "x"}))
    feature = hooked(hook, POINT, grants=(ShapeEnvironment("STAGE"),))
    await ran(place, script("bash", {"command": "echo [$STAGE][$OTHER]"}), feature)

    assert results(place) == ["[test][]"]
    assert "OTHER: shape-environment(OTHER)" in entries(place, "hook")[0]["reason"]


@pytest.mark.parametrize(
    "value", ["a\0b", "half a pair \ud800", "https://me:pass@host/", "x" * 40_000]
)
async def test_a_value_that_no_process_can_have_is_refused(place: Place, value: str) -> None:
    hook = Hook(SetEnvironment({"STAGE": value}))
    await ran(
        place, script("bash", {"command": "echo [$STAGE]"}), hooked(hook, POINT, grants=GRANTS)
    )

    assert results(place) == ["[]"]
    assert [note["decision"] for note in entries(place, "hook")] == ["refused"]


@pytest.mark.parametrize("policy", list(FailurePolicy))
async def test_a_guard_of_environments_that_fails_keeps_the_command_from_running(
    place: Place, policy: FailurePolicy
) -> None:
    def burst(event: object) -> Any:
        raise RuntimeError("burst")

    made = place.workspace / "made.txt"
    feature = hooked(Hook(burst), POINT, failure=policy)
    await ran(place, script("bash", {"command": "touch made.txt"}), feature)

    denied = policy is FailurePolicy.DENY
    assert made.exists() is not denied
    (ended,) = entries(place, "result")
    assert ended["outcome"] == ("denied" if denied else "ok")
    assert [note["decision"] for note in entries(place, "hook")] == (["failed"] if denied else [])
    assert len(entries(place, "intent")) == (0 if denied else 1)


async def test_a_hook_for_one_tool_does_not_hear_of_another(place: Place) -> None:
    hook = Hook(SetEnvironment({"STAGE": "test"}))
    feature = hooked(hook, POINT, grants=GRANTS, tools=("process",))
    await ran(place, script("bash", {"command": "echo [$STAGE]"}), feature)

    assert (results(place), hook.seen) == (["[]"], [])


async def test_the_commands_of_delegates_find_it_too(tmp_path: Any) -> None:
    home = Home(tmp_path)
    hook = Hook(SetEnvironment({"STAGE": "below"}))
    agent(home, "one", answer("", ("bash", {"command": "echo [$STAGE]"})) + DONE)
    model = home.script(answer("", task("x", "one")) + DONE)
    await ran_at_home(home, model, hooked(hook, POINT, grants=GRANTS))

    below = sessions(home)["one"]
    assert told(below, "bash") == "[below]"
    assert [entry["by"] for entry in of(below, "hook")] == ["user:guard"]
