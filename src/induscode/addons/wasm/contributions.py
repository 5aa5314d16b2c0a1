"""A component as an addon like any other: its answers in the words of the contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from induscode.addons.contract import (
    PAYLOAD_TYPES,
    Arguments,
    Block,
    CommandContext,
    Continue,
    EnterOutcome,
    ExitOutcome,
    GateDecision,
    HookEvent,
    Payload,
    RewriteArguments,
    RewriteResult,
    ToolEnterContext,
    ToolExitContext,
)
from induscode.addons.wasm.decisions import Changed, Outcome, Stopped, ToolAnswer, Unchanged
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.kernel.cancel import CancelToken
from induscode.kernel.jsontext import JsonProblem, parse_object
from induscode.kernel.tool import ToolContext, ToolResult

__all__ = ["Component", "ComponentRuntime"]

T = TypeVar("T")


class Component(Protocol):
    """What this needs of `WasmAddon`."""

    async def handle(self, handler: int, event: str, payload: str) -> Outcome: ...

    async def enter(self, handler: int, tool: str, call_id: str, args: str) -> Outcome: ...

    async def leave(
        self, handler: int, tool: str, call_id: str, args: str, answer: str, error: str = ""
    ) -> Outcome: ...

    async def command(self, name: str, args: str, cwd: str) -> str | None: ...

    async def call_tool(self, name: str, call_id: str, args: str) -> ToolAnswer: ...


class ComponentRuntime:
    """A `recording.Runtime`. Raises `WasmFault` for an answer that does not fit the question."""

    def __init__(self, component: Component) -> None:
        self._component = component

    async def observe(self, handler: int, event: HookEvent, payload: Payload) -> None:
        match await self._component.handle(handler, event, _json(payload)):
            case Unchanged():
                return
            case Changed() | Stopped():
                raise _bad(f"{event}: an observer may only answer `unchanged`")

    async def transform(self, handler: int, event: HookEvent, payload: Payload) -> Payload:
        match await self._component.handle(handler, event, _json(payload)):
            case Unchanged():
                return payload
            case Changed(text):
                return _parsed(event, text, PAYLOAD_TYPES[event])
            case Stopped():
                raise _bad(f"{event}: a transform may not answer `stopped`")

    async def gate(self, handler: int, event: HookEvent, payload: Payload) -> GateDecision:
        match await self._component.handle(handler, event, _json(payload)):
            case Unchanged():
                return GateDecision(stop=False)
            case Stopped(reason):
                return GateDecision(stop=True, reason=reason)
            case Changed():
                raise _bad(f"{event}: a gate may not answer `transformed`")

    async def enter(self, handler: int, context: ToolEnterContext) -> EnterOutcome:
        given = (context.tool, context.call_id, _json(context.args))
        match await self._component.enter(handler, *given):
            case Unchanged():
                return Continue()
            case Changed(text):
                return RewriteArguments(_parsed(f"enter {context.tool}", text, Arguments))
            case Stopped(reason):
                return Block(GateDecision(stop=True, reason=reason))

    async def exit(self, handler: int, context: ToolExitContext) -> ExitOutcome:
        given = (context.tool, context.call_id, _json(context.args), _json(context.result))
        match await self._component.leave(handler, *given, context.error or ""):
            case Unchanged():
                return Continue()
            case Changed(text):
                return RewriteResult(_parsed(f"leave {context.tool}", text, ToolResult))
            case Stopped():
                raise _bad(f"leave {context.tool}: it is too late to stop")

    async def command(self, name: str, context: CommandContext) -> str | None:
        return await self._component.command(name, context.args, str(context.cwd))

    async def tool(
        self, name: str, arguments: Mapping[str, Any], context: ToolContext
    ) -> ToolResult:
        answer = await self._component.call_tool(name, context.call, _json(dict(arguments)))
        return ToolResult.error(answer.text) if answer.is_error else ToolResult.text(answer.text)

    async def task(self, name: str, cancel: CancelToken) -> None:
        raise _bad(f"task {name}: a component has none")


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _parsed(doing: str, text: str, shape: type[T]) -> T:
    try:
        return msgspec.convert(parse_object(text)[1], shape)
    except (JsonProblem, msgspec.ValidationError) as error:
        raise _bad(f"{doing}: {error}") from None


def _bad(message: str) -> WasmFault:
    return WasmFault(WasmFaultKind.BAD_ANSWER, message)
