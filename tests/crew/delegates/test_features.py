"""Features of the program above: their gates hold in delegates, and outlive them."""

from __future__ import annotations

import asyncio
from typing import Any

from induscode.feature.background import BackgroundTaskContribution, FeatureTaskContext
from induscode.feature.capability import (
    CapabilityRequest,
    ContributeCommand,
    EmitAlert,
    RunBackgroundTask,
)
from induscode.feature.command import CommandContribution, CommandOutcome, Say
from induscode.feature.hook_views import Continue, DenyWithSyntheticError
from induscode.feature.registry import FeatureInstallContext
from induscode.kernel.person import PersonAnswer, Question
from induscode.sdk import Agent, OwnFeature
from tests.cli.home import Home, answer
from tests.crew.delegates.family import SAY, agent, chain, of, outcomes, sessions, task, told
from tests.features.modules import Task
from tests.features.sessions import Custom, Hook, Weather, hooked, weather

_ALERTS = CapabilityRequest.optional(EmitAlert(), "say something")
LS, WEATHER = ("ls", {}), ("weather", {"town": "Cork"})


async def ran(home: Home, model: str, *features: OwnFeature, **options: Any) -> None:
    where: dict[str, Any] = {"cwd": home.work, "home": home.indus, "environ": home.environ()}
    async with Agent(model, features=features, **{"mode": "full", **where, **options}) as opened:
        await opened.ask("go")


async def test_a_gate_of_the_program_stops_calls_of_delegates(home: Home) -> None:
    def no_listing(event: Any) -> Any:
        return DenyWithSyntheticError("no listing") if event.tool == "ls" else Continue()

    hook = Hook(no_listing)
    await ran(home, chain(home, LS, ("read", {"path": "x"})), hooked(hook))
    leaf = sessions(home)["leaf"]
    assert outcomes(leaf) == [("ls", "denied"), ("read", "error")]
    assert "no listing" in told(leaf, "ls")
    assert [event.tool for event in hook.seen] == ["task", "task", "ls", "read"]
    assert [entry["by"] for entry in of(leaf, "hook")] == ["user:guard"]


async def test_a_feature_is_alive_after_a_delegate_has_ended(home: Home) -> None:
    tool = Weather()
    agent(home, "one", answer("", WEATHER) + SAY)
    model = home.script(answer("", task("x", "one")) + answer("", WEATHER) + SAY)
    await ran(home, model, weather(tool), hooked(Hook(Continue())))
    found = sessions(home)
    assert outcomes(found["one"]) == [("weather", "ok")]
    assert outcomes(found["root"]) == [("task", "ok"), ("weather", "ok")]
    assert len(tool.ran) == 2
    installed = {row["id"] for entry in of(found["one"], "install") for row in entry["features"]}
    assert {"user:forecast", "user:guard"} <= installed


async def test_the_end_of_a_delegate_takes_no_handle_of_a_feature_away(home: Home) -> None:
    contexts: list[FeatureInstallContext] = []
    feature = OwnFeature(
        Custom(lambda made: made.request(_ALERTS), contexts.append, "herald"), (EmitAlert(),)
    )
    where: dict[str, Any] = {"cwd": home.work, "home": home.indus, "environ": home.environ()}
    async with Agent(chain(home, LS), features=[feature], mode="full", **where) as opened:
        await opened.ask("go")
        (context,) = contexts
        assert context.alerts.alert("still here"), "it was installed once, and is not closed"
    assert outcomes(sessions(home)["leaf"]) == [("ls", "ok")]


class Greet:
    ran = 0

    async def run(self, arguments: str) -> CommandOutcome:
        self.ran += 1
        return Say("hello")


async def test_an_objective_that_looks_like_a_command_is_not_one(home: Home) -> None:
    command = Greet()
    feature = OwnFeature(
        Custom(
            lambda made: made.command("greet"),
            lambda ctx: ctx.commands.register(CommandContribution("greet", command)),
        ),
        (ContributeCommand("greet"),),
    )
    agent(home, "one", answer("Heard."))
    model = home.script(answer("", task("/greet everybody", "one")) + SAY)
    await ran(home, model, feature)
    assert command.ran == 0, "commands are for people"
    (said,) = of(sessions(home)["one"], "input")
    assert said["content"][0]["text"] == "/greet everybody"


async def test_background_tasks_run_in_the_session_of_the_person_only(home: Home) -> None:
    begun: list[int] = []

    async def watch(context: FeatureTaskContext) -> None:
        begun.append(1)
        await asyncio.Event().wait()

    feature = OwnFeature(
        Custom(
            lambda made: made.background_task("watch"),
            lambda ctx: ctx.background_tasks.register(
                BackgroundTaskContribution("watch", Task(watch))
            ),
        ),
        (RunBackgroundTask(),),
    )
    await ran(home, chain(home, LS), feature)
    assert outcomes(sessions(home)["leaf"]) == [("ls", "ok")]
    assert begun == [1]


async def test_a_person_who_thinks_long_does_not_cost_the_delegate_its_time(home: Home) -> None:
    write = ("write", {"path": "made.txt", "content": "x"})
    agent(home, "one", answer("", write) + SAY, max_seconds=1)

    async def slowly(question: Question) -> PersonAnswer:
        thought = asyncio.Event()
        asyncio.get_running_loop().call_later(1.5, thought.set)
        await thought.wait()
        return PersonAnswer("once")

    model = home.script(answer("", task("x", "one")) + SAY)
    await ran(home, model, mode="ask", on_approval=slowly)
    assert outcomes(sessions(home)["root"]) == [("task", "ok")]
    assert (home.work / "made.txt").exists()
