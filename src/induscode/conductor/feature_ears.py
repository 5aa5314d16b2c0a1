"""Between the hooks of features and the conductor's own: events out, closed decisions in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from induscode.conductor.hearing import Ear
from induscode.conductor.hooks import (
    CommandView,
    Continue,
    Noted,
    Reworded,
    Rewritten,
    Shape,
    Stop,
    ToolView,
    Tuned,
    Variables,
)
from induscode.conductor.results import readable
from induscode.feature.capability import ShapeEnvironment
from induscode.feature.hook_views import (
    AmendParameters,
    AmendRequest,
    EmitDiagnosticRecord,
    PublicBeforeRewriteEvent,
    PublicInputSubmitEvent,
    PublicPostAssistantEvent,
    PublicPostToolCallEvent,
    PublicPreRequestEvent,
    PublicPreToolCallEvent,
    PublicRequestParametersEvent,
    PublicSessionEvent,
    PublicShellEnvironmentEvent,
    PublicSummaryEvent,
    PublicTurnEndEvent,
    PublicTurnStartEvent,
    ReplaceAnswer,
    ReplaceResult,
    ReplaceSummary,
    RewriteArguments,
    RewriteInput,
    SetEnvironment,
)
from induscode.kernel.content import Text
from induscode.kernel.request import NeutralRequest
from induscode.kernel.tool import ToolResult
from induscode.policy.fixed_names import why_fixed
from induscode.session.entries import Operation

__all__ = [
    "AnswerEar",
    "EnvironmentEar",
    "InputEar",
    "ParameterEar",
    "PostToolEar",
    "PreRequestEar",
    "PreToolEar",
    "RewriteEar",
    "SessionEndEar",
    "SessionStartEar",
    "SummaryEar",
    "TurnEndEar",
    "TurnStartEar",
]


class _Heard:
    def __init__(self, ear: Ear) -> None:
        self.by = ear.by
        self.ear = ear

    def matches(self, tool: str) -> bool:
        return self.ear.matches(tool)

    async def observed(self, event: object) -> Noted | None:
        """An observer's failure was reported where it was heard."""
        match await self.ear.hear(event):
            case EmitDiagnosticRecord(diagnostic=diagnostic):
                return Noted(diagnostic.message)
            case _:
                return None


class PreToolEar(_Heard):
    async def enter(self, view: ToolView) -> Continue | Stop | Rewritten | Noted:
        written = msgspec.json.encode(view.arguments).decode()
        event = PublicPreToolCallEvent(view.call, view.tool, written)
        match await self.ear.hear(event):
            case RewriteArguments(arguments=arguments):
                return Rewritten(arguments)
            case decision:
                return _plain(decision)

    async def exit(self, view: ToolView, result: ToolResult) -> None:
        """It is about calls to come."""


class PostToolEar(_Heard):
    async def enter(self, view: ToolView) -> Continue:
        return Continue()

    async def exit(self, view: ToolView, result: ToolResult) -> ToolResult | Stop | Noted | None:
        event = PublicPostToolCallEvent(
            view.call,
            view.tool,
            msgspec.json.encode(view.arguments).decode(),
            readable(result.content),
            result.is_error,
            view.error,
            result.content,
        )
        match await self.ear.hear(event):
            case ReplaceResult(text=text, is_error=is_error, content=content):
                return ToolResult(content=content or (Text(text),), is_error=is_error)
            case decision:
                return _unless(decision)


class InputEar(_Heard):
    async def submit(self, text: str) -> Continue | Stop | Noted | Reworded:
        match await self.ear.hear(PublicInputSubmitEvent(text)):
            case RewriteInput(text=other):
                return Reworded(other)
            case decision:
                return _plain(decision)


class TurnStartEar(_Heard):
    async def turn_started(self, session: str, text: str, *, resumed: bool) -> Noted | None:
        return await self.observed(PublicTurnStartEvent(session, text, resumed))


class PreRequestEar(_Heard):
    async def shape(self, request: NeutralRequest) -> Shape | Stop | Noted | None:
        event = PublicPreRequestEvent(request.head.model, tuple(request.texts()))
        match await self.ear.hear(event):
            case AmendRequest(texts=wanted, added=added):
                operations = tuple(_operation(entry, text) for entry, text in wanted.items())
                return Shape(operations, added=added)
            case decision:
                return _unless(decision)


class ParameterEar(_Heard):
    async def tune(self, model: str, parameters: Mapping[str, Any]) -> Tuned | Stop | Noted | None:
        written = msgspec.json.encode(parameters).decode()
        match await self.ear.hear(PublicRequestParametersEvent(model, written)):
            case AmendParameters(parameters=wanted):
                return Tuned(wanted)
            case decision:
                return _unless(decision)


class AnswerEar(_Heard):
    async def answered(self, text: str, calls: int, entry: str) -> Reworded | Stop | Noted | None:
        match await self.ear.hear(PublicPostAssistantEvent(text, calls, entry)):
            case ReplaceAnswer(text=other):
                return Reworded(other)
            case decision:
                return _unless(decision)


class EnvironmentEar(_Heard):
    async def furnish(self, view: CommandView) -> Variables | Stop | Noted | None:
        event = PublicShellEnvironmentEvent(view.tool, view.call, dict(view.environment))
        match await self.ear.hear(event):
            case SetEnvironment(values=wanted):
                return self._allowed(wanted)
            case decision:
                return _unless(decision)

    def _allowed(self, wanted: dict[str, str | None]) -> Variables:
        """Of these the ones that it may set now."""
        values: dict[str, str | None] = {}
        refused: list[str] = []
        for name, value in wanted.items():
            why = why_fixed(name)
            if why is None:
                why = self.ear.lacks(ShapeEnvironment(name))
            if why is None:
                values[name] = value
            else:
                refused.append(f"{name[:_NAME]}: {why}")
        return Variables(values, tuple(refused))


class TurnEndEar(_Heard):
    async def turn_ended(self, session: str, text: str) -> Noted | None:
        return await self.observed(PublicTurnEndEvent(text, session))


class RewriteEar(_Heard):
    async def before(
        self, what: Literal["compaction", "rewind", "fork"], reason: str
    ) -> Continue | Stop | Noted:
        return _plain(await self.ear.hear(PublicBeforeRewriteEvent(what, reason)))


class SummaryEar(_Heard):
    async def summarised(self, reason: str, summary: str) -> Reworded | Stop | Noted | None:
        match await self.ear.hear(PublicSummaryEvent(reason, summary)):
            case ReplaceSummary(text=other):
                return Reworded(other)
            case decision:
                return _unless(decision)


class SessionStartEar(_Heard):
    async def started(self, session: str, *, resumed: bool) -> Noted | None:
        return await self.observed(PublicSessionEvent(session, resumed))


class SessionEndEar(_Heard):
    async def ended(self, session: str) -> Noted | None:
        return await self.observed(PublicSessionEvent(session))


_NAME = 100
"""Characters of a name that a report has room for."""


def _plain(decision: object) -> Continue | Stop | Noted:
    return _unless(decision) or Continue()


def _unless(decision: object) -> Stop | Noted | None:
    """What keeps things from going on as they were, or is to be recorded."""
    match decision:
        case Stop():
            return decision
        case EmitDiagnosticRecord(diagnostic=diagnostic):
            return Noted(diagnostic.message)
        case _:
            return None


def _operation(entry: str, text: str | None) -> Operation:
    if text is None:
        return Operation(op="omit", target=entry)
    return Operation(op="replace", target=entry, content=[Text(text)])
