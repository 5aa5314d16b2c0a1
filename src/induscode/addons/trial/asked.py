"""Asking one contribution of an addon once, and what is told of it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct

from induscode.addons.asking import HANDLER_SECONDS, Failed, ask
from induscode.addons.contract import (
    AddonCommand,
    AddonFault,
    AddonTool,
    Arguments,
    CommandContext,
    ContextPayload,
    GateDecision,
    HookEvent,
    HookKind,
    Payload,
    RegisteredManifest,
    ToolEnterContext,
    ToolExitContext,
    ToolPayload,
)
from induscode.addons.copies import same
from induscode.addons.dispatch import EventDispatcher, InterceptorChain
from induscode.addons.faults import FaultSink
from induscode.addons.reduced import lines_changed
from induscode.addons.trial.differences import differences
from induscode.addons.trial.recording_host import NothingRuns, RecordingHost
from induscode.addons.trial.report import Outcome, Step
from induscode.feature.limits import COMMAND_SECONDS
from induscode.kernel.content import plain_text
from induscode.kernel.jsontext import digest, encode
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.aliases import means, tool_name
from induscode.tools.schema import checker

__all__ = ["TOOL_SECONDS", "About", "Answer", "Questions"]

T = TypeVar("T")

TOOL_SECONDS = 300.0
"""How long a tool may take that is called in a trial."""

_NOT_CHANGED = (
    HookEvent.SESSION_START,
    HookEvent.SESSION_END,
    HookEvent.TURN_START,
    HookEvent.TURN_END,
    HookEvent.COMPACT_BEFORE,
)
"""Where a host does not act on what a transform answers."""


class About(Struct, frozen=True):
    """What a question is about, as its step says it. `schema` is of the arguments of the call of
    `tool`, where it is known: arguments that do not fit it would end the call."""

    entry: str = ""
    depends_on: int = 0
    tool: str = ""
    schema: Mapping[str, Any] | None = None


class Answer(Struct, Generic[T], frozen=True):
    """What goes on from here, and the number of the step."""

    value: T
    step: int
    stopped: bool = False
    changed: bool = False


class _Told(Struct, frozen=True):
    """What a question came to. A `gate` is the decision that stopped, if one did."""

    occasion: str
    handler: str
    given: object = None
    made: object = None
    gate: GateDecision | None = None
    stops: bool = False
    counts: bool = True
    said: str = ""
    wrong: str = ""


class Questions:
    """Asks the contributions of one addon, one at a time; each question is a step. `event_tools`
    are the tools that its handlers of events are about, by their places. `longest` is how many
    seconds each handler took at most, and is no part of a report."""

    def __init__(
        self,
        recorded: RegisteredManifest,
        host: RecordingHost,
        *,
        event_tools: tuple[str | None, ...] = (),
        seconds: float = HANDLER_SECONDS,
    ) -> None:
        self.steps: list[Step] = []
        self.longest: dict[str, float] = {}
        self.recorded = recorded
        self._host = host
        self._faults: list[AddonFault] = []
        sink = FaultSink()
        sink.on_fault(self._faults.append)
        self._tools = event_tools or (None,) * len(recorded.subscriptions)
        self._events = [
            EventDispatcher((one,), faults=sink, seconds=seconds) for one in recorded.subscriptions
        ]
        self._stages = [
            InterceptorChain((one,), faults=sink, seconds=seconds) for one in recorded.interceptors
        ]

    def subscribed(self, event: HookEvent, kind: HookKind, tool: str = "") -> list[int]:
        """The places of the handlers that hear this."""
        return [
            place
            for place, one in enumerate(self.recorded.subscriptions)
            if one.event is event and one.handler.kind is kind and self._concerns(place, tool)
        ]

    def stages(self, tool: str, side: Literal["enter", "exit"]) -> list[int]:
        """The places of the interceptors that have a stage on this side."""
        return [
            place
            for place, one in enumerate(self.recorded.interceptors)
            if one.matches(tool) and (one.enter if side == "enter" else one.exit) is not None
        ]

    def event_tool(self, place: int) -> str | None:
        return self._tools[place]

    def event_handler(self, place: int) -> str:
        return f"events[{place}] {self.recorded.subscriptions[place].handler.kind}"

    async def event(self, place: int, payload: Payload, about: About) -> Answer[Payload]:
        event = self.recorded.subscriptions[place].event
        began = self._begin()
        found = await self._events[place].dispatch(event, payload)
        guards, wrong = event.guards(), _unusable(event, about, payload, found.payload)
        told = _Told(
            event,
            self.event_handler(place),
            given=payload,
            made=found.payload,
            gate=found.gate,
            stops=found.gate is not None and guards,
            counts=guards if found.gate is not None else event not in _NOT_CHANGED,
            wrong=wrong,
        )
        return self._answer(told, about, began, payload if wrong else found.payload)

    async def enter(self, place: int, call: ToolEnterContext, about: About) -> Answer[Arguments]:
        began = self._begin()
        found = await self._stages[place].enter(call)
        told = _Told(
            "enter",
            f"interceptors[{place}]",
            given=call.args,
            made=found.args,
            gate=found.blocked,
            stops=found.blocked is not None,
            wrong=""
            if same(found.args, call.args)
            else _misfit(about.schema, call.tool, found.args),
        )
        return self._answer(told, about, began, found.args)

    async def exit(self, place: int, call: ToolExitContext, about: About) -> Answer[ToolResult]:
        began = self._begin()
        found = await self._stages[place].leave(call)
        handler = f"interceptors[{place}]"
        told = _Told("exit", handler, given=call.result, made=found.result)
        return self._answer(told, about, began, found.result)

    async def command(self, command: AddonCommand, cwd: Path) -> None:
        context = CommandContext("", cwd, self._host.handles())
        await self._say("command", f"/{command.name}", lambda: command.run(context))

    async def tool(self, tool: AddonTool, arguments: Arguments, context: ToolContext) -> None:
        """Arguments that do not fit fail the call, as in a session."""

        async def run() -> str:
            answer = await tool.execute(arguments, context)
            return ("error: " if answer.is_error else "") + plain_text(answer.content)

        problem = _misfit(tool.parameters, tool.name, arguments)
        if problem:
            self._write(_Told("tool", tool.name, wrong=problem), About(), Outcome.FAILED)
            return
        await self._say("tool", tool.name, run, seconds=TOOL_SECONDS)

    def skip(self, occasion: str, handler: str, why: str, about: About | None = None) -> None:
        """A step for what is not asked."""
        told = _Told(occasion, handler, wrong=why)
        self._write(told, about or About(), Outcome.SKIPPED)

    async def _say(
        self,
        occasion: str,
        handler: str,
        work: Callable[[], Awaitable[str | None]],
        *,
        seconds: float = COMMAND_SECONDS,
    ) -> None:
        began = self._begin()
        answer = await ask(work, seconds)
        self._time(handler, began)
        match answer:
            case Failed(error=NothingRuns()):
                told = _Told(occasion, handler, said="(what it would run is not run)")
                self._write(told, About(), Outcome.HEARD)
            case Failed(reason=reason):
                self._write(_Told(occasion, handler, wrong=reason), About(), Outcome.FAILED)
            case _:
                self._write(_Told(occasion, handler, said=answer or ""), About(), Outcome.HEARD)

    def _concerns(self, place: int, tool: str) -> bool:
        wanted = self._tools[place]
        return wanted is None or means(tool_name(wanted), tool_name(tool))

    def _begin(self) -> float:
        self._faults.clear()
        return time.monotonic()

    def _time(self, handler: str, began: float) -> None:
        took = time.monotonic() - began
        self.longest[handler] = max(took, self.longest.get(handler, 0.0))

    def _answer(self, told: _Told, about: About, began: float, value: T) -> Answer[T]:
        self._time(told.handler, began)
        changed = not same(told.given, told.made)
        match self._faults, told.gate, told.wrong:
            case [fault, *_], _, _:
                outcome, reason = Outcome.FAILED, fault.message
            case _, GateDecision(reason=reason), _:
                outcome = Outcome.STOPPED
            case _, _, reason if reason and changed:
                outcome = Outcome.FAILED
            case _:
                outcome, reason = (Outcome.CHANGED if changed else Outcome.HEARD), ""
        self._write(told, about, outcome, reason)
        return Answer(value, len(self.steps), stopped=told.stops, changed=changed)

    def _write(self, told: _Told, about: About, outcome: Outcome, reason: str = "") -> None:
        calls, left_out = self._host.taken()
        changed = not same(told.given, told.made)
        self.steps.append(
            Step(
                number=len(self.steps) + 1,
                occasion=told.occasion,
                handler=told.handler,
                outcome=outcome,
                entry=about.entry,
                tool=about.tool,
                reason=reason or told.wrong,
                stops=told.stops,
                counts=told.counts or not (changed or told.gate),
                depends_on=about.depends_on,
                said=told.said,
                changes=differences(told.given, told.made) if changed else (),
                before=digest(encode(told.given)) if changed else "",
                after=digest(encode(told.made)) if changed else "",
                calls=calls,
                calls_left_out=left_out,
            )
        )


def _misfit(schema: Mapping[str, Any] | None, tool: str, arguments: Arguments) -> str:
    """Why a call with these arguments would end before its tool runs; "" when it would not."""
    if schema is None:
        return ""
    try:
        return checker(tool, schema)(arguments) or ""
    except ValueError as error:
        why = str(error).partition("\n")[0]
        return f"the parameters of {tool} are no schema that can be used: {why}"


def _unusable(event: HookEvent, about: About, before: Payload, after: Payload) -> str:
    """Why a host could not do what a transform made of it; "" when it could."""
    if same(before, after):
        return ""
    match before, after:
        case ContextPayload(), ContextPayload():
            try:
                lines_changed(before, after)
            except AddonFault as fault:
                return fault.message
            return ""
        case _, ToolPayload(name=tool, args=args) if event is HookEvent.TOOL_BEFORE:
            return _misfit(about.schema, tool, args)
        case _:
            return ""
