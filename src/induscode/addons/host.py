"""The host of addons: finds, loads and registers them, and makes features of them.

One broken addon never affects another: whatever goes wrong with one is an `AddonFault` told to the
listeners, and nothing is raised. The order of loading is the order of dispatch and of the onion
around tools. Whose a name is, the registry of features decides; what a host shows is a view of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from induscode.addons.asking import HANDLER_SECONDS, Failed, ask
from induscode.addons.contract import (
    Addon,
    AddonCommand,
    AddonDiscovery,
    AddonFault,
    AddonFaultKind,
    AddonFaultListener,
    AddonId,
    AddonManifest,
    AddonSource,
    AddonTool,
    CommandContext,
    EventSubscription,
    FrameworkHandles,
    LoaderError,
    ModuleLoader,
    RegisteredManifest,
    ToolInterceptor,
)
from induscode.addons.discovery import derive_addon_id, discover_addons, discover_sources
from induscode.addons.dispatch import EventDispatcher, InterceptorChain
from induscode.addons.faults import FaultSink
from induscode.addons.loaded_feature import LoadedFeature
from induscode.addons.manifest import DeclarativeLoader, usable_id
from induscode.addons.own_registry import faults_in, own_registry
from induscode.addons.package import package_at
from induscode.addons.surface import RecordingSurface
from induscode.errors import HandleClosed
from induscode.feature.capability import AnyCapability
from induscode.feature.hosting.installed import FeatureRegistry
from induscode.feature.limits import COMMAND_SECONDS, SHUTDOWN_SECONDS
from induscode.feature.registry import Package
from induscode.kernel.jsontext import digest
from induscode.kernel.prompt_commands import RESERVED

__all__ = [
    "RESERVED_ACTION_NAMES",
    "AddonBundle",
    "AddonHost",
    "AddonHostDeps",
    "AddonRegistry",
    "RecordingSurface",
    "create_addon_host",
    "derive_addon_id",
    "discover_addons",
    "discover_sources",
]

T = TypeVar("T")

RESERVED_ACTION_NAMES: tuple[str, ...] = ("help", "quit", "exit", "clear", "model", "compact")
"""The least that is reserved; every command of the prompt is."""


class AddonHostDeps(Struct, frozen=True):
    """What a host is made of. No addon can have a name of `builtin_tools` or `reserved_actions`;
    unless the latter are given, they are every command of the prompt, the six among them, and all
    of `builtin_commands`. `seconds` is how long an addon may take to load, to register and to
    answer once."""

    loader: ModuleLoader = DeclarativeLoader()
    handles: FrameworkHandles = FrameworkHandles()
    reserved_actions: Collection[str] | None = None
    builtin_commands: Collection[str] = ()
    builtin_tools: Collection[str] = ()
    seconds: float = HANDLER_SECONDS


class AddonRegistry(Struct, frozen=True):
    """All that the registry of features has of a host's addons, in the order of loading; commands
    and tools once per name. A view: nothing is registered here."""

    subscriptions: tuple[EventSubscription, ...] = ()
    interceptors: tuple[ToolInterceptor, ...] = ()
    commands: tuple[AddonCommand, ...] = ()
    tools: tuple[AddonTool, ...] = ()


class AddonBundle(Struct, frozen=True):
    """The runtime over the registry."""

    dispatch: EventDispatcher
    interceptors: InterceptorChain
    commands: tuple[AddonCommand, ...]
    tools: tuple[AddonTool, ...]
    loaded: tuple[AddonId, ...]


class AddonHost:
    """Nothing here raises for what an addon does; cancelling passes through."""

    def __init__(self, deps: AddonHostDeps) -> None:
        self._deps = deps
        self._faults = FaultSink()
        reserved = deps.reserved_actions
        if reserved is None:
            reserved = (*RESERVED, *deps.builtin_commands)
        self._reserved = reserved
        self._claimed: dict[AddonId, Path] = {}
        self._loaded: list[LoadedFeature] = []
        self._begun: list[Addon] = []
        self._registry = AddonRegistry()

    def on_fault(self, listener: AddonFaultListener) -> Callable[[], None]:
        """Hears of every fault from now on, also of those at run time. The returned function ends
        that, and may be called again."""
        return self._faults.on_fault(listener)

    async def load_all(self, discovery: AddonDiscovery) -> AddonBundle:
        """Find, load, register, install. Addons load side by side, and count in their order."""
        await self._load(discover_sources(discovery))
        return self.bundle()

    async def load_one(self, source: AddonSource) -> AddonId | None:
        """Load one that was not discovered; None when it failed."""
        loaded = await self._load([source])
        return loaded[0].id if loaded else None

    def registry(self) -> AddonRegistry:
        """What there is now. A value: it does not follow what is loaded later."""
        return self._registry

    def packages(
        self, granted: Mapping[str, tuple[AnyCapability, ...]] | None = None
    ) -> list[Package]:
        """Each loaded addon as a feature, for a session of this program. Whoever loads an addon
        lets it contribute what it recorded; whatever else it asks for it holds as far as it is
        `granted`, by its id. It lives as long as this host."""
        given: Mapping[str, tuple[AnyCapability, ...]] = granted or {}
        return [
            feature.package(_digest(feature), given.get(feature.addon.id, ()))
            for feature in self._loaded
        ]

    def bundle(self) -> AddonBundle:
        """The runtime over what there is now; its faults go to this host's listeners."""
        found, faults, seconds = self.registry(), self._faults, self._deps.seconds
        return AddonBundle(
            EventDispatcher(found.subscriptions, faults=faults, seconds=seconds),
            InterceptorChain(found.interceptors, faults=faults, seconds=seconds),
            found.commands,
            found.tools,
            tuple(one.addon.id for one in self._loaded),
        )

    def addons(self) -> tuple[Addon, ...]:
        """Those that were loaded, in their order."""
        return tuple(one.addon for one in self._loaded)

    async def run_command(self, name: str, args: str, *, cwd: Path) -> str | AddonFault | None:
        """What the command tells the person. One that fails is a fault, told and returned."""
        wanted = name.casefold()
        commands = self._registry.commands
        command = next((one for one in commands if one.name.casefold() == wanted), None)
        if command is None:
            return AddonFault(AddonFaultKind.COMMAND, f"no addon offers /{name}")
        context = CommandContext(args, cwd, self._deps.handles)
        answer = await ask(lambda: command.run(context), COMMAND_SECONDS)
        if not isinstance(answer, Failed):
            return answer
        return self._told(
            AddonFaultKind.COMMAND, f"/{name}: {answer.reason}", command.addon, answer
        )

    async def close(self) -> None:
        """End what addons started, also those whose loading was cut short. One that does not end
        in time is a fault, and left behind."""
        leaving, self._begun, self._loaded = self._begun, [], []
        self._registry = AddonRegistry()
        await _side_by_side([self._closed(addon) for addon in leaving])

    async def _load(self, sources: list[AddonSource]) -> list[Addon]:
        found = await _side_by_side([self._read(source) for source in sources])
        addons = [
            addon
            for source, manifest in zip(sources, found, strict=True)
            if (addon := self._accepted(source, manifest)) is not None
        ]
        self._begun += addons
        recorded = await _side_by_side([self._registered(addon) for addon in addons])
        loaded: list[LoadedFeature] = []
        for addon, contributions in zip(addons, recorded, strict=True):
            if isinstance(contributions, Failed):
                message = f"it could not register: {contributions.reason}"
                self._told(AddonFaultKind.REGISTER, message, addon.id, contributions)
                await self._left(addon)
            else:
                path = self._claimed[addon.id]
                loaded.append(LoadedFeature(addon, contributions, path, self._deps.handles))
        return await self._installed(loaded)

    async def _installed(self, new: list[LoadedFeature]) -> list[Addon]:
        """Those of the new that the registry took. It is built anew, in the order of loading: who
        was there before has what it had."""
        features, before = [*self._loaded, *new], len(self._loaded)
        packages = [one.package("", one.requested(), ours=True) for one in features]
        registry = own_registry(packages, self._reserved, self._deps.builtin_tools)
        taken: list[LoadedFeature] = []
        refused: list[Addon] = []
        for feature, report in zip(new, registry.reports()[before:], strict=True):
            for fault in (*feature.faults(), *faults_in(report, feature.addon.id)):
                self._faults.tell(fault)
            if report.enabled:
                taken.append(feature)
            else:
                refused.append(feature.addon)
        self._loaded += taken
        self._registry = _view(self._loaded, registry)
        for addon in refused:
            await self._left(addon)
        return [feature.addon for feature in taken]

    async def _left(self, addon: Addon) -> None:
        """It is not loaded after all; its id is free again."""
        del self._claimed[addon.id]
        self._begun.remove(addon)
        await self._closed(addon)

    async def _read(self, source: AddonSource) -> AddonManifest | Failed:
        return await ask(lambda: self._deps.loader.load(source.path), self._deps.seconds)

    def _accepted(self, source: AddonSource, manifest: AddonManifest | Failed) -> Addon | None:
        """The addon under its id, unless that cannot be or is taken."""
        if isinstance(manifest, Failed):
            why = (
                str(manifest.error) if isinstance(manifest.error, LoaderError) else manifest.reason
            )
            self._told(AddonFaultKind.LOAD, why, source.id, manifest)
            return None
        addon = manifest.id or source.id
        if not usable_id(addon):
            self._told(AddonFaultKind.LOAD, f"{source.path}: {addon!r} is no usable id", source.id)
            return None
        taken = self._claimed.setdefault(addon, source.path)
        if taken != source.path or any(one.addon.id == addon for one in self._loaded):
            message = f"{source.path}: the id {addon} belongs to {taken}"
            self._told(AddonFaultKind.CONFLICT, message, addon)
            return None
        return Addon(addon, manifest)

    async def _registered(self, addon: Addon) -> RegisteredManifest | Failed:
        surface = RecordingSurface(addon.id, self._deps.handles)
        answer = await ask(lambda: addon.manifest.register(surface), self._deps.seconds)
        try:
            recorded = surface.manifest()
        except HandleClosed as error:
            return Failed("it took back what it had recorded", error)
        return answer if isinstance(answer, Failed) else recorded

    async def _closed(self, addon: Addon) -> None:
        close = addon.manifest.close
        if close is None:
            return
        answer = await ask(close, SHUTDOWN_SECONDS)
        if isinstance(answer, Failed):
            message = f"it could not be closed: {answer.reason}"
            self._told(AddonFaultKind.HANDLER, message, addon.id, answer)

    def _told(
        self, kind: AddonFaultKind, message: str, addon: AddonId, failed: Failed | None = None
    ) -> AddonFault:
        cause = failed.error if failed is not None else None
        fault = AddonFault(kind, message, addon=addon, cause=cause)
        self._faults.tell(fault)
        return fault


def _view(loaded: Iterable[LoadedFeature], registry: FeatureRegistry) -> AddonRegistry:
    """What the registry has of each, one addon after the other."""
    installed = {feature.id: feature for feature in registry.features}
    parts = [one.view(installed[one.feature_id]) for one in loaded]
    return AddonRegistry(
        tuple(chain.from_iterable(part.subscriptions for part in parts)),
        tuple(chain.from_iterable(part.interceptors for part in parts)),
        tuple(chain.from_iterable(part.commands for part in parts)),
        tuple(chain.from_iterable(part.tools for part in parts)),
    )


def _digest(feature: LoadedFeature) -> str:
    """That of the package, where one lies at the addon's path."""
    try:
        return package_at(feature.path).digest
    except LoaderError:
        return digest(f"{feature.feature_id} {feature.addon.manifest.version}".encode())


async def _side_by_side(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All answers, in order; when one raises, the others are ended."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


def create_addon_host(deps: AddonHostDeps | None = None) -> AddonHost:
    return AddonHost(deps if deps is not None else AddonHostDeps())
