"""What runs addons of the three tiers, made when one is first called or looked at."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from induscode.addons.contract import (
    AddonFault,
    AddonFaultKind,
    AddonId,
    LoaderError,
    LoaderErrorKind,
)
from induscode.addons.declared import DeclaredAddon
from induscode.addons.offers import Offers
from induscode.addons.package import AddonPackage
from induscode.addons.process.addon import Hosting, Identity, ProcessAddon
from induscode.addons.process.faults import ProcessFault
from induscode.addons.process.ground import Ground
from induscode.addons.process.runners import runner_of
from induscode.addons.process.started import Program
from induscode.addons.process.workshop import Place, Workshop
from induscode.addons.recording import Runtime
from induscode.addons.wasm.cache import CompileCache
from induscode.addons.wasm.contributions import ComponentRuntime
from induscode.addons.wasm.loader import opened
from induscode.addons.wasm.resting import ComponentFile, RestingComponent
from induscode.errors import AddonAuthorError

if TYPE_CHECKING:
    from induscode.addons.manifest import AddonDescriptor
    from induscode.addons.standing import Footing

__all__ = ["Lively", "component", "declared", "look_component", "look_program", "program"]


class Lively(Struct, frozen=True):
    """An addon that can be asked, and ended."""

    runtime: Runtime
    close: Callable[[], Awaitable[None]]
    unconfined: Callable[[], str] = str


def declared(descriptor: AddonDescriptor, package: AddonPackage, footing: Footing) -> Lively:
    place = Place(
        package.path, footing.workspace, _ground(footing), footing.keeper, footing.process_limits
    )
    workshop = Workshop(place)
    runtime = DeclaredAddon(descriptor, workshop)
    return Lively(runtime, workshop.close, lambda: workshop.unconfined)


def program(package: AddonPackage, name: AddonId, offers: Offers, footing: Footing) -> Lively:
    async def find() -> Program:
        return _ground(footing).run_by(await runner_of(package.path, footing.environ))

    seconds = footing.policy.timeout_ms / 1000
    addon = ProcessAddon(
        Identity(name, package.digest),
        find,
        _hosting(footing, name),
        limits=msgspec.structs.replace(footing.process_limits, call_seconds=seconds),
        approved=offers,
    )
    return Lively(addon, addon.close, lambda: addon.unconfined)


def component(package: AddonPackage, name: AddonId, offers: Offers, footing: Footing) -> Lively:
    resting = RestingComponent(
        _file(package, footing), offers, footing.calls, _telling(footing, name)
    )
    return Lively(ComponentRuntime(resting), resting.close)


async def look_program(package: AddonPackage, footing: Footing) -> Offers:
    """Raises `LoaderError`."""
    runner = await runner_of(package.path, footing.environ)

    async def find() -> Program:
        return _ground(footing).run_by(runner)

    name = AddonId(package.name)
    addon = ProcessAddon(
        Identity(name, package.digest),
        find,
        _hosting(footing, name),
        limits=footing.process_limits,
    )
    try:
        return await addon.start()
    except ProcessFault as fault:
        kind = LoaderErrorKind.FAILED
        raise LoaderError(kind, package.entry, str(fault), hint=fault.hint) from fault
    finally:
        await addon.close()


async def look_component(package: AddonPackage, footing: Footing) -> Offers:
    """Raises `LoaderError`."""
    found = await opened(_file(package, footing))
    await found.close()
    return found.registration


def _ground(footing: Footing) -> Ground:
    return Ground(footing.policy, footing.network, footing.environ, footing.secrets)


def _file(package: AddonPackage, footing: Footing) -> ComponentFile:
    return ComponentFile(package.entry, CompileCache(footing.cache), footing.wasm_limits)


def _hosting(footing: Footing, name: AddonId) -> Hosting:
    return Hosting(footing.keeper, footing.calls, footing.secrets, _telling(footing, name))


def _telling(footing: Footing, addon: AddonId) -> Callable[[AddonAuthorError], None]:
    def tell(fault: AddonAuthorError) -> None:
        footing.told(AddonFault(AddonFaultKind.HANDLER, str(fault), addon=addon, cause=fault))

    return tell
