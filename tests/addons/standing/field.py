"""A place where addons of every tier stand, and where everything that they left can be found."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from induscode.addons.contract import (
    AddonFault,
    AddonId,
    AddonTool,
    FrameworkHandles,
    HookHandler,
    LifecyclePayload,
    RegisteredManifest,
    Standing,
    TaskFn,
    ToolPayload,
)
from induscode.addons.offers import Offers
from induscode.addons.package import AddonPackage, package_at
from induscode.addons.sandbox import SandboxPolicy
from induscode.addons.standing import Footing, look, standing
from induscode.addons.surface import RecordingSurface
from tests.addons.process.nursery import Nursery

BASH = ToolPayload("bash", {"command": "ls"}, "call-1")
READ = ToolPayload("read", {"path": "a"}, "call-2")
TURN = LifecyclePayload("session-1")


class Field(Nursery):
    """`workspace` is where programs run; `faults` is what was told between calls. Programs get the
    mark by which what is left of them is found."""

    def __init__(self, folder: Path, cache: Path) -> None:
        super().__init__(folder)
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.cache = cache
        self.faults: list[AddonFault] = []
        self.standing: list[Standing] = []
        self.path = os.environ["PATH"]

    def footing(self, *, allow_fs: bool = False, read_only: bool = False, **given: Any) -> Footing:
        policy = SandboxPolicy(
            allow_fs=allow_fs,
            workspace_root=self.workspace,
            read_only=read_only,
            env_allowlist=("MARK",),
        )
        return Footing(
            self.keeper,
            self.workspace,
            self.cache,
            policy=policy,
            secrets=self.secrets,
            environ={**os.environ, "MARK": self.mark, "PATH": self.path},
            told=self.faults.append,
            **given,
        )

    def manifest(self, text: str, **scripts: str) -> AddonPackage:
        """A tier 0 package with programs of its own, `NAME.sh`."""
        for name, script in scripts.items():
            path = self.write(f"addon/{name}.sh", f"#!/bin/sh\n{script}\n")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        self.write("addon/manifest.toml", f'id = "made"\n{text}')
        return package_at(self.folder / "addon")

    async def placed(
        self, package: AddonPackage, *, offers: Offers | None = None, **given: Any
    ) -> Placed:
        footing = self.footing(**given)
        known = offers if offers is not None else await look(package, footing)
        made = standing(package, known, footing)
        self.standing.append(made)
        return Placed(made)

    async def declared(self, text: str, *, allow_fs: bool = False, **scripts: str) -> Placed:
        return await self.placed(self.manifest(text, **scripts), allow_fs=allow_fs)

    async def close(self) -> None:
        for made in self.standing:
            await made.close()
        await super().close()


class Placed:
    """A standing addon, and what it recorded."""

    def __init__(self, made: Standing) -> None:
        self.standing = made
        surface = RecordingSurface(AddonId("made"), FrameworkHandles())
        made.record(surface)
        self.recorded: RegisteredManifest = surface.manifest()

    @property
    def handler(self) -> HookHandler:
        return self.recorded.subscriptions[0].handler

    @property
    def tool(self) -> AddonTool:
        return self.recorded.tools[0]

    @property
    def task(self) -> TaskFn:
        return self.recorded.tasks[0].run
