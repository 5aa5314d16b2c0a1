"""What a component registered, as contributions of an addon like any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from induscode.addons.contract import (
    PAYLOAD_TYPES,
    AddonApi,
    AnyTool,
    Arguments,
    Block,
    CommandContext,
    CommandFn,
    Continue,
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
    RewriteArguments,
    RewriteResult,
    ToolEnterContext,
    ToolExitContext,
    Transform,
)
from induscode.addons.offers import OfferedEvent, OfferedTool
from induscode.addons.wasm.decisions import Changed, Outcome, Stopped, ToolAnswer, Unchanged
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.registration import Registration
from induscode.kernel.jsontext import JsonProblem, parse_object
from induscode.kernel.tool import ToolContext, ToolResult

__all__ = ["Component", "record"]

T = TypeVar("T")


class Component(Protocol):
    """What this needs of `WasmAddon`."""

    @property
    def registration(self) -> Registration: ...

    async def handle(self, handler: int, event: str, payload: str) -> Outcome: ...

    async def enter(self, handler: int, tool: str, call_id: str, args: str) -> Outcome: ...

    async def leave(
        self, handler: int, tool: str, call_id: str, args: str, answer: str, error: str = ""
    ) -> Outcome: ...

    async def command(self, name: str, args: str, cwd: str) -> str | None: ...

    async def call_tool(self, name: str, call_id: str, args: str) -> ToolAnswer: ...


def record(component: Component, api: AddonApi) -> None:
    """Record everything that the component registered, in its order."""
    about = component.registration
    for place, offered in enumerate(about.events):
        api.on(offered.event, _handler(component, place, offered))
    for place, stage in enumerate(about.interceptors):
        api.intercept_tool(
            AnyTool() if stage.tool is None else NamedTool(stage.tool),
            _enter(component, place) if stage.enter else None,
            _leave(component, place) if stage.exit else None,
        )
    for command in about.commands:
        api.add_command(command.name, command.summary, _command(component, command.name))
    for tool in about.tools:
        api.add_tool(_Tool(component, tool))


def _handler(component: Component, place: int, offered: OfferedEvent) -> HookHandler:
    heard = _Heard(component, place, offered.event)
    match offered.kind:
        case HookKind.OBSERVE:
            return Observe(heard.observe)
        case HookKind.TRANSFORM:
            return Transform(heard.transform)
        case HookKind.GATE:
            return Gate(heard.gate)


class _Heard:
    def __init__(self, component: Component, place: int, event: HookEvent) -> None:
        self._component = component
        self._place = place
        self._event = event

    async def _heard(self, payload: Payload) -> Outcome:
        return await self._component.handle(self._place, self._event, _json(payload))

    async def observe(self, payload: Payload) -> None:
        match await self._heard(payload):
            case Unchanged():
                return
            case Changed() | Stopped():
                raise _bad(f"{self._event}: an observer may only answer `unchanged`")

    async def transform(self, payload: Payload) -> Payload:
        match await self._heard(payload):
            case Unchanged():
                return payload
            case Changed(text):
                return _parsed(self._event, text, PAYLOAD_TYPES[self._event])
            case Stopped():
                raise _bad(f"{self._event}: a transform may not answer `stopped`")

    async def gate(self, payload: Payload) -> GateDecision:
        match await self._heard(payload):
            case Unchanged():
                return GateDecision(stop=False)
            case Stopped(reason):
                return GateDecision(stop=True, reason=reason)
            case Changed():
                raise _bad(f"{self._event}: a gate may not answer `transformed`")


def _enter(component: Component, place: int) -> EnterFn:
    async def enter(context: ToolEnterContext) -> EnterOutcome:
        given = (context.tool, context.call_id, _json(context.args))
        match await component.enter(place, *given):
            case Unchanged():
                return Continue()
            case Changed(text):
                return RewriteArguments(_parsed(f"enter {context.tool}", text, Arguments))
            case Stopped(reason):
                return Block(GateDecision(stop=True, reason=reason))

    return enter


def _leave(component: Component, place: int) -> ExitFn:
    async def leave(context: ToolExitContext) -> ExitOutcome:
        given = (context.tool, context.call_id, _json(context.args), _json(context.result))
        match await component.leave(place, *given, context.error or ""):
            case Unchanged():
                return Continue()
            case Changed(text):
                return RewriteResult(_parsed(f"leave {context.tool}", text, ToolResult))
            case Stopped():
                raise _bad(f"leave {context.tool}: it is too late to stop")

    return leave


def _command(component: Component, name: str) -> CommandFn:
    async def run(context: CommandContext) -> str | None:
        return await component.command(name, context.args, str(context.cwd))

    return run


class _Tool:
    """The host classifies it; what it says of itself is not believed."""

    def __init__(self, component: Component, about: OfferedTool) -> None:
        self._component = component
        self.name = about.name
        self.label = about.name
        self.description = about.description
        self.parameters: Mapping[str, Any] = about.parameters
        self.read_only = False

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        asked = self._component.call_tool(self.name, context.call, _json(dict(arguments)))
        answer = await context.cancel.run(asked)
        return ToolResult.error(answer.text) if answer.is_error else ToolResult.text(answer.text)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _parsed(doing: str, text: str, shape: type[T]) -> T:
    try:
        return msgspec.convert(parse_object(text)[1], shape)
    except (JsonProblem, msgspec.ValidationError) as error:
        raise _bad(f"{doing}: {error}") from None


def _bad(message: str) -> WasmFault:
    return WasmFault(WasmFaultKind.BAD_ANSWER, message)
