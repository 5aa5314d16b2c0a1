"""A grant that is taken away counts at the next use, for everything that can be contributed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from induscode.feature.capability import (
    AnyCapability,
    ContributeCommand,
    ContributeFragment,
    ContributeHook,
    ContributeTool,
    EmitAlert,
    EmitDiagnostic,
    EmitModelNotification,
)
from induscode.feature.command import CommandContribution, CommandOutcome, Say
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.fragment import FragmentContribution
from induscode.feature.hook_views import Continue
from induscode.feature.hosting.grant_store import GrantStore
from induscode.feature.points import HookPoint
from induscode.feature.registry import FeatureInstallContext
from induscode.feature.tool import ToolContribution
from induscode.kernel.events import RunResult
from induscode.kernel.jsontext import digest
from induscode.sdk import Agent, OwnFeature
from tests.channels.place import Place
from tests.features.sessions import CALL, SAY, Weather, entries
from tests.requirements import requirement

ALL: dict[str, AnyCapability] = {
    "tool": ContributeTool("weather"),
    "hook": ContributeHook(HookPoint.PRE_TOOL_CALL),
    "command": ContributeCommand("time"),
    "fragment": ContributeFragment("features"),
    "notify": EmitModelNotification(),
    "alert": EmitAlert(),
    "diagnostic": EmitDiagnostic(),
}


class Everything:
    """Contributes one of each, and keeps its handles."""

    def __init__(self) -> None:
        self.weather = Weather()
        self.heard = 0
        self.context: FeatureInstallContext | None = None

    def descriptor(self) -> FeatureDescriptor:
        made = FeatureDescriptor.builder(FeatureId.user("everything")).version("1")
        made.tool("weather").hook("guard", HookPoint.PRE_TOOL_CALL)
        return made.command("time").fragment("tides").build()

    def install(self, ctx: FeatureInstallContext, /) -> None:
        self.context = ctx
        ctx.tools.register(ToolContribution("weather", self.weather))
        ctx.hooks.pre_tool_call("guard", self)
        ctx.commands.register(CommandContribution("time", self))
        ctx.fragments.register(FragmentContribution("tides", "Mind the tides."))

    async def on_pre_tool_call(self, event: object) -> Continue:
        self.heard += 1
        return Continue()

    async def run(self, arguments: str) -> CommandOutcome:
        return Say("noon")


class Running:
    """A session with that feature, whose grants come from the user's store."""

    def __init__(self, place: Place, script: str) -> None:
        self.module = Everything()
        self.store = GrantStore(place.home)
        source = Path(__file__).read_bytes()
        self.store.give(self.module.descriptor(), digest(source), ALL.values(), "now")
        model = f"scripted/{place.workspace / Path(place.script(script)).name}"
        where: dict[str, Any] = {"cwd": place.workspace, "home": place.home}
        self.agent = Agent(
            model,
            mode="full",
            environ=place.environ,
            features=[OwnFeature(self.module, None)],
            **where,
        )

    def withdraw(self, name: str) -> None:
        self.store.withdraw("user:everything", [ALL[name]], "later")

    async def ask(self, text: str) -> RunResult:
        return await self.agent.ask(text)


@requirement("invariant.06.withdrawn-while-running", "invariant.06.every-grant-enforces")
async def test_a_tool_is_denied_once_its_grant_is_gone(place: Place) -> None:
    running = Running(place, CALL + CALL)
    async with running.agent:
        await running.ask("one")
        running.withdraw("tool")
        await running.ask("two")
    assert len(running.module.weather.ran) == 1
    assert [entry["outcome"] for entry in entries(place, "result")] == ["ok", "denied"]


async def test_a_guard_without_its_grant_denies_and_the_log_says_that_it_did_not_start(
    place: Place,
) -> None:
    running = Running(place, CALL + CALL)
    async with running.agent:
        await running.ask("one")
        running.withdraw("hook")
        await running.ask("two")
    assert (running.module.heard, len(running.module.weather.ran)) == (1, 1)
    (note,) = entries(place, "hook")
    assert note["decision"] == "not-started"
    assert "contribute-hook(pre-tool-call)" in note["reason"]


async def test_a_command_does_not_run_once_its_grant_is_gone(place: Place) -> None:
    running = Running(place, SAY)
    async with running.agent:
        assert (await running.ask("/time")).text == "noon"
        running.withdraw("command")
        assert (await running.ask("/time")).exit == 1


async def test_a_fragment_leaves_the_prompt_at_the_next_epoch(place: Place) -> None:
    running = Running(place, SAY + SAY)
    async with running.agent:
        await running.ask("one")
        running.withdraw("fragment")
        await running.ask("two")
    first, second = entries(place, "briefing")
    assert "user:everything" in [span["by"] for span in first["spans"]]
    assert "user:everything" not in [span["by"] for span in second["spans"]]
    assert place.replays()


@pytest.mark.parametrize("name", ["notify", "alert", "diagnostic"])
async def test_a_sink_that_is_held_refuses_once_its_grant_is_gone(place: Place, name: str) -> None:
    running = Running(place, SAY)
    async with running.agent:
        await running.ask("one")
        context = running.module.context
        assert context is not None

        async def used() -> bool:
            match name:
                case "notify":
                    return await context.notify.notify_model("hear")
                case "alert":
                    return context.alerts.alert("look")
                case _:
                    return context.diagnostics.record("note")

        assert await used()
        running.withdraw(name)
        assert not await used()
