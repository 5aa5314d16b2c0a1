"""What the tests of the addon library share: addons that are functions, and a tool to call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from induscode.addons.contract import (
    AddonApi,
    AddonFault,
    AddonId,
    AddonManifest,
    Gate,
    GateDecision,
    LoaderError,
    Payload,
    Transform,
)
from induscode.addons.dispatch import EventDispatcher
from induscode.addons.faults import FaultSink
from induscode.addons.host import AddonHost, AddonHostDeps, create_addon_host
from induscode.kernel.tool import ToolContext, ToolResult

ONE, TWO, THREE = AddonId("one"), AddonId("two"), AddonId("three")


class ScriptedLoader:
    """Loads from a table and never from the disk; a path that is not in it is unsupported."""

    def __init__(self, table: Mapping[str, AddonManifest | Exception]) -> None:
        self.table = {Path(path): entry for path, entry in table.items()}

    async def load(self, path: Path) -> AddonManifest:
        match self.table.get(path):
            case None:
                raise LoaderError.unsupported(path, "no scripted addon")
            case Exception() as error:
                raise error
            case manifest:
                return manifest


class Echo:
    """A tool that answers with its arguments."""

    label = "Echo"
    description = "Say it again."
    parameters: Mapping[str, Any] = {"type": "object", "properties": {}}
    read_only = True

    def __init__(self, name: str = "echo") -> None:
        self.name = name

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult.text(f"{self.name} {dict(arguments)}")


def addon(
    record: Callable[[AddonApi], object], name: str | None = None, **fields: Any
) -> AddonManifest:
    """An addon whose `register` is a plain function."""

    async def register(api: AddonApi) -> None:
        record(api)

    return AddonManifest(register, AddonId(name) if name is not None else None, **fields)


def heard(faults: list[AddonFault]) -> FaultSink:
    sink = FaultSink()
    sink.on_fault(faults.append)
    return sink


def dispatcher(*subscriptions: Any, faults: list[AddonFault], **given: Any) -> EventDispatcher:
    return EventDispatcher(subscriptions, faults=heard(faults), **given)


def gate(*, stop: bool, reason: str = "") -> Gate:
    async def decide(payload: Payload) -> GateDecision:
        return GateDecision(stop=stop, reason=reason)

    return Gate(decide)


def transform(change: Callable[[Any], Any]) -> Transform:
    async def run(payload: Payload) -> Any:
        return change(payload)

    return Transform(run)


def raising(error: BaseException) -> Callable[..., Awaitable[Any]]:
    async def run(*given: object) -> Any:
        raise error

    return run


def host_of(
    table: Mapping[str, AddonManifest | Exception], faults: list[AddonFault], **deps: Any
) -> AddonHost:
    """A host over a scripted loader, with a listener."""
    host = create_addon_host(AddonHostDeps(loader=ScriptedLoader(table), **deps))
    host.on_fault(faults.append)
    return host
