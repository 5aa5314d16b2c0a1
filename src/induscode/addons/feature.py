"""An addon as a feature: its descriptor is what it offers, its contributions are what it records.

Nothing of the addon runs when the feature is installed. Whatever it contributes leads to the addon
at rest (`Standing`), which starts with its first call.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from induscode.addons.contract import (
    AddonCommand,
    AddonId,
    AddonTask,
    AnyTool,
    CommandContext,
    FrameworkHandles,
    RegisteredManifest,
    Standing,
)
from induscode.addons.descriptors import (
    ENTER,
    EXIT,
    POINTS,
    descriptor_of,
    event_hook_names,
    stage_hook_name,
)
from induscode.addons.hooks import EventHook, StageHook
from induscode.addons.offers import OfferedInterceptor, Offers
from induscode.addons.package import AddonPackage
from induscode.addons.surface import RecordingSurface
from induscode.feature.background import (
    BackgroundTaskContribution,
    FeatureTaskContext,
    RestartPolicy,
)
from induscode.feature.capability import AnyCapability, InheritEnvironment, Network, ScopedFs
from induscode.feature.command import CommandContribution, Say
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.points import HookPoint
from induscode.feature.registry import FeatureInstallContext
from induscode.feature.tool import ToolContribution

__all__ = ["AddonFeature", "Placed", "Prompt", "Typed", "contribute"]

_REACH = (ScopedFs, Network, InheritEnvironment)
Typed = Callable[[str], AbstractContextManager[FrameworkHandles]]


class Prompt(Protocol):
    """Where commands are typed: `typed` gives the handles of one command, which a person typed, for
    as long as it runs."""

    @property
    def typed(self) -> Typed: ...

    @property
    def cwd(self) -> Path: ...


class Placed(Struct, frozen=True):
    """An addon in its session: at rest, with the handles that it acts through; a `Prompt`."""

    standing: Standing
    handles: FrameworkHandles
    typed: Typed
    cwd: Path


class AddonFeature:
    """The feature made of one package. `place` is called when it is installed, with what the
    feature may use; `close` ends what the addon started."""

    def __init__(
        self,
        feature: FeatureId,
        package: AddonPackage,
        offers: Offers,
        place: Callable[[AddonPackage, Offers, FeatureInstallContext], Placed],
    ) -> None:
        self._feature = feature
        self._package = package
        self._offers = offers
        self._place = place
        self._placed: Placed | None = None

    def descriptor(self) -> FeatureDescriptor:
        return descriptor_of(self._feature, self._package.tier, self._offers)

    def install(self, ctx: FeatureInstallContext, /) -> None:
        self._placed = placed = self._place(self._package, self._offers, ctx)
        surface = RecordingSurface(AddonId(self._feature.name), placed.handles)
        placed.standing.record(surface)
        contribute(surface.manifest(), self._offers, placed, ctx)

    @property
    def unconfined(self) -> str:
        """What this machine does not keep its programs from, "" as long as none was started."""
        said = self._placed.standing.unconfined if self._placed is not None else ""
        return f"{self._feature}: {said}" if said else ""

    async def close(self) -> None:
        if self._placed is not None:
            await self._placed.standing.close()


def contribute(
    recorded: RegisteredManifest, offers: Offers, prompt: Prompt, ctx: FeatureInstallContext
) -> None:
    """Everything that an addon recorded, under the names that its descriptor has for it. What its
    program was given when it started cannot be taken from it while it runs: once such a grant is
    withdrawn, nothing of the addon is asked any more."""
    given = _given(offers, ctx)

    def lacking() -> str | None:
        why = (ctx.grants.denial(one) for one in given)
        return next((f"{no.capability.text()}: {no.reason}" for no in why if no is not None), None)

    for name, subscription in zip(event_hook_names(offers), recorded.subscriptions, strict=True):
        ctx.hooks.add(name, POINTS[subscription.event], EventHook(subscription, lacking))
    for place, one in enumerate(recorded.interceptors):
        tool = None if isinstance(one.match, AnyTool) else one.match.name
        stage = OfferedInterceptor(tool, one.enter is not None, one.exit is not None)
        hook = StageHook(one, lacking)
        if stage.enter:
            ctx.hooks.add(stage_hook_name(place, stage, ENTER), HookPoint.PRE_TOOL_CALL, hook)
        if stage.exit:
            ctx.hooks.add(stage_hook_name(place, stage, EXIT), HookPoint.POST_TOOL_CALL, hook)
    for command in recorded.commands:
        run = _Command(command, prompt)
        ctx.commands.register(CommandContribution(command.name, run, given))
    for tool in recorded.tools:
        ctx.tools.register(ToolContribution(tool.name, tool, given))
    for task in recorded.tasks:
        ctx.background_tasks.register(
            BackgroundTaskContribution(
                task.name,
                _Task(task),
                task.description,
                restart=RestartPolicy.on_failure(task.restarts),
                required_capabilities=given,
            )
        )


def _given(offers: Offers, ctx: FeatureInstallContext) -> tuple[AnyCapability, ...]:
    """What is granted now and shapes what a program of the addon can reach."""
    wanted = (request.capability for request in offers.requests())
    return tuple(one for one in wanted if isinstance(one, _REACH) and ctx.grants.allows(one))


class _Command:
    """What a person types; its answer is told to the person."""

    def __init__(self, command: AddonCommand, prompt: Prompt) -> None:
        self._command = command
        self._prompt = prompt

    async def run(self, arguments: str) -> Say:
        with self._prompt.typed(self._command.name) as handles:
            said = await self._command.run(CommandContext(arguments, self._prompt.cwd, handles))
        return Say(said or "")


class _Task:
    def __init__(self, task: AddonTask) -> None:
        self._task = task

    async def run(self, context: FeatureTaskContext) -> None:
        await self._task.run(context.cancellation)
