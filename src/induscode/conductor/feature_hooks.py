"""The hooks of all installed features, in their bands, as the conductor's own protocols."""

from __future__ import annotations

from typing import Literal

import msgspec

from induscode.conductor.hearing import Ear
from induscode.conductor.hooks import (
    Continue,
    Hooks,
    Noted,
    Rewritten,
    Shape,
    Stop,
    ToolView,
)
from induscode.conductor.results import readable
from induscode.feature.hook_views import (
    AmendRequest,
    DenyWithSyntheticError,
    EmitDiagnosticRecord,
    PublicBeforeRewriteEvent,
    PublicInputSubmitEvent,
    PublicPostAssistantEvent,
    PublicPostToolCallEvent,
    PublicPreRequestEvent,
    PublicPreToolCallEvent,
    PublicSessionEvent,
    PublicTurnEndEvent,
    ReplaceResult,
    RewriteArguments,
)
from induscode.feature.hosting.installed import FeatureRegistry
from induscode.feature.points import HookBand, HookPoint
from induscode.kernel.content import Text, plain_text
from induscode.kernel.request import NeutralRequest
from induscode.kernel.tool import ToolResult
from induscode.session.entries import Operation

__all__ = ["hooks_of"]

_METHODS: dict[HookPoint, tuple[str, tuple[type, ...]]] = {
    HookPoint.SESSION_START: ("on_session_start", ()),
    HookPoint.INPUT_SUBMIT: ("on_input_submit", (DenyWithSyntheticError,)),
    HookPoint.PRE_REQUEST: ("on_pre_request", (DenyWithSyntheticError, AmendRequest)),
    HookPoint.POST_ASSISTANT: ("on_post_assistant", ()),
    HookPoint.PRE_TOOL_CALL: ("on_pre_tool_call", (DenyWithSyntheticError, RewriteArguments)),
    HookPoint.POST_TOOL_CALL: ("on_post_tool_call", (DenyWithSyntheticError, ReplaceResult)),
    HookPoint.TURN_END: ("on_turn_end", ()),
    HookPoint.BEFORE_REWRITE: ("on_before_rewrite", (DenyWithSyntheticError,)),
    HookPoint.SESSION_END: ("on_session_end", ()),
}
_BANDS = list(HookBand)


def hooks_of(registry: FeatureRegistry) -> Hooks:
    """Guards first, observers last, and within a band in the order of the registry."""
    ears: dict[HookPoint, list[Ear]] = {point: [] for point in HookPoint}
    ranked = sorted(registry.hooks(), key=lambda pair: _BANDS.index(pair[1].declaration.band))
    for feature, draft in ranked:
        point = draft.declaration.point
        ears[point].append(Ear(feature, draft, *_METHODS[point]))
    around = [*map(_PreTool, ears[HookPoint.PRE_TOOL_CALL])]
    after = [*map(_PostTool, ears[HookPoint.POST_TOOL_CALL])]
    return Hooks(
        session_start=tuple(map(_SessionStart, ears[HookPoint.SESSION_START])),
        input=tuple(map(_Input, ears[HookPoint.INPUT_SUBMIT])),
        context=tuple(map(_PreRequest, ears[HookPoint.PRE_REQUEST])),
        answer=tuple(map(_Answer, ears[HookPoint.POST_ASSISTANT])),
        tool=(*around, *after),
        turn=tuple(map(_TurnEnd, ears[HookPoint.TURN_END])),
        rewrite=tuple(map(_Rewrite, ears[HookPoint.BEFORE_REWRITE])),
        session_end=tuple(map(_SessionEnd, ears[HookPoint.SESSION_END])),
    )


class _Heard:
    def __init__(self, ear: Ear) -> None:
        self.by = ear.by
        self.ear = ear


class _PreTool(_Heard):
    def matches(self, tool: str) -> bool:
        return self.ear.matches(tool)

    async def enter(self, view: ToolView) -> Continue | Stop | Rewritten | Noted:
        written = msgspec.json.encode(view.arguments).decode()
        match await self.ear.hear(PublicPreToolCallEvent(view.call, view.tool, written)):
            case Stop() as stop:
                return stop
            case RewriteArguments(arguments=arguments):
                return Rewritten(arguments)
            case EmitDiagnosticRecord(diagnostic=diagnostic):
                return Noted(diagnostic.message)
            case _:
                return Continue()

    async def exit(self, view: ToolView, result: ToolResult) -> ToolResult | None:
        return None


class _PostTool(_Heard):
    def matches(self, tool: str) -> bool:
        return self.ear.matches(tool)

    async def enter(self, view: ToolView) -> Continue:
        return Continue()

    async def exit(self, view: ToolView, result: ToolResult) -> ToolResult | Stop | Noted | None:
        event = PublicPostToolCallEvent(
            view.call,
            view.tool,
            msgspec.json.encode(view.arguments).decode(),
            readable(result.content),
            result.is_error,
        )
        match await self.ear.hear(event):
            case Stop() as stop:
                return stop
            case ReplaceResult(text=text, is_error=is_error):
                return ToolResult(content=(Text(text),), is_error=is_error)
            case EmitDiagnosticRecord(diagnostic=diagnostic):
                return Noted(diagnostic.message)
            case _:
                return None


class _Input(_Heard):
    async def submit(self, text: str) -> Continue | Stop | Noted:
        return _plain(await self.ear.hear(PublicInputSubmitEvent(text)))


class _PreRequest(_Heard):
    async def shape(self, request: NeutralRequest) -> Shape | Stop | Noted | None:
        texts = tuple(
            (part.entry, message.role, plain_text((part.block,)))
            for message in request.messages()
            for part in message.parts
            if isinstance(part.block, Text)
        )
        match await self.ear.hear(PublicPreRequestEvent(request.head.model, texts)):
            case Stop() as stop:
                return stop
            case AmendRequest(texts=wanted):
                return Shape(tuple(_operation(entry, text) for entry, text in wanted.items()))
            case EmitDiagnosticRecord(diagnostic=diagnostic):
                return Noted(diagnostic.message)
            case _:
                return None


class _Answer(_Heard):
    async def answered(self, text: str, calls: int) -> None:
        await self.ear.hear(PublicPostAssistantEvent(text, calls))


class _TurnEnd(_Heard):
    async def turn_ended(self, text: str) -> None:
        await self.ear.hear(PublicTurnEndEvent(text))


class _Rewrite(_Heard):
    async def before(
        self, what: Literal["compaction", "rewind", "fork"]
    ) -> Continue | Stop | Noted:
        return _plain(await self.ear.hear(PublicBeforeRewriteEvent(what)))


class _SessionStart(_Heard):
    async def started(self, session: str, *, resumed: bool) -> None:
        await self.ear.hear(PublicSessionEvent(session, resumed))


class _SessionEnd(_Heard):
    async def ended(self, session: str) -> None:
        await self.ear.hear(PublicSessionEvent(session))


def _plain(decision: object) -> Continue | Stop | Noted:
    match decision:
        case Stop():
            return decision
        case EmitDiagnosticRecord(diagnostic=diagnostic):
            return Noted(diagnostic.message)
        case _:
            return Continue()


def _operation(entry: str, text: str | None) -> Operation:
    if text is None:
        return Operation(op="omit", target=entry)
    return Operation(op="replace", target=entry, content=[Text(text)])
