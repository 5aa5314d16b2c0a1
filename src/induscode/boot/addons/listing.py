"""The addons there are here, installed and of the workspace, and how each stands."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from induscode.addons.contract import LoaderError
from induscode.addons.discovery import Tier
from induscode.addons.package import package_at
from induscode.boot.addons.records import TIERS
from induscode.boot.addons.store import AddonStore, Installed, InstalledState
from induscode.boot.listing import features_here
from induscode.boot.surroundings import Surroundings
from induscode.feature.descriptor import FeatureRuntimeKind
from induscode.feature.diagnostic import FeatureInstallReport
from induscode.feature.hosting.installed import FeatureRegistry, InstalledFeature
from induscode.policy.belongings import Kind
from induscode.policy.trust import ItemState, State

__all__ = ["AddonRow", "AddonState", "addons_here"]

_RUNTIMES = (
    FeatureRuntimeKind.DECLARATIVE,
    FeatureRuntimeKind.EXTERNAL_PROCESS,
    FeatureRuntimeKind.WASM,
)


class AddonState(StrEnum):
    OK = "ok"
    UNTRUSTED = "waits for trust"
    CHANGED = "changed since approval"
    PENDING = "waits for grants"
    UNASKED = "not looked at yet"
    BROKEN = "broken"


class AddonRow(Struct, frozen=True):
    """`id` is empty while nothing of an addon may be read. `ungranted` are the capabilities that it
    asks for and has not; it works without, unless it waits for them."""

    source: str
    id: str
    state: AddonState
    where: str
    tier: int | None = None
    version: str = ""
    digest: str = ""
    origin: str = ""
    reason: str = ""
    ungranted: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def addons_here(around: Surroundings) -> list[AddonRow]:
    """Nothing of any of them runs. Raises `ConfigError` when a store of ours cannot be used."""
    store = AddonStore(around.places.data)
    features = features_here(around)
    try:
        installed = [_installed(each, store, features.registry) for each in store.installed()]
        return [*installed, *_of_workspace(around, store, features.registry)]
    finally:
        features.registry.close()


def _installed(each: Installed, store: AddonStore, registry: FeatureRegistry) -> AddonRow:
    row = AddonRow(
        source="user",
        id=each.id,
        state=AddonState.BROKEN,
        where=str(store.folder / each.id),
        tier=TIERS.index(each.tier),
        version=each.version,
        digest=each.digest,
        origin=each.origin,
        reason=each.reason,
    )
    if each.state is InstalledState.CHANGED:
        return replace(row, state=AddonState.CHANGED)
    if each.state is InstalledState.BROKEN:
        return row
    feature = next((one for one in registry.known if one.id == f"user:{each.id}"), None)
    if feature is None:
        found = (one.report() for one in registry.unreadable)
        return replace(row, reason=_said(found, f"addon {each.id}"))
    return _grown(row, feature)


def _of_workspace(
    around: Surroundings, store: AddonStore, registry: FeatureRegistry
) -> Iterator[AddonRow]:
    trust = around.trust
    held_back = {each.item.path: each for each in trust.held_back(Kind.ADDON)}
    known = {feature.record.label: feature for feature in registry.known}
    for item in trust.items:
        if item.kind is not Kind.ADDON:
            continue
        row = AddonRow("project", "", AddonState.BROKEN, item.path)
        if item.path in held_back:
            yield _held_back(row, held_back[item.path])
        elif item.path in known:
            feature = known[item.path]
            tier = _RUNTIMES.index(feature.descriptor.runtime)
            made = feature.descriptor
            named = replace(row, id=made.id.name, tier=tier, version=made.version)
            yield _grown(replace(named, digest=feature.digest), feature)
        elif _unasked(around.workspace / item.path, store):
            yield replace(row, state=AddonState.UNASKED)
        else:
            found = (one.report() for one in registry.unreadable)
            yield replace(row, reason=_said(found, item.path))


def _unasked(path: Path, store: AddonStore) -> bool:
    """A program or component says itself what it offers, when somebody looks at it."""
    try:
        package = package_at(path)
    except LoaderError:
        return False
    return package.tier is not Tier.DECLARATIVE and store.known(package.digest) is None


def _held_back(row: AddonRow, each: ItemState) -> AddonRow:
    match each.state:
        case State.CHANGED:
            return replace(row, state=AddonState.CHANGED)
        case State.REFUSED:
            return replace(row, reason=each.reason)
        case _:
            return replace(row, state=AddonState.UNTRUSTED)


def _grown(row: AddonRow, feature: InstalledFeature) -> AddonRow:
    report = feature.report()
    ungranted = tuple(denial.capability.text() for denial in report.denied)
    needed = {one.capability for one in report.requested if one.is_required}
    waits = any(denial.capability in needed for denial in report.denied)
    state = AddonState.OK if report.enabled else AddonState.BROKEN
    if waits or (ungranted and len(ungranted) == len(report.requested)):
        state = AddonState.PENDING
    faults = tuple(
        one.message
        for one in report.diagnostics
        if not any(capability in one.message for capability in ungranted)
    )
    return replace(row, state=state, ungranted=ungranted, faults=faults)


def _said(reports: Iterator[FeatureInstallReport], label: str) -> str:
    """Why the one of this label is none of the features."""
    for report in reports:
        if report.feature_id == label:
            return " ".join(one.message for one in report.diagnostics)
    return "it is not among the features"
