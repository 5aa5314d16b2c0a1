"""Recording what an addon offers, with handlers that ask the addon: the same in every tier."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct

from induscode.addons.contract import (
    AddonApi,
    AnyTool,
    CommandContext,
    CommandFn,
    EnterFn,
    EnterOutcome,
    ExitFn,
    ExitOutcome,
    Gate,
    GateDecision,
    HookEvent,
    HookHandler,
    HookKind,
    NamedTool,
    Observe,
    Payload,
    TaskFn,
    ToolEnterContext,
    ToolExitContext,
    ToolPayload,
    Transform,
)
from induscode.addons.offers import OfferedEvent, OfferedTool, Offers
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.aliases import means, tool_name

__all__ = ["Living", "OfferedAddonTool", "Runtime", "concerns", "record"]


class Runtime(Protocol):
    """An addon that can be asked. `handler` is a place in its list of events or interceptors. What
    it does wrong is raised as its tier's fault, an `AddonAuthorError`. The first call may start
    it."""

    async def observe(self, handler: int, event: HookEvent, payload: Payload) -> None: ...

    async def transform(self, handler: int, event: HookEvent, payload: Payload) -> Payload: ...

    async def gate(self, handler: int, event: HookEvent, payload: Payload) -> GateDecision: ...

    async def enter(self, handler: int, context: ToolEnterContext) -> EnterOutcome: ...

    async def exit(self, handler: int, context: ToolExitContext) -> ExitOutcome: ...

    async def command(self, name: str, context: CommandContext) -> str | None: ...

    async def tool(
        self, name: str, arguments: Mapping[str, Any], context: ToolContext
    ) -> ToolResult: ...

    async def task(self, name: str, cancel: CancelToken) -> None: ...


Living = Callable[[], Runtime]
"""The addon when it is asked; the first time may make it."""


def record(living: Living, offers: Offers, api: AddonApi) -> None:
    """Record everything that is offered, in its order; nothing of it is called."""
    for place, offered in enumerate(offers.events):
        api.on(offered.event, _handler(living, place, offered))
    for place, stage in enumerate(offers.interceptors):
        api.intercept_tool(
            AnyTool() if stage.tool is None else NamedTool(stage.tool),
            _entering(living, place) if stage.enter else None,
            _leaving(living, place) if stage.exit else None,
        )
    for command in offers.commands:
        api.add_command(command.name, command.summary, _command(living, command.name))
    for tool in offers.tools:
        api.add_tool(OfferedAddonTool(living, tool))
    for task in offers.tasks:
        run = _task(living, task.name)
        api.add_task(task.name, run, task.description, restarts=task.restarts)


def concerns(tool: str | None, payload: Payload) -> bool:
    """Whether a handler for this tool (None: whatever happens) hears of the payload."""
    if tool is None:
        return True
    return isinstance(payload, ToolPayload) and means(tool_name(tool), tool_name(payload.name))


class OfferedAddonTool(Struct, frozen=True):
    """A tool of an addon. The host classifies it; what it says of itself is not believed. A call
    that fails, rather than answering with an error, raises the fault of its tier."""

    living: Living
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
        return await context.cancel.run(self._asked(arguments, context))

    async def _asked(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return await self.living().tool(self.name, arguments, context)


def _handler(living: Living, place: int, offered: OfferedEvent) -> HookHandler:
    heard = _Heard(living, place, offered)
    match offered.kind:
        case HookKind.OBSERVE:
            return Observe(heard.observe)
        case HookKind.TRANSFORM:
            return Transform(heard.transform)
        case HookKind.GATE:
            return Gate(heard.gate)


class _Heard:
    """A handler of one event; what does not concern it never reaches the addon."""

    def __init__(self, living: Living, place: int, offered: OfferedEvent) -> None:
        self._living = living
        self._place = place
        self._event = offered.event
        self._tool = offered.tool

    async def observe(self, payload: Payload) -> None:
        if concerns(self._tool, payload):
            await self._living().observe(self._place, self._event, payload)

    async def transform(self, payload: Payload) -> Payload:
        if not concerns(self._tool, payload):
            return payload
        return await self._living().transform(self._place, self._event, payload)

    async def gate(self, payload: Payload) -> GateDecision:
        if not concerns(self._tool, payload):
            return GateDecision(stop=False)
        return await self._living().gate(self._place, self._event, payload)


def _entering(living: Living, place: int) -> EnterFn:
    return lambda context: living().enter(place, context)


def _leaving(living: Living, place: int) -> ExitFn:
    return lambda context: living().exit(place, context)


def _command(living: Living, name: str) -> CommandFn:
    return lambda context: living().command(name, context)


def _task(living: Living, name: str) -> TaskFn:
    return lambda cancel: living().task(name, cancel)
