"""Small features for tests: a descriptor, and what install does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from induscode.feature.background import BackgroundTaskContribution, FeatureTaskContext
from induscode.feature.descriptor import DescriptorBuilder, FeatureDescriptor, FeatureId
from induscode.feature.diagnostic import FeatureInstallReport
from induscode.feature.hook_views import (
    Continue,
    PublicPreToolCallDecision,
    PublicPreToolCallEvent,
)
from induscode.feature.hosting.installed import FeatureRegistry
from induscode.feature.registry import FeatureInstallContext, Package
from induscode.feature.tool import ToolContribution
from induscode.kernel.tool import ToolContext, ToolResult
from tests.features.hosting import package

__all__ = [
    "Echo",
    "Module",
    "Task",
    "Watcher",
    "describe",
    "greeter",
    "report_of",
    "tasks_of",
    "tool_names",
    "until",
]

Install = Callable[[FeatureInstallContext], object]
Running = Callable[[FeatureTaskContext], Any]


def describe(name: str) -> DescriptorBuilder:
    return FeatureDescriptor.builder(FeatureId.builtin(name))


class Module:
    """A `FeatureModule` of two parts."""

    def __init__(
        self, made: DescriptorBuilder | FeatureDescriptor, install: Install = lambda _: None
    ) -> None:
        self._made = made.build() if isinstance(made, DescriptorBuilder) else made
        self._install = install
        self.context: FeatureInstallContext | None = None

    def descriptor(self) -> FeatureDescriptor:
        return self._made

    def install(self, ctx: FeatureInstallContext) -> None:
        self.context = ctx
        self._install(ctx)


class Echo:
    """A tool that says what it was told."""

    label = "Echo"
    description = "Says it again."
    parameters: Mapping[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}}
    read_only = True

    def __init__(self, name: str = "echo") -> None:
        self.name = name

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult.text(str(arguments.get("text", "")))


class Watcher:
    """A pre-tool hook that objects to nothing."""

    def on_pre_tool_call(self, event: PublicPreToolCallEvent) -> PublicPreToolCallDecision:
        return Continue()


class Task:
    """A `FeatureTask` that runs the given coroutine function and remembers its contexts."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self.contexts: list[FeatureTaskContext] = []
        self.ended = 0

    async def run(self, context: FeatureTaskContext) -> None:
        self.contexts.append(context)
        try:
            return await self._running(context)
        finally:
            self.ended += 1


def greeter(name: str = "greeter", *tools: str) -> Module:
    """A well-behaved feature with tools: `echo` if no further names are given."""
    names = tools or ("echo",)
    made = describe(name)
    for tool in names:
        made.tool(tool)

    def install(ctx: FeatureInstallContext) -> None:
        for tool in names:
            ctx.tools.register(ToolContribution(tool, Echo(tool)))

    return Module(made, install)


def tasks_of(name: str, *contributions: BackgroundTaskContribution) -> Package:
    """A feature with background tasks and nothing else."""
    made = describe(name)
    for one in contributions:
        made.background_task(one.id)

    def install(ctx: FeatureInstallContext) -> None:
        for one in contributions:
            ctx.background_tasks.register(one)

    return package(Module(made, install))


def tool_names(registry: FeatureRegistry) -> list[str]:
    return [draft.tool.name for _, draft in registry.tools()]


def report_of(registry: FeatureRegistry, feature: str) -> FeatureInstallReport:
    return next(one for one in registry.reports() if one.feature_id == feature)


async def until(condition: Callable[[], object], seconds: float = 5.0) -> None:
    """Let the loop turn until it holds."""
    loop = asyncio.get_running_loop()
    last = loop.time() + seconds
    while not condition():
        assert loop.time() < last, "it did not come to pass"
        await asyncio.sleep(0)
