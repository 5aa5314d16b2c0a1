"""A place to start addons in, where everything that they left can be found."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from induscode.addons.acting import HostCalls
from induscode.addons.contract import (
    AddonFault,
    AddonId,
    DispatchOutcome,
    EventSubscription,
    Gate,
    HookEvent,
    ToolPayload,
)
from induscode.addons.dispatch import EventDispatcher
from induscode.addons.faults import FaultSink
from induscode.addons.offers import Offers
from induscode.addons.process.addon import Hosting, Identity, ProcessAddon
from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.addons.process.ground import Ground
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.process.runners import runner_of
from induscode.addons.process.started import Program
from induscode.addons.sandbox import SandboxPolicy
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.redaction import Secrets
from induscode.tools.processes.line import Keeper
from tests.tools.conftest import Bench
from tests.tools.waiting import until

BAD = Path(__file__).parent / "bad"
CALL = ToolPayload("bash", {"command": "ls"}, "call-1")


class Nursery:
    """Starts addons under one keeper. `told` is what they were reported for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = uuid.uuid4().hex
        self.keeper = Keeper()
        self.told: list[ProcessFault] = []
        self.now = 0.0
        self.secrets = Secrets()
        self._addons: list[ProcessAddon] = []

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    async def addon(
        self,
        path: Path,
        *words: str,
        calls: HostCalls | None = None,
        limits: ProcessLimits | None = None,
        policy: SandboxPolicy | None = None,
        network: bool = False,
        approved: Offers | None = None,
    ) -> ProcessAddon:
        """Not started yet."""
        runner = await runner_of(path, os.environ)
        ground = Ground(policy or SandboxPolicy(), network, os.environ, self.secrets)
        made = ground.program((*runner.words, *words), path.parent, path.parent, *runner.needs)
        program = msgspec.structs.replace(made, environ={**made.environ, "MARK": self.mark})

        async def find() -> Program:
            return program

        hosting = Hosting(
            self.keeper, calls or HostCalls(), self.secrets, self.told.append, lambda: self.now
        )
        addon = ProcessAddon(
            Identity(AddonId(path.stem), "0" * 64), find, hosting, limits=limits, approved=approved
        )
        self._addons.append(addon)
        return addon

    @property
    def kinds(self) -> list[ProcessFaultKind]:
        return [fault.kind for fault in self.told]

    def left(self) -> Iterator[int]:
        """The processes that any of these addons started and that still live."""
        for folder in Path("/proc").iterdir():
            if not folder.name.isdecimal():
                continue
            try:
                environ = (folder / "environ").read_bytes()
                state = (folder / "stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue
            if self.mark.encode() in environ and state != "Z":
                yield int(folder.name)

    async def until_nothing_is_left(self) -> None:
        await until(lambda: not list(self.left()))

    async def close(self) -> None:
        for addon in self._addons:
            await addon.close()
        await self.keeper.close()


def context(folder: Path, progress: Callable[[str], None] = lambda _: None) -> ToolContext:
    return msgspec.structs.replace(Bench(folder).context(), progress=progress, call="call-7")


async def called(addon: ProcessAddon, name: str, args: dict[str, Any], **about: Any) -> ToolResult:
    """A call of one of its tools."""
    with TemporaryDirectory() as folder:
        return await addon.tool(name, args, context(Path(folder), **about))


async def asked(
    addon: ProcessAddon, payload: ToolPayload = CALL
) -> tuple[DispatchOutcome, list[AddonFault]]:
    """What a dispatcher makes of the addon's first handler, a gate at `tool:before`, and the
    faults that it reports."""
    event, faults, heard = HookEvent.TOOL_BEFORE, FaultSink(), list[AddonFault]()
    faults.on_fault(heard.append)
    gate = Gate(lambda given: addon.gate(0, event, given))
    one = EventSubscription(AddonId("the-addon"), event, gate)
    return await EventDispatcher([one], faults=faults).dispatch(event, payload), heard
