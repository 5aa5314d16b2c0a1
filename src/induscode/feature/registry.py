"""The one registry: how features come in.

Order of an installation: first, for all features, what they say and what they may (each descriptor
is asked for once and copied, its requests are granted or not); then each module in the order it was
added (its names are checked against those before it, and its `install` runs, whose contributions
are taken as a whole or not at all); then nothing can be registered any more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Thread, current_thread, main_thread
from typing import Protocol, TypeVar

from msgspec import Struct

from induscode.errors import FeatureInstallError
from induscode.feature.background import BackgroundTaskRegistrar
from induscode.feature.capability import (
    AnyCapability,
    CapabilityDenial,
    CapabilityGrantSet,
    GrantPort,
)
from induscode.feature.command import CommandRegistrar
from induscode.feature.descriptor import (
    DescriptorBuilder,
    FeatureDescriptor,
    FeatureId,
    FeatureRuntimeKind,
)
from induscode.feature.diagnostic import FeatureDiagnosticSink
from induscode.feature.fragment import FragmentRegistrar
from induscode.feature.hook import PublicHookRegistrar
from induscode.feature.hosting.claims import Claims
from induscode.feature.hosting.draft import Draft
from induscode.feature.hosting.foreign import said
from induscode.feature.hosting.handles import FeaturePorts
from induscode.feature.hosting.installed import (
    FeatureRegistry,
    InstalledFeature,
    UnreadableFeature,
)
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.hosting.sinks import SinkPaths
from induscode.feature.lending import lend, take_back
from induscode.feature.limits import INSTALL_SECONDS
from induscode.feature.notify import FeatureAlertSink, FeatureNotifySink
from induscode.feature.services import FeatureServiceProvider, ServicePort
from induscode.feature.tool import ToolRegistrar

__all__ = [
    "DescriptorBuilder",
    "FeatureDescriptor",
    "FeatureHost",
    "FeatureId",
    "FeatureInstallContext",
    "FeatureInstallError",
    "FeatureModule",
    "FeatureRegistry",
    "FeatureRegistryBuilder",
    "FeatureRuntimeKind",
    "FeatureServiceProvider",
    "Package",
]


T = TypeVar("T")


class FeatureInstallContext(Struct, frozen=True):
    """All that a feature is given. Registrars work during `install` only; sinks and services as
    long as the session, and only while their grants hold."""

    feature_id: FeatureId
    grants: CapabilityGrantSet
    tools: ToolRegistrar
    hooks: PublicHookRegistrar
    background_tasks: BackgroundTaskRegistrar
    commands: CommandRegistrar
    fragments: FragmentRegistrar
    notify: FeatureNotifySink
    alerts: FeatureAlertSink
    diagnostics: FeatureDiagnosticSink
    services: FeatureServiceProvider


class FeatureModule(Protocol):
    """A feature. `descriptor` has no effect; `install` wires its parts into the registrars."""

    def descriptor(self) -> FeatureDescriptor: ...

    def install(self, ctx: FeatureInstallContext, /) -> None: ...


class Package(Struct, frozen=True):
    """A module and what the host knows of where it came from: the digest of its content, the
    source its id must have, and a name to speak of it by until its descriptor is known. What is
    `ours` is installed in place; anything else in a thread with a deadline. `grants` come with it;
    without, the host's policy decides, which is told what trust in the content gives it by itself
    (`trusted`)."""

    module: FeatureModule
    digest: str
    source: str
    label: str
    ours: bool = False
    grants: GrantPort | None = None
    trusted: tuple[AnyCapability, ...] = ()


class FeatureHost(Struct, frozen=True):
    """What the registry needs of the host. `grants` is asked with a descriptor, the digest of its
    package and what trust gives it. `commands` and `tools` are names that no feature can have, each
    with who has it."""

    grants: Callable[[FeatureDescriptor, str, tuple[AnyCapability, ...]], GrantPort]
    services: Callable[[FeatureId, GrantPort, FeatureRecord], ServicePort]
    paths: SinkPaths
    record: Callable[[str], FeatureRecord]
    commands: Mapping[str, str] = {}
    tools: Mapping[str, str] = {}


class FeatureRegistryBuilder:
    """Collects packages, then installs them all. A fault of one never sinks the rest."""

    def __init__(self, host: FeatureHost) -> None:
        self._host = host
        self._packages: list[Package] = []
        self._claims = Claims(host.tools, host.commands)
        self._labels: dict[FeatureId, str] = {}

    def add(self, package: Package) -> FeatureRegistryBuilder:
        self._packages.append(package)
        return self

    def install(self) -> FeatureRegistry:
        members = [self._known(package) for package in self._packages]
        for package, member in zip(self._packages, members, strict=True):
            if isinstance(member, InstalledFeature) and not member.refused:
                self._bring_in(package, member)
        return FeatureRegistry(members)

    def _known(self, package: Package) -> InstalledFeature | UnreadableFeature:
        """What it says, and what it may. Of the feature's own code only `descriptor` runs."""
        record = self._host.record(package.label)
        try:
            made = self._described(package)
        except FeatureInstallError as error:
            record.note(f"not installed: {error}", "install")
            return UnreadableFeature(package.label, package.digest, record)
        record.feature = str(made.id)
        grants = package.grants
        if grants is None:
            grants = self._host.grants(made, package.digest, package.trusted)
        draft = Draft(made, grants, self._claims)
        services = self._host.services(made.id, grants, record)
        ports = FeaturePorts(grants, record, self._host.paths, services)
        feature = InstalledFeature(made, package.digest, grants, record, draft, ports)
        try:
            _settle_requests(feature, package.trusted)
        except FeatureInstallError as error:
            feature.refuse(str(error))
        return feature

    def _bring_in(self, package: Package, feature: InstalledFeature) -> None:
        feature.draft.preflight()
        try:
            self._run(package, feature)
        except FeatureInstallError as error:
            feature.refuse(str(error))

    def _described(self, package: Package) -> FeatureDescriptor:
        copy = _asked(package, "descriptor", lambda module: _copied(module.descriptor()))
        if copy.id.source != package.source:
            raise FeatureInstallError(f"it calls itself {copy.id}, but comes from {package.source}")
        if copy.id in self._labels:
            raise FeatureInstallError(f"{copy.id} is there already: {self._labels[copy.id]}")
        self._labels[copy.id] = package.label
        return copy

    def _run(self, package: Package, feature: InstalledFeature) -> None:
        draft = feature.draft
        context = self._context(feature)
        registrars = (
            context.tools,
            context.hooks,
            context.background_tasks,
            context.commands,
            context.fragments,
        )
        try:
            _asked(package, "install", lambda module: module.install(context))
        finally:
            for registrar in registrars:
                take_back(registrar.lease)
            draft.seal()
        draft.close("it was declared and not contributed")
        for kind, name in draft.taken():
            self._claims.take(kind, name, feature.id)
        for skipped in draft.skipped:
            feature.record.note(f"{skipped.kind} {skipped.name}: {skipped.reason}", "install")
        feature.enabled = True

    def _context(self, feature: InstalledFeature) -> FeatureInstallContext:
        draft, handles = feature.draft, feature.ports.lend()
        feature.handles = handles
        return FeatureInstallContext(
            feature_id=feature.descriptor.id,
            grants=handles.grants,
            tools=ToolRegistrar(lend(draft)),
            hooks=PublicHookRegistrar(lend(draft)),
            background_tasks=BackgroundTaskRegistrar(lend(draft)),
            commands=CommandRegistrar(lend(draft)),
            fragments=FragmentRegistrar(lend(draft)),
            notify=handles.notify,
            alerts=handles.alerts,
            diagnostics=handles.diagnostics,
            services=handles.services,
        )


def _copied(descriptor: object) -> FeatureDescriptor:
    if not isinstance(descriptor, FeatureDescriptor):
        raise FeatureInstallError(f"its descriptor is a {type(descriptor).__name__}")
    return FeatureDescriptor.frozen_copy(descriptor)  # its own, whatever a subclass would answer


def _settle_requests(feature: InstalledFeature, trusted: tuple[AnyCapability, ...]) -> None:
    """Note what is granted and what is not. Raises `FeatureInstallError` when something required
    is denied."""
    granted: list[AnyCapability] = []
    denied: list[CapabilityDenial] = []
    missing: list[str] = []
    for request in feature.descriptor.all_requests():
        why = feature.grants.denial(request.capability)
        if why is None:
            granted.append(request.capability)
            continue
        denied.append(CapabilityDenial(request.capability, why))
        if request.is_required:
            missing.append(f"{request.capability.text()} ({why})")
    feature.granted, feature.denied = tuple(granted), tuple(denied)
    feature.trusted = tuple(one for one in granted if any(given.covers(one) for given in trusted))
    if missing:
        raise FeatureInstallError(f"it needs {', '.join(missing)}")


def _asked(package: Package, what: str, work: Callable[[FeatureModule], T]) -> T:
    """What the feature's own code answers. Raises `FeatureInstallError` for whatever goes wrong, a
    deadline included."""
    if package.ours:
        return _guarded(package.module, what, work)
    answers: list[T] = []
    failures: list[FeatureInstallError] = []

    def run() -> None:
        try:
            answers.append(_guarded(package.module, what, work))
        except FeatureInstallError as error:
            failures.append(error)

    worker = Thread(target=run, name=f"{what} of {package.label}", daemon=True)
    worker.start()
    worker.join(INSTALL_SECONDS)
    if failures:
        raise failures[0]
    if not answers:
        raise FeatureInstallError(f"its {what} took longer than {INSTALL_SECONDS:g} s")
    return answers[0]


def _guarded(module: FeatureModule, what: str, work: Callable[[FeatureModule], T]) -> T:
    try:
        return work(module)
    except FeatureInstallError as error:
        raise FeatureInstallError(said(error)) from error
    except BaseException as error:
        if type(error) is KeyboardInterrupt and current_thread() is main_thread():
            raise  # the person's, not the feature's
        raise FeatureInstallError(f"its {what} failed: {said(error)}") from error
