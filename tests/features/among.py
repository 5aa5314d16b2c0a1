"""A hostile feature between two that behave, and what must hold then."""

from __future__ import annotations

import asyncio
from typing import Any

from induscode.feature.background import BackgroundTaskContribution
from induscode.feature.command import CommandContribution
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.diagnostic import FeatureInstallReport
from induscode.feature.fragment import FragmentContribution
from induscode.feature.hosting.installed import FeatureRegistry
from induscode.feature.points import HookPoint
from induscode.feature.registry import FeatureInstallContext, FeatureModule
from induscode.feature.tool import ToolContribution
from tests.features.hosting import TestHost, package
from tests.features.modules import (
    Echo,
    Task,
    Watcher,
    greeter,
    report_of,
    tool_names,
)

__all__ = ["CULPRIT", "Among", "LongText", "culprit", "declared", "everything"]

CULPRIT = FeatureId.user("culprit")


def culprit() -> Any:
    return FeatureDescriptor.builder(CULPRIT)


class Among:
    """A module installed between two that behave."""

    def __init__(
        self, module: FeatureModule, host: TestHost | None = None, *, source: str = "user"
    ) -> None:
        self.host = host or TestHost()
        self.registry: FeatureRegistry = self.host.registry(
            package(greeter("first", "one")),
            package(module, source=source, ours=False),
            package(greeter("last", "two")),
        )

    def assert_others_work(self, *besides: str) -> None:
        assert tool_names(self.registry) == ["one", *besides, "two"]
        assert report_of(self.registry, "builtin:first").enabled
        assert report_of(self.registry, "builtin:last").enabled
        assert not report_of(self.registry, "builtin:last").diagnostics

    def assert_gone(self, *, named: str = str(CULPRIT), because: str) -> None:
        """Nothing of it is installed, and its report says why."""
        self.assert_others_work()
        assert [feature.id for feature in self.registry.features] == [
            "builtin:first",
            "builtin:last",
        ]
        self.assert_nothing_but_tools()
        report = report_of(self.registry, named)
        assert not report.enabled
        assert installed_by(report) == []
        assert because in report.diagnostics[0].message
        assert any(who == named and because in said for who, said in self.host.told)

    def assert_nothing_but_tools(self) -> None:
        assert self.registry.hooks() == []
        assert self.registry.tasks() == []
        assert self.registry.commands() == []
        assert self.registry.fragments() == []


def installed_by(report: FeatureInstallReport) -> list[str]:
    return [
        *report.installed_tools,
        *report.installed_hooks,
        *report.installed_background_tasks,
        *report.installed_commands,
        *report.installed_fragments,
    ]


def everything(ctx: FeatureInstallContext) -> None:
    ctx.tools.register(ToolContribution("echo", Echo()))
    ctx.hooks.pre_tool_call("audit", Watcher())
    ctx.background_tasks.register(BackgroundTaskContribution("watch", Task(asyncio.sleep)))
    ctx.commands.register(CommandContribution("greet", Echo()))
    ctx.fragments.register(FragmentContribution("about", "Trust me."))


def declared() -> Any:
    return (
        culprit()
        .tool("echo")
        .hook("audit", HookPoint.PRE_TOOL_CALL)
        .background_task("watch")
        .command("greet")
        .fragment("about")
    )


class LongText(str):
    __slots__ = ()

    def __len__(self) -> int:
        return 3
