"""From a path to an addon that registers: the tier 1 side of the contract."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from induscode.addons.contract import (
    AddonApi,
    AddonFault,
    AddonFaultKind,
    AddonId,
    AddonManifest,
    AnyTool,
    CommandContext,
    CommandFn,
    EnterFn,
    ExitFn,
    Gate,
    HookHandler,
    HookKind,
    LoaderError,
    LoaderErrorKind,
    NamedTool,
    Observe,
    Transform,
)
from induscode.addons.offers import OfferedEvent, OfferedTool
from induscode.addons.process.addon import Hosting, Identity, ProcessAddon
from induscode.addons.process.confine import HOUSE, reach_of
from induscode.addons.process.faults import ProcessFault
from induscode.addons.process.host_calls import HostCalls
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.process.runners import Runner, runner_of
from induscode.addons.process.started import Program
from induscode.addons.sandbox import SandboxPolicy
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.environment import child_environment
from induscode.policy.redaction import Secrets
from induscode.tools.processes.line import Keeper

__all__ = ["JAVASCRIPT_SDK", "ProcessLoader", "ProcessTool", "addon_environment"]

JAVASCRIPT_SDK = "INDUS_ADDON_JS"
"""The variable that tells an addon where the JavaScript module for authors is."""

_MODULE = HOUSE / "indus_addon" / "indus_addon.mjs"


def addon_environment(
    policy: SandboxPolicy, environ: Mapping[str, str], secrets: Secrets
) -> dict[str, str]:
    """What the policy lists of `environ`, but no secret; and what every program needs."""
    listed = {name: value for name, value in environ.items() if policy.permits_env(name)}
    made = child_environment(listed, also=policy.env_allowlist, secrets=secrets)
    return {"LANG": "C.UTF-8", **made, JAVASCRIPT_SDK: str(_MODULE)}


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
        program = self._program(runner)
        made: list[ProcessAddon] = []

        async def register(api: AddonApi) -> None:
            addon = self._addon(api, digest, program)
            made.append(addon)
            await recorded(addon, api)
            self.addons[api.id] = addon

        async def close() -> None:
            for addon in made:
                await addon.close()

        return AddonManifest(register, close=close)

    def _program(self, runner: Runner) -> Program:
        own = runner.folder or runner.entry
        real = Path(os.path.realpath(own))
        reach = reach_of(self.policy, own, real, *runner.needs, network=self.network)
        cwd = runner.folder or runner.entry.parent
        environ = addon_environment(self.policy, self.environ, self.secrets)
        return Program(runner.words, cwd, environ, reach)

    def _addon(self, api: AddonApi, digest: str, program: Program) -> ProcessAddon:
        name = api.id

        def told(fault: ProcessFault) -> None:
            self.told(AddonFault(AddonFaultKind.HANDLER, str(fault), addon=name, cause=fault))

        calls = msgspec.structs.replace(self.calls, handles=api.handles())
        seconds = self.policy.timeout_ms / 1000
        return ProcessAddon(
            Identity(name, digest),
            program,
            Hosting(self.keeper, calls, self.secrets, told),
            limits=msgspec.structs.replace(self.limits, call_seconds=seconds),
        )


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


async def recorded(addon: ProcessAddon, api: AddonApi) -> None:
    """Start it, and record what it registers."""
    found = await addon.start()
    for place, offered in enumerate(found.events):
        api.on(offered.event, _handler(addon, place, offered))
    for place, stage in enumerate(found.interceptors):
        match = AnyTool() if stage.tool is None else NamedTool(stage.tool)
        api.intercept_tool(
            match,
            _entering(addon, place) if stage.enter else None,
            _leaving(addon, place) if stage.exit else None,
        )
    for command in found.commands:
        api.add_command(command.name, command.summary, _command(addon, command.name))
    for tool in found.tools:
        api.add_tool(ProcessTool(addon, tool))


class ProcessTool(Struct, frozen=True):
    """A tool of an addon. A call that fails, rather than answering with an error, raises
    `ProcessFault`."""

    addon: ProcessAddon
    offered: OfferedTool

    @property
    def name(self) -> str:
        return self.offered.name

    @property
    def label(self) -> str:
        return self.offered.name

    @property
    def description(self) -> str:
        return self.offered.description

    @property
    def parameters(self) -> Mapping[str, Any]:
        return self.offered.parameters

    @property
    def read_only(self) -> bool:
        return False

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        asked = self.addon.tool(
            self.name,
            dict(arguments),
            call_id=context.call,
            cwd=context.cwd,
            progress=context.progress,
        )
        return await context.cancel.run(asked)


def _handler(addon: ProcessAddon, place: int, offered: OfferedEvent) -> HookHandler:
    event = offered.event
    match offered.kind:
        case HookKind.OBSERVE:
            return Observe(lambda payload: addon.observe(place, event, payload))
        case HookKind.TRANSFORM:
            return Transform(lambda payload: addon.transform(place, event, payload))
        case HookKind.GATE:
            return Gate(lambda payload: addon.gate(place, event, payload))


def _entering(addon: ProcessAddon, place: int) -> EnterFn:
    return lambda context: addon.enter(place, context)


def _leaving(addon: ProcessAddon, place: int) -> ExitFn:
    return lambda context: addon.exit(place, context)


def _command(addon: ProcessAddon, name: str) -> CommandFn:
    async def run(context: CommandContext) -> str | None:
        return await addon.command(name, context.args, context.cwd)

    return run
