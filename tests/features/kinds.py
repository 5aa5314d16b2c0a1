"""One contribution of each kind, with the capability that it needs."""

from __future__ import annotations

from collections.abc import Callable

from induscode.feature.background import BackgroundTaskContribution
from induscode.feature.capability import (
    AnyCapability,
    ContributeCommand,
    ContributeFragment,
    ContributeHook,
    ContributeTool,
    Network,
    NetworkPurpose,
    RunBackgroundTask,
)
from induscode.feature.command import CommandContribution, Say
from induscode.feature.diagnostic import FeatureInstallReport
from induscode.feature.fragment import FragmentContribution
from induscode.feature.hosting.installed import FeatureRegistry
from induscode.feature.points import HookPoint
from induscode.feature.registry import (
    FeatureInstallContext,
)
from induscode.feature.tool import ToolContribution
from tests.features.modules import (
    Echo,
    Module,
    Task,
    Watcher,
    describe,
)

__all__ = [
    "FETCH",
    "KINDS",
    "NAMES",
    "TOOL",
    "contribute_all",
    "full",
    "installed",
    "nothing_in",
]


async def nothing(context: object) -> None:
    pass


class Greet:
    async def run(self, arguments: str) -> Say:
        return Say("hello")


FETCH = Network(NetworkPurpose.FETCH)
TOOL = ToolContribution("echo", Echo())
KINDS: dict[str, tuple[AnyCapability, Callable[[FeatureInstallContext], None]]] = {
    "tool": (ContributeTool("echo"), lambda ctx: ctx.tools.register(TOOL)),
    "hook": (
        ContributeHook(HookPoint.PRE_TOOL_CALL),
        lambda ctx: ctx.hooks.pre_tool_call("audit", Watcher()),
    ),
    "task": (
        RunBackgroundTask(),
        lambda ctx: ctx.background_tasks.register(
            BackgroundTaskContribution("watch", Task(nothing))
        ),
    ),
    "command": (
        ContributeCommand("greet"),
        lambda ctx: ctx.commands.register(CommandContribution("greet", Greet())),
    ),
    "fragment": (
        ContributeFragment("features"),
        lambda ctx: ctx.fragments.register(FragmentContribution("about", "Say hello.")),
    ),
}
NAMES = {"tool": "echo", "hook": "audit", "task": "watch", "command": "greet", "fragment": "about"}


def contribute_all(ctx: FeatureInstallContext) -> None:
    for _, contribute in KINDS.values():
        contribute(ctx)


def full() -> Module:
    """One of each kind."""
    made = (
        describe("full")
        .tool("echo")
        .hook("audit", HookPoint.PRE_TOOL_CALL)
        .background_task("watch")
        .command("greet")
        .fragment("about")
    )
    return Module(made, contribute_all)


def installed(report: FeatureInstallReport) -> dict[str, tuple[str, ...]]:
    return {
        "tool": report.installed_tools,
        "hook": report.installed_hooks,
        "task": report.installed_background_tasks,
        "command": report.installed_commands,
        "fragment": report.installed_fragments,
    }


def nothing_in(registry: FeatureRegistry) -> bool:
    return not (
        registry.tools()
        or registry.hooks()
        or registry.tasks()
        or registry.commands()
        or registry.fragments()
    )
