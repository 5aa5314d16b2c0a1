"""One handler of an addon, as the feature hook of its point.

The payload is built from what the host shows at that point, the handler is heard by a dispatcher,
and what it answers becomes a decision of that point. A failure is raised: the host, who hears every
hook, has the deadline, reports it, and shuts the gate where it was one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from induscode.addons.contract import (
    AddonFault,
    AddonFaultKind,
    ChatPayload,
    CompactPayload,
    DispatchOutcome,
    EventSubscription,
    GateDecision,
    InputPayload,
    LifecyclePayload,
    MessagePayload,
    Payload,
    ShellPayload,
    ToolEnterContext,
    ToolExitContext,
    ToolInterceptor,
    ToolPayload,
)
from induscode.addons.dispatch import EventDispatcher, InterceptorChain
from induscode.addons.faults import FaultSink
from induscode.addons.reduced import context_of, differences, lines_changed
from induscode.feature.diagnostic import FeatureDiagnostic
from induscode.feature.hook_views import (
    AmendParameters,
    AmendRequest,
    Continue,
    DenyWithSyntheticError,
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
from induscode.kernel.tool import ToolResult

__all__ = ["EventHook", "StageHook"]

P = TypeVar("P", bound=Payload)
Note = Continue | EmitDiagnosticRecord
_COMPACTION = "compaction"


Lacking = Callable[[], str | None]
"""Why an addon may not be asked any more: what its program was started with was taken back."""


class EventHook:
    """One subscription. It has the method of every point, and is registered at one."""

    def __init__(self, subscription: EventSubscription, lacking: Lacking = lambda: None) -> None:
        self._event = subscription.event
        self._heard = _Heard(lacking)
        self._dispatcher = EventDispatcher((subscription,), faults=self._heard.faults, seconds=None)

    async def on_session_start(self, event: PublicSessionEvent, /) -> Note:
        return await self._told(LifecyclePayload(event.session))

    async def on_session_end(self, event: PublicSessionEvent, /) -> Note:
        return await self._told(LifecyclePayload(event.session))

    async def on_turn_start(self, event: PublicTurnStartEvent, /) -> Note:
        return await self._told(LifecyclePayload(event.session, event.text))

    async def on_turn_end(self, event: PublicTurnEndEvent, /) -> Note:
        return await self._told(LifecyclePayload(event.session, event.text))

    async def on_pre_tool_call(
        self, event: PublicPreToolCallEvent, /
    ) -> Continue | DenyWithSyntheticError | RewriteArguments:
        given = ToolPayload(event.tool, event.arguments, event.call)
        after, gate = await self._dispatched(given)
        if gate is not None:
            return DenyWithSyntheticError(gate.reason)
        return Continue() if after.args == given.args else RewriteArguments(after.args)

    async def on_post_tool_call(self, event: PublicPostToolCallEvent, /) -> Note | ReplaceResult:
        shown = ToolResult(event.content, is_error=event.is_error)
        given = ToolPayload(event.tool, event.arguments, event.call, shown)
        after, gate = await self._dispatched(given)
        if gate is not None:
            return self._reported(gate)
        if after.result is None or after.result == shown:
            return Continue()
        return ReplaceResult(content=after.result.content, is_error=after.result.is_error)

    async def on_input_submit(
        self, event: PublicInputSubmitEvent, /
    ) -> Continue | DenyWithSyntheticError | RewriteInput:
        after, gate = await self._dispatched(InputPayload(event.text))
        if gate is not None:
            return DenyWithSyntheticError(gate.reason)
        return Continue() if after.text == event.text else RewriteInput(after.text)

    async def on_before_rewrite(
        self, event: PublicBeforeRewriteEvent, /
    ) -> Continue | DenyWithSyntheticError:
        """Going back and branching off are nothing that an addon hears of."""
        if event.what != _COMPACTION:
            return Continue()
        _, gate = await self._dispatched(CompactPayload(event.reason))
        return Continue() if gate is None else DenyWithSyntheticError(gate.reason)

    async def on_summary(self, event: PublicSummaryEvent, /) -> Note | ReplaceSummary:
        after, gate = await self._dispatched(CompactPayload(event.reason, event.summary))
        if gate is not None:
            return self._reported(gate)
        return Continue() if after.summary == event.summary else ReplaceSummary(after.summary)

    async def on_post_assistant(self, event: PublicPostAssistantEvent, /) -> Note | ReplaceAnswer:
        after, gate = await self._dispatched(MessagePayload(event.text, event.calls))
        if gate is not None:
            return self._reported(gate)
        return Continue() if after.text == event.text else ReplaceAnswer(after.text)

    async def on_request_parameters(
        self, event: PublicRequestParametersEvent, /
    ) -> Note | AmendParameters:
        given = event.parameters
        after, gate = await self._dispatched(ChatPayload(dict(given)))
        if gate is not None:
            return self._reported(gate)
        changed = differences(given, after.params)
        return AmendParameters(changed) if changed else Continue()

    async def on_shell_environment(
        self, event: PublicShellEnvironmentEvent, /
    ) -> Note | SetEnvironment:
        given = event.environment
        after, gate = await self._dispatched(ShellPayload(dict(given)))
        if gate is not None:
            return self._reported(gate)
        changed = differences(given, after.env)
        return SetEnvironment(changed) if changed else Continue()

    async def on_pre_request(self, event: PublicPreRequestEvent, /) -> Note | AmendRequest:
        given = context_of(event.texts)
        after, gate = await self._dispatched(given)
        if gate is not None:
            return self._reported(gate)
        if after == given:
            return Continue()
        texts, added = lines_changed(given, after)
        return AmendRequest(texts, added)

    async def _told(self, payload: Payload) -> Note:
        """There is nothing to change at this point, and nothing to stop."""
        _, gate = await self._dispatched(payload)
        return Continue() if gate is None else self._reported(gate)

    async def _dispatched(self, payload: P) -> tuple[P, GateDecision | None]:
        """What the handler makes of it. Raises `AddonFault` when it failed."""
        self._heard.begin()
        outcome: DispatchOutcome = await self._dispatcher.dispatch(self._event, payload)
        self._heard.check()
        after = outcome.payload
        if type(after) is not type(payload):
            message = f"it answered {self._event} with {type(after).__name__}"
            raise AddonFault(AddonFaultKind.HANDLER, message, addon=outcome.by)
        return after, outcome.gate

    def _reported(self, gate: GateDecision) -> EmitDiagnosticRecord:
        """A decision where the host does not act on one."""
        said = f"a gate at {self._event} said stop, which nothing heeds there: {gate.reason}"
        return EmitDiagnosticRecord(FeatureDiagnostic(said))


class StageHook:
    """The stages of one interceptor, as hooks before and after a call."""

    def __init__(self, interceptor: ToolInterceptor, lacking: Lacking = lambda: None) -> None:
        self._heard = _Heard(lacking)
        self._chain = InterceptorChain((interceptor,), faults=self._heard.faults, seconds=None)

    async def on_pre_tool_call(
        self, event: PublicPreToolCallEvent, /
    ) -> Continue | DenyWithSyntheticError | RewriteArguments:
        self._heard.begin()
        given = event.arguments
        entered = await self._chain.enter(ToolEnterContext(event.tool, event.call, given))
        self._heard.check()
        if entered.blocked is not None:
            return DenyWithSyntheticError(entered.blocked.reason)
        return RewriteArguments(entered.args) if entered.changes else Continue()

    async def on_post_tool_call(
        self, event: PublicPostToolCallEvent, /
    ) -> Continue | ReplaceResult:
        self._heard.begin()
        shown = ToolResult(event.content, is_error=event.is_error)
        left = await self._chain.leave(
            ToolExitContext(event.tool, event.call, event.arguments, shown, event.error)
        )
        self._heard.check()
        if not left.changes or left.result == shown:
            return Continue()
        return ReplaceResult(content=left.result.content, is_error=left.result.is_error)


class _Heard:
    """What one handler did wrong, raised to whoever asked it: a fault is told and looked for in one
    step of the loop, so that calls side by side never see each other's."""

    def __init__(self, lacking: Lacking) -> None:
        self._lacking = lacking
        self.faults = FaultSink()
        self._failed: list[AddonFault] = []
        self.faults.on_fault(self._failed.append)

    def begin(self) -> None:
        """Raises `AddonFault` when the addon may not be asked any more."""
        if why := self._lacking():
            raise AddonFault(AddonFaultKind.HANDLER, why)

    def check(self) -> None:
        if self._failed:
            raise self._failed.pop()
