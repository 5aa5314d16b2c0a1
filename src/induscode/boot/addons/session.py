"""The addons of one session: those the person installed, then those of a trusted workspace.

Nothing of an addon is imported where there is none, and nothing of one runs here. An addon that
cannot be used (changed, broken, never looked at) is a feature that cannot be read: what it once
guarded stays shut.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from induscode.errors import FeatureInstallError, IndusError
from induscode.feature.descriptor import FeatureDescriptor
from induscode.feature.hosting.grant_store import GrantStore
from induscode.feature.registry import FeatureInstallContext, Package
from induscode.policy.belongings import Kind

if TYPE_CHECKING:
    from induscode.boot.addons.placing import Placing
    from induscode.boot.machine import Machine
    from induscode.boot.surroundings import Surroundings

__all__ = ["NO_ADDONS", "Addons", "addons_of"]

_USER = "user"
_PROJECT = "project"
_INSTALLED = "addon "
"""Before the id, where an installed one is spoken of."""


class Running(Protocol):
    @property
    def unconfined(self) -> str: ...

    async def close(self) -> None: ...


class Addons(Struct, frozen=True):
    """Packages in the order in which they are loaded."""

    packages: Sequence[Package] = ()
    standing: Sequence[Running] = ()

    def unconfined(self) -> list[str]:
        """What the person is to know about programs that run and cannot be confined here."""
        return [said for each in self.standing if (said := each.unconfined)]

    async def close(self) -> None:
        """End whatever addons started, side by side: one that does not want to end costs its own
        time and nobody else's."""
        await asyncio.gather(*(each.close() for each in self.standing))


NO_ADDONS = Addons()


def addons_of(around: Surroundings, machine: Machine, told: Callable[[str, str], None]) -> Addons:
    """Raises nothing: what is wrong with an addon, or with the record of them, is told when it is
    installed as a feature. `told` hears, with the feature's id, what goes wrong later."""
    store_file = around.places.data / "addons.json"
    here = any(item.kind is Kind.ADDON for item in around.door.items)
    if not here and not os.path.lexists(store_file):
        return NO_ADDONS
    from induscode.boot.addons.placing import Placing

    placing = Placing(around, machine, told)
    packages = [*_installed(placing), *_of_workspace(placing)]
    return Addons(tuple(packages), tuple(placing.made))


def _installed(placing: Placing) -> Iterator[Package]:
    try:
        known = placing.store.installed()
    except (IndusError, OSError) as error:
        yield _unusable(str(error), "", _USER, "installed addons")
        yield from _guards(placing.around, str(error))
        return
    for each in known:
        label = f"{_INSTALLED}{each.id}"
        if each.package is None or each.offers is None or each.reason:
            hint = f"look: indus addon list; approve: indus addon install {each.origin}"
            yield _unusable(f"{each.reason}; {hint}", each.digest, _USER, label)
        else:
            yield placing.feature(_USER, each.package, each.offers, label)


def _guards(around: Surroundings, reason: str) -> Iterator[Package]:
    """Installed ones that once guarded something, where nothing else is known of any: that stays
    shut. Where no grant can be read either, there are no tools to guard."""
    try:
        known = GrantStore(around.places.config, around.workspace).here()
    except (IndusError, OSError):
        return
    for grant in known.values():
        if grant.gates and grant.label.startswith(_INSTALLED):
            yield _unusable(reason, grant.digest, _USER, grant.label)


def _of_workspace(placing: Placing) -> Iterator[Package]:
    around = placing.around
    trust, grants = around.trust, GrantStore(around.places.config, around.workspace)
    try:
        held_back = {each.item.path for each in trust.held_back(Kind.ADDON)}
        guarding = {grant.label for grant in grants.here().values() if grant.gates}
    except (IndusError, OSError) as error:
        yield _unusable(str(error), "", _PROJECT, "addons of the workspace")
        return
    for item in around.door.items:
        if item.kind is not Kind.ADDON:
            continue
        if item.path not in held_back:
            digest = trust.digest(item)
            try:
                yield placing.trusted(item, digest or "")
            except (IndusError, OSError) as error:
                yield _unusable(str(error), digest or "", _PROJECT, item.path)
        elif item.path in guarding:
            why = "it waits for your trust; look: indus trust show; accept: indus trust grant"
            yield _unusable(why, "", _PROJECT, item.path)


def _unusable(reason: str, digest: str, source: str, label: str) -> Package:
    return Package(_Unusable(reason), digest, source, label, ours=True)


class _Unusable:
    """A feature of which nothing can be said but why."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def descriptor(self) -> FeatureDescriptor:
        raise FeatureInstallError(self._reason)

    def install(self, ctx: FeatureInstallContext, /) -> None:
        raise FeatureInstallError(self._reason)
