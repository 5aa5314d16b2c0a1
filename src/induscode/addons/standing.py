"""Addons of every tier at rest, and a look at what one offers.

Nothing of an addon runs when it is made to stand: what it offers is known already. Its first call
starts it, and what it then says of itself must be what was known.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

import msgspec
from msgspec import Struct

from induscode.addons.acting import HostCalls
from induscode.addons.contract import (
    AddonApi,
    AddonFault,
    LoaderError,
    LoaderErrorKind,
    Standing,
)
from induscode.addons.discovery import Tier
from induscode.addons.offers import Offers
from induscode.addons.package import AddonPackage, id_of
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.recording import Runtime, record
from induscode.addons.sandbox import SandboxPolicy
from induscode.addons.wasm.limits import WasmLimits
from induscode.errors import HandleClosed
from induscode.policy.redaction import Secrets
from induscode.tools.processes.line import Keeper

if TYPE_CHECKING:
    from induscode.addons.manifest import AddonDescriptor
    from induscode.addons.starting import Lively

__all__ = ["Footing", "look", "standing"]


def _nobody(_fault: AddonFault) -> None:
    """Nobody is told."""


class Footing(Struct, frozen=True):
    """What one addon stands on. `keeper` is the session's, and outlives it. `calls` is what it may
    ask of us, `policy` and `network` what its program may touch, `environ` our own environment and
    `secrets` what must not pass. `cache` holds compiled components. `workspace` is where programs
    of a manifest run. `told` hears of each end that nobody asked for, of its being disabled, and
    of what it called without a grant; what goes wrong in a call is raised there besides."""

    keeper: Keeper
    workspace: Path
    cache: Path
    calls: HostCalls = HostCalls()
    policy: SandboxPolicy = SandboxPolicy()
    network: bool = False
    secrets: Secrets = msgspec.field(default_factory=Secrets)
    environ: Mapping[str, str] = msgspec.field(default_factory=lambda: os.environ)
    told: Callable[[AddonFault], None] = _nobody
    process_limits: ProcessLimits = ProcessLimits()
    wasm_limits: WasmLimits = WasmLimits()

    def bare(self) -> Footing:
        """The same with nothing granted."""
        return msgspec.structs.replace(
            self, calls=HostCalls(), policy=SandboxPolicy(), network=False, told=_nobody
        )


def standing(package: AddonPackage, offers: Offers, footing: Footing) -> Standing:
    """The addon at rest. Raises `LoaderError` when it cannot have these offers: a manifest is read
    now, a program or component is asked when it is first called, and refused then."""
    name = id_of(package, offers)
    match package.tier:
        case Tier.DECLARATIVE:
            descriptor = _described(package)
            if not descriptor.offers().same(offers):
                said = "it says something else than what was approved"
                raise LoaderError(LoaderErrorKind.INVALID, package.entry, said)
            return _Standing(offers, lambda: _tiers().declared(descriptor, package, footing))
        case Tier.PROCESS:
            return _Standing(offers, lambda: _tiers().program(package, name, offers, footing))
        case Tier.WASM:
            return _Standing(offers, lambda: _tiers().component(package, name, offers, footing))
        case _:
            assert_never(package.tier)


async def look(package: AddonPackage, footing: Footing) -> Offers:
    """What the addon offers. A manifest is read; a program or component is run once, confined and
    with nothing granted, and is gone when this returns. Compiling a component may take minutes.
    Raises `LoaderError`."""
    match package.tier:
        case Tier.DECLARATIVE:
            return _described(package).offers()
        case Tier.PROCESS:
            return await _tiers().look_program(package, footing.bare())
        case Tier.WASM:
            return await _tiers().look_component(package, footing)
        case _:
            assert_never(package.tier)


class _Standing:
    """What runs it is made by the first call."""

    def __init__(self, offers: Offers, start: Callable[[], Lively]) -> None:
        self._offers = offers
        self._start = start
        self._lively: Lively | None = None
        self._closed = False

    @property
    def unconfined(self) -> str:
        return "" if self._lively is None else self._lively.unconfined()

    def record(self, api: AddonApi, /) -> None:
        record(self._living, self._offers, api)

    async def close(self) -> None:
        self._closed = True
        if self._lively is not None:
            await self._lively.close()

    def _living(self) -> Runtime:
        if self._lively is None:
            if self._closed:
                raise HandleClosed("it is closed")
            self._lively = self._start()
        return self._lively.runtime


def _described(package: AddonPackage) -> AddonDescriptor:
    """Read by the one module that needs a parser of TOML."""
    return import_module("induscode.addons.manifest").DeclarativeLoader().describe(package.entry)


def _tiers() -> Any:
    """What runs addons is imported with the first that runs."""
    return import_module("induscode.addons.starting")
