"""Features of a test in real sessions, brought along by a program."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from induscode.feature.capability import (
    AnyCapability,
    ContributeHook,
    ContributeTool,
)
from induscode.feature.descriptor import DescriptorBuilder, FeatureDescriptor, FeatureId
from induscode.feature.hook import HookDeclaration
from induscode.feature.points import HookPoint
from induscode.feature.registry import FeatureInstallContext
from induscode.feature.tool import ToolContribution
from induscode.kernel.events import Event, RunResult
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.sdk import Agent, OwnFeature
from tests.channels.place import BOUND, INDUS, Place

PRE, POST = HookPoint.PRE_TOOL_CALL, HookPoint.POST_TOOL_CALL


class Custom:
    """A feature made of two functions."""

    def __init__(
        self,
        declare: Callable[[DescriptorBuilder], object],
        install: Callable[[FeatureInstallContext], object],
        name: str = "custom",
    ) -> None:
        self._declare = declare
        self._install = install
        self._name = name

    def descriptor(self) -> FeatureDescriptor:
        builder = FeatureDescriptor.builder(FeatureId.user(self._name)).version("1")
        self._declare(builder)
        return builder.build()

    def install(self, ctx: FeatureInstallContext, /) -> None:
        self._install(ctx)


class Weather:
    name = "weather"
    label = "Weather"
    description = "Say what the weather is."
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {"town": {"type": "string"}},
        "required": ["town"],
    }
    read_only = True

    def __init__(self, text: str = "rain") -> None:
        self.text = text
        self.ran: list[Mapping[str, Any]] = []

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self.ran.append(arguments)
        return ToolResult.text(self.text)


class Hook:
    """Whatever the point: answers with this, or with what this function says."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.seen: list[Any] = []

    async def _heard(self, event: Any) -> Any:
        self.seen.append(event)
        return self._answer(event) if callable(self._answer) else self._answer

    on_pre_tool_call = on_post_tool_call = on_input_submit = on_pre_request = _heard
    on_turn_end = on_post_assistant = on_session_start = on_session_end = _heard
    on_before_rewrite = on_turn_start = on_request_parameters = on_summary = _heard
    on_shell_environment = _heard


def weather(tool: Weather) -> OwnFeature:
    return OwnFeature(
        Custom(
            lambda made: made.tool("weather"),
            lambda ctx: ctx.tools.register(ToolContribution("weather", tool)),
            "forecast",
        ),
        (ContributeTool("weather"),),
    )


def hooked(
    hook: Any,
    point: HookPoint = PRE,
    name: str = "guard",
    grants: tuple[AnyCapability, ...] = (),
    **declared: Any,
) -> OwnFeature:
    declaration = HookDeclaration(name, point, **declared)

    def install(ctx: FeatureInstallContext) -> None:
        method = str(point).replace("-", "_")
        getattr(ctx.hooks, method)(name, hook)

    return OwnFeature(
        Custom(lambda made: made.hook(declaration), install, name),
        (ContributeHook(point), *grants),
    )


CALL = """
[[answer]]
[[answer.call]]
name = "weather"
arguments = { town = "Cork" }
[[answer]]
text = "Done."
"""
SAY = '[[answer]]\ntext = "Done."\n'


def opened(place: Place, script: str, *features: OwnFeature, **options: Any) -> Agent:
    model = f"scripted/{place.workspace / Path(place.script(script)).name}"
    where: dict[str, Any] = {"cwd": place.workspace, "home": place.home, "environ": place.environ}
    return Agent(model, features=features, **{"mode": "full", **where, **options})


async def ran(
    place: Place, script: str, *features: OwnFeature, said: str = "go", **options: Any
) -> tuple[RunResult, list[Event]]:
    async with opened(place, script, *features, **options) as agent:
        events = [event async for event in agent.run(said)]
        assert agent.result is not None
        return agent.result, events


def entries(place: Place, kind: str) -> list[dict[str, Any]]:
    return [entry for entry in place.entries() if entry["type"] == kind]


def why(place: Place, text: str) -> str:
    done = subprocess.run(
        [*INDUS, "why", "last", "--find", text],
        cwd=place.workspace, env=place.environ, capture_output=True, text=True, timeout=BOUND,
        check=True,
    )  # fmt: skip
    return done.stdout
