"""Placing addons into a session: from a package and what it offers to a feature that stands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from induscode.addons.contract import AddonFault, LoaderError, LoaderErrorKind
from induscode.addons.descriptors import trusted_capabilities
from induscode.addons.discovery import Tier
from induscode.addons.feature import AddonFeature, Placed
from induscode.addons.manifest import DeclarativeLoader
from induscode.addons.offers import Offers
from induscode.addons.package import AddonPackage, id_of, package_at
from induscode.addons.sandbox import SandboxPolicy
from induscode.addons.standing import Footing, standing
from induscode.boot.addons.acting import Acting
from induscode.boot.addons.store import AddonStore
from induscode.boot.machine import Machine
from induscode.boot.surroundings import Surroundings
from induscode.feature.capability import (
    AnyCapability,
    InheritEnvironment,
    Network,
    ScopedFs,
)
from induscode.feature.descriptor import FeatureId
from induscode.feature.registry import FeatureInstallContext, Package
from induscode.policy.belongings import Belonging

__all__ = ["COMPILED", "Placing"]

COMPILED = "compiled"
"""The folder of compiled components, in that of our data."""


class Placing:
    """Makes features of addons, and keeps what must be closed at the end (`made`). `told` hears,
    with the feature's id, what goes wrong later."""

    def __init__(
        self, around: Surroundings, machine: Machine, told: Callable[[str, str], None]
    ) -> None:
        self.around = around
        self.store = AddonStore(around.places.data)
        self.made: list[AddonFeature] = []
        self._machine = machine
        self._told = told

    def trusted(self, item: Belonging, digest: str) -> Package:
        """An addon of the workspace, whose content with this digest was accepted. Raises
        `LoaderError`, `ConfigError` or OSError."""
        place = self.around.workspace / item.path
        found = package_at(place)
        if found.digest != digest:
            raise LoaderError(
                LoaderErrorKind.INVALID,
                place,
                "it changed since this session began to look at it",
                hint="start again, and look: indus trust show",
            )
        package = self._own(found)
        try:
            offers = self._offers(package, place)
        except LoaderError as error:  # the person knows the file, not the copy
            raise LoaderError(error.kind, found.entry, error.detail, hint=error.hint) from error
        trusted = trusted_capabilities(package.tier, offers)
        return self.feature("project", package, offers, item.path, trusted)

    def feature(
        self,
        source: str,
        package: AddonPackage,
        offers: Offers,
        label: str,
        trusted: tuple[AnyCapability, ...] = (),
    ) -> Package:
        name = id_of(package, offers)
        feature = FeatureId.project(name) if source == "project" else FeatureId.user(name)
        made = AddonFeature(feature, package, offers, self._placed)
        self.made.append(made)
        return Package(made, package.digest, source, label, ours=True, trusted=trusted)

    def _own(self, package: AddonPackage) -> AddonPackage:
        """The same content where nobody else writes: what runs is what was accepted."""
        copy = self.store.private_copy(package)
        entry = copy / package.entry.relative_to(package.path) if copy.is_dir() else copy
        return AddonPackage(copy, entry, package.tier, package.name, package.digest, package.files)

    def _offers(self, package: AddonPackage, place: Path) -> Offers:
        if package.tier is Tier.DECLARATIVE:
            return DeclarativeLoader().describe(package.entry).offers()
        known = self.store.known(package.digest)
        if known is None:
            raise LoaderError(
                LoaderErrorKind.FAILED,
                place,
                "nobody asked it yet what it offers",
                hint=f"look at it: indus addon plan {place}",
            )
        return known

    def _placed(self, package: AddonPackage, offers: Offers, ctx: FeatureInstallContext) -> Placed:
        acting = Acting(ctx)
        around = self.around
        footing = Footing(
            keeper=self._machine.keeper,
            workspace=around.workspace,
            cache=around.places.data / COMPILED,
            calls=acting.calls,
            policy=_policy(offers, ctx, around.workspace),
            network=any(
                isinstance(one.capability, Network) and ctx.grants.allows(one.capability)
                for one in offers.requests()
            ),
            secrets=around.secrets,
            environ=around.environ,
            told=partial(self._tell, str(ctx.feature_id)),
        )
        at_rest = standing(package, offers, footing)
        return Placed(at_rest, acting.calls.handles, acting.typed, around.cwd)

    def _tell(self, feature: str, fault: AddonFault) -> None:
        """Between calls nobody waits for an answer: the person is told."""
        self._told(feature, fault.message)


def _policy(offers: Offers, ctx: FeatureInstallContext, workspace: Path) -> SandboxPolicy:
    grants = ctx.grants
    reads, writes = grants.allows(ScopedFs(read=True)), grants.allows(ScopedFs(write=True))
    names = [
        one.capability.name
        for one in offers.requests()
        if isinstance(one.capability, InheritEnvironment) and grants.allows(one.capability)
    ]
    return SandboxPolicy(
        allow_fs=reads or writes,
        workspace_root=workspace,
        read_only=not writes,
        env_allowlist=tuple(names),
    )
