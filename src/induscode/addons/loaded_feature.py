"""An addon that is loaded and has recorded, as a feature: its descriptor is what it recorded.

What it does, it does through the handles of the program that loaded it. Only the lines of its
commands may go through the session's shell, as whoever types one could run them.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.addons.contract import (
    Addon,
    AddonCommand,
    AddonFault,
    AddonFaultKind,
    AddonTool,
    AnyTool,
    EventSubscription,
    FrameworkHandles,
    RegisteredManifest,
    ToolInterceptor,
)
from induscode.addons.descriptors import (
    ENTER,
    EXIT,
    descriptor_of,
    event_hook_names,
    stage_hook_name,
)
from induscode.addons.discovery import Tier, tier_of
from induscode.addons.feature import Typed, contribute
from induscode.addons.manifest import usable_command
from induscode.addons.offers import (
    OfferedCommand,
    OfferedEvent,
    OfferedInterceptor,
    OfferedTask,
    OfferedTool,
    Offers,
)
from induscode.addons.typed_shell import typed_exec
from induscode.errors import FeatureInstallError
from induscode.feature.capability import AnyCapability
from induscode.feature.descriptor import FeatureDescriptor, FeatureId, FeatureRuntimeKind
from induscode.feature.hosting.foreign import is_plain, plain, said, short
from induscode.feature.hosting.given import GivenGrants
from induscode.feature.hosting.installed import InstalledFeature
from induscode.feature.registry import FeatureInstallContext, Package
from induscode.kernel.jsontext import clean_text

__all__ = ["LoadedFeature"]


class LoadedFeature:
    """The feature of one addon, for as many registries as there are."""

    def __init__(
        self, addon: Addon, recorded: RegisteredManifest, path: Path, handles: FrameworkHandles
    ) -> None:
        self.addon = addon
        self.path = path
        commands, strange = _usable_commands(recorded.commands)
        tools, nameless = _usable_tools(recorded.tools)
        self._unusable = (*strange, *nameless)
        self.recorded = msgspec.structs.replace(recorded, commands=commands, tools=tools)
        self._offers = _offers(self.recorded, addon.manifest.version)
        self._tier = tier_of(path)
        self._handles = handles

    @property
    def feature_id(self) -> str:
        return str(FeatureId.user(self.addon.id))

    def faults(self) -> tuple[AddonFault, ...]:
        """What of its recording can be no contribution of anybody."""
        kind, addon = AddonFaultKind.REGISTER, self.addon.id
        return tuple(AddonFault(kind, why, addon=addon) for why in self._unusable)

    def package(
        self, digest: str, granted: tuple[AnyCapability, ...], *, ours: bool = False
    ) -> Package:
        """With the right to contribute all that it recorded, and what else is granted."""
        held = GivenGrants((*self._contributions(), *granted))
        return Package(self, digest, "user", str(self.path), ours=ours, grants=held)

    def requested(self) -> tuple[AnyCapability, ...]:
        return tuple(request.capability for request in self.addon.manifest.requests)

    def descriptor(self) -> FeatureDescriptor:
        made = descriptor_of(
            FeatureId.user(self.addon.id), self._tier or Tier.PROCESS, self._offers
        )
        return msgspec.structs.replace(
            made,
            requested_capabilities=self.addon.manifest.requests,
            runtime=FeatureRuntimeKind.BUILTIN if self._tier is None else made.runtime,
        )

    def install(self, ctx: FeatureInstallContext, /) -> None:
        contribute(self.recorded, self._offers, _Prompt(partial(self._typed, ctx)), ctx)

    def view(self, installed: InstalledFeature) -> RegisteredManifest:
        """What of it a registry has installed: each name once, tools as they were taken."""
        draft = installed.draft
        events = zip(event_hook_names(self._offers), self.recorded.subscriptions, strict=True)
        stages = enumerate(self.recorded.interceptors)
        commands = {one.name: one for one in reversed(self.recorded.commands)}
        return RegisteredManifest(
            tuple(one for name, one in events if name in draft.hooks),
            tuple(one for place, one in stages if set(_hook_names(place, one)) <= {*draft.hooks}),
            tuple(commands[name] for name in draft.commands),
            tuple(one.tool for one in draft.tools.values()),
            tuple(one for one in self.recorded.tasks if one.name in draft.tasks),
        )

    def _contributions(self) -> tuple[AnyCapability, ...]:
        bare = msgspec.structs.replace(self.descriptor(), requested_capabilities=())
        return tuple(request.capability for request in bare.all_requests())

    def _typed(
        self, ctx: FeatureInstallContext, command: str
    ) -> AbstractContextManager[FrameworkHandles]:
        """Where the program has no shell for its addons, a session has one for whoever types."""
        handles = self._handles
        if handles.exec is None:
            handles = msgspec.structs.replace(handles, exec=typed_exec(ctx, command))
        return nullcontext(handles)


class _Prompt(Struct, frozen=True):
    """Commands are typed where the program works."""

    typed: Typed

    @property
    def cwd(self) -> Path:
        return Path.cwd()


def _usable_commands(
    commands: Iterable[AddonCommand],
) -> tuple[tuple[AddonCommand, ...], list[str]]:
    usable: list[AddonCommand] = []
    strange: list[str] = []
    for command in commands:
        if is_plain(command.name) and usable_command(command.name):
            usable.append(command)
        else:
            strange.append(f"{short(repr(command.name))} cannot be typed as a command")
    return tuple(usable), strange


def _usable_tools(tools: Iterable[AddonTool]) -> tuple[tuple[AddonTool, ...], list[str]]:
    usable: list[AddonTool] = []
    strange: list[str] = []
    for tool in tools:
        try:
            _name_of(tool)
        except FeatureInstallError as error:
            strange.append(f"a tool cannot be used: {error.message}")
        else:
            usable.append(tool)
    return tuple(usable), strange


def _name_of(tool: AddonTool) -> str:
    """Raises `FeatureInstallError` for a tool that does not say a name."""
    try:
        name: object = tool.name
    except Exception as error:
        raise FeatureInstallError(f"its name cannot be read: {said(error)}") from error
    if not is_plain(name) or not plain(name).isprintable() or not name:
        raise FeatureInstallError("its name is no text")
    return plain(name)


def _offers(recorded: RegisteredManifest, version: str | None) -> Offers:
    """What was recorded, in the words in which addons at rest say it."""
    return Offers(
        version=_line(version or ""),
        events=tuple(_event(one) for one in recorded.subscriptions),
        interceptors=tuple(_stage(one) for one in recorded.interceptors),
        commands=tuple(OfferedCommand(one.name, _line(one.summary)) for one in recorded.commands),
        tools=tuple(OfferedTool(_name_of(tool), "", {}) for tool in recorded.tools),
        tasks=tuple(
            OfferedTask(one.name, _line(one.description), one.restarts) for one in recorded.tasks
        ),
    )


def _event(one: EventSubscription) -> OfferedEvent:
    return OfferedEvent(one.event, one.handler.kind)


def _stage(one: ToolInterceptor) -> OfferedInterceptor:
    tool = None if isinstance(one.match, AnyTool) else one.match.name
    return OfferedInterceptor(tool, one.enter is not None, one.exit is not None)


def _hook_names(place: int, one: ToolInterceptor) -> list[str]:
    stage = _stage(one)
    sides = ((ENTER, stage.enter), (EXIT, stage.exit))
    return [stage_hook_name(place, stage, side) for side, there in sides if there]


def _line(text: object) -> str:
    return short(clean_text(plain(text))[0])
