"""From a path to an addon that registers: the tier 1 side of the contract."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.addons.acting import HostCalls
from induscode.addons.contract import (
    AddonApi,
    AddonFault,
    AddonFaultKind,
    AddonId,
    AddonManifest,
    LoaderError,
    LoaderErrorKind,
)
from induscode.addons.process.addon import Hosting, Identity, ProcessAddon
from induscode.addons.process.faults import ProcessFault
from induscode.addons.process.ground import Ground
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.process.runners import runner_of
from induscode.addons.process.started import Program
from induscode.addons.recording import record
from induscode.addons.sandbox import SandboxPolicy
from induscode.policy.redaction import Secrets
from induscode.tools.processes.line import Keeper

__all__ = ["ProcessLoader"]


class ProcessLoader(Struct, frozen=True):
    """Loads files and packages that some interpreter runs. Nothing is started before `register`.
    `policy` is what every addon of this loader may touch, `calls` what it may ask of us besides the
    handles of the session; `told` hears of what goes wrong later. `addons` are those that run."""

    keeper: Keeper
    policy: SandboxPolicy = SandboxPolicy()
    network: bool = False
    calls: HostCalls = HostCalls()
    secrets: Secrets = msgspec.field(default_factory=Secrets)
    told: Callable[[AddonFault], None] = lambda _: None
    limits: ProcessLimits = ProcessLimits()
    environ: Mapping[str, str] = msgspec.field(default_factory=lambda: os.environ)
    addons: dict[AddonId, ProcessAddon] = msgspec.field(default_factory=dict[AddonId, ProcessAddon])

    async def load(self, path: Path) -> AddonManifest:
        runner = await runner_of(path, self.environ)
        try:
            digest = _digest(runner.entry)
        except OSError as error:
            why = error.strerror or "cannot be read"
            raise LoaderError(LoaderErrorKind.UNREADABLE, runner.entry, why) from None
        program = Ground(self.policy, self.network, self.environ, self.secrets).run_by(runner)
        made: list[ProcessAddon] = []

        async def register(api: AddonApi) -> None:
            addon = self._addon(api, digest, program)
            made.append(addon)
            record(lambda: addon, await addon.start(), api)
            self.addons[api.id] = addon

        async def close() -> None:
            for addon in made:
                await addon.close()

        return AddonManifest(register, close=close)

    def _addon(self, api: AddonApi, digest: str, program: Program) -> ProcessAddon:
        name = api.id

        def told(fault: ProcessFault) -> None:
            self.told(AddonFault(AddonFaultKind.HANDLER, str(fault), addon=name, cause=fault))

        async def find() -> Program:
            return program

        calls = msgspec.structs.replace(self.calls, handles=api.handles())
        seconds = self.policy.timeout_ms / 1000
        return ProcessAddon(
            Identity(name, digest),
            find,
            Hosting(self.keeper, calls, self.secrets, told),
            limits=msgspec.structs.replace(self.limits, call_seconds=seconds),
        )


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
