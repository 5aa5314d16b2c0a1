"""`indus` with a feature that has commands, as a process: `python -m tests.features.deployer ...`.

What the feature is granted stands in `DEPLOYER_GRANTS`, one capability a line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from induscode.boot import assemble
from induscode.feature.capability import (
    AnyCapability,
    ContributeCommand,
    ScopedFs,
    SetModel,
    SetThinking,
    parse_capability,
)
from induscode.feature.command import CommandContribution, Say, typed_line
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.hosting.given import GivenGrants
from induscode.feature.registry import FeatureInstallContext, Package
from induscode.feature.services import FeatureServiceProvider, SessionControl
from induscode.sdk import OwnFeature

EXEC = "./deploy.sh"
COMMANDS = ("deploy", "run", "late", "use", "think", "quiet")
ALL: tuple[AnyCapability, ...] = (
    *map(ContributeCommand, COMMANDS),
    ScopedFs(execute=True),
    SetModel(),
    SetThinking(),
)


class Deployer:
    """Its commands are functions of the same name."""

    def __init__(self) -> None:
        self.services: FeatureServiceProvider | None = None
        self.shells: dict[str, Any] = {}

    def descriptor(self) -> FeatureDescriptor:
        made = FeatureDescriptor.builder(FeatureId.user("deployer")).version("1")
        for name in COMMANDS:
            made.command(name, f"{name} it", EXEC if name == "deploy" else "")
        return made.build()

    def install(self, ctx: FeatureInstallContext, /) -> None:
        self.services = ctx.services
        for name in COMMANDS:
            ctx.commands.register(CommandContribution(name, _Command(self, name)))
            self.shells[name] = ctx.services.command_shell(name)

    async def deploy(self, arguments: str) -> Say:
        """The declared line, as a manifest's command runs it."""
        return await self._ran("deploy", typed_line(EXEC, arguments))

    async def run(self, arguments: str) -> Say:
        """Whatever was typed."""
        return await self._ran("run", arguments)

    async def late(self, arguments: str) -> Say:
        """With the shell of another command."""
        return await self._ran("run", arguments)

    async def use(self, arguments: str) -> Say:
        await self._session(SetModel()).set_model(arguments)
        return Say(f"model {arguments}")

    async def think(self, arguments: str) -> Say:
        await self._session(SetThinking()).set_thinking(arguments)
        return Say(f"thinking {arguments}")

    async def quiet(self, arguments: str) -> Say:
        del arguments
        return Say("")

    async def _ran(self, name: str, line: str) -> Say:
        ran = await self.shells[name].run(line)
        return Say(f"out={ran.stdout!r} err={ran.stderr!r} code={ran.code} {ran.note}".rstrip())

    def _session(self, wanted: SetModel | SetThinking) -> SessionControl:
        assert self.services is not None
        found = self.services.session(wanted)
        assert isinstance(found, SessionControl), found
        return found


class _Command:
    def __init__(self, deployer: Deployer, name: str) -> None:
        self._run = getattr(deployer, name)

    async def run(self, arguments: str) -> Say:
        return await self._run(arguments)


class AfterAnswer:
    """A hook that does something whenever the model has answered."""

    def __init__(self, act: Callable[[], Awaitable[object]]) -> None:
        self._act = act

    async def on_post_assistant(self, event: object) -> None:
        del event
        await self._act()


def deployer(*granted: AnyCapability) -> OwnFeature:
    return OwnFeature(Deployer(), granted or ALL)


def main() -> int:
    words = os.environ.get("DEPLOYER_GRANTS", "").splitlines()
    granted = tuple(parse_capability(word) for word in words) or ALL
    package = Package(Deployer(), "d" * 64, "user", "deployer", grants=GivenGrants(granted))
    assemble.open_session = partial(assemble.open_session, brought=[package])
    from induscode.boot.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
