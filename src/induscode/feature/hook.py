"""Hooks: where a feature may be heard, and how it registers to be.

Host permission is not a hook: it is part of the host, comes first, and no hook can lift it. Each
hook has an owner, a deadline and a failure policy: one that guards (`FailurePolicy.DENY`) denies
when it raises, takes too long or answers something else; one that only watches is reported and
passed over.
"""

from __future__ import annotations

from collections.abc import Awaitable
from enum import StrEnum
from typing import Protocol, TypeVar

from msgspec import Struct

from induscode.feature.capability import AnyCapability
from induscode.feature.hook_views import (
    AmendParameters,
    AmendRequest,
    Continue,
    DenyWithSyntheticError,
    EmitDiagnosticRecord,
    PublicBeforeRewriteDecision,
    PublicBeforeRewriteEvent,
    PublicInputSubmitDecision,
    PublicInputSubmitEvent,
    PublicObserverDecision,
    PublicPostAssistantDecision,
    PublicPostAssistantEvent,
    PublicPostToolCallDecision,
    PublicPostToolCallEvent,
    PublicPreRequestDecision,
    PublicPreRequestEvent,
    PublicPreToolCallDecision,
    PublicPreToolCallEvent,
    PublicRequestParametersDecision,
    PublicRequestParametersEvent,
    PublicSessionEvent,
    PublicShellEnvironmentDecision,
    PublicShellEnvironmentEvent,
    PublicSummaryDecision,
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
from induscode.feature.lending import Lease, lent
from induscode.feature.limits import HOOK_SECONDS
from induscode.feature.points import HookBand, HookPoint

__all__ = [
    "AmendParameters",
    "AmendRequest",
    "AnyHook",
    "Continue",
    "DenyWithSyntheticError",
    "EmitDiagnosticRecord",
    "FailurePolicy",
    "HookBand",
    "HookContribution",
    "HookDeclaration",
    "HookPoint",
    "HookPort",
    "PublicBeforeRewriteDecision",
    "PublicBeforeRewriteEvent",
    "PublicBeforeRewriteHook",
    "PublicHookRegistrar",
    "PublicInputSubmitDecision",
    "PublicInputSubmitEvent",
    "PublicInputSubmitHook",
    "PublicObserverDecision",
    "PublicPostAssistantDecision",
    "PublicPostAssistantEvent",
    "PublicPostAssistantHook",
    "PublicPostToolCallDecision",
    "PublicPostToolCallEvent",
    "PublicPostToolCallHook",
    "PublicPreRequestDecision",
    "PublicPreRequestEvent",
    "PublicPreRequestHook",
    "PublicPreToolCallDecision",
    "PublicPreToolCallEvent",
    "PublicPreToolCallHook",
    "PublicRequestParametersDecision",
    "PublicRequestParametersEvent",
    "PublicRequestParametersHook",
    "PublicSessionEndHook",
    "PublicSessionEvent",
    "PublicSessionStartHook",
    "PublicShellEnvironmentDecision",
    "PublicShellEnvironmentEvent",
    "PublicShellEnvironmentHook",
    "PublicSummaryDecision",
    "PublicSummaryEvent",
    "PublicSummaryHook",
    "PublicTurnEndEvent",
    "PublicTurnEndHook",
    "PublicTurnStartEvent",
    "PublicTurnStartHook",
    "ReplaceAnswer",
    "ReplaceResult",
    "ReplaceSummary",
    "RewriteArguments",
    "RewriteInput",
    "SetEnvironment",
]

T = TypeVar("T")
Answer = T | Awaitable[T]
"""A hook may be a plain function, which runs in a thread, or a coroutine function."""


class FailurePolicy(StrEnum):
    DENY = "deny"
    REPORT = "report"


class PublicPreToolCallHook(Protocol):
    def on_pre_tool_call(
        self, event: PublicPreToolCallEvent, /
    ) -> Answer[PublicPreToolCallDecision]: ...


class PublicPostToolCallHook(Protocol):
    def on_post_tool_call(
        self, event: PublicPostToolCallEvent, /
    ) -> Answer[PublicPostToolCallDecision]: ...


class PublicInputSubmitHook(Protocol):
    def on_input_submit(
        self, event: PublicInputSubmitEvent, /
    ) -> Answer[PublicInputSubmitDecision]: ...


class PublicPreRequestHook(Protocol):
    def on_pre_request(
        self, event: PublicPreRequestEvent, /
    ) -> Answer[PublicPreRequestDecision]: ...


class PublicRequestParametersHook(Protocol):
    def on_request_parameters(
        self, event: PublicRequestParametersEvent, /
    ) -> Answer[PublicRequestParametersDecision]: ...


class PublicPostAssistantHook(Protocol):
    def on_post_assistant(
        self, event: PublicPostAssistantEvent, /
    ) -> Answer[PublicPostAssistantDecision]: ...


class PublicShellEnvironmentHook(Protocol):
    def on_shell_environment(
        self, event: PublicShellEnvironmentEvent, /
    ) -> Answer[PublicShellEnvironmentDecision]: ...


class PublicTurnStartHook(Protocol):
    def on_turn_start(self, event: PublicTurnStartEvent, /) -> Answer[PublicObserverDecision]: ...


class PublicTurnEndHook(Protocol):
    def on_turn_end(self, event: PublicTurnEndEvent, /) -> Answer[PublicObserverDecision]: ...


class PublicBeforeRewriteHook(Protocol):
    def on_before_rewrite(
        self, event: PublicBeforeRewriteEvent, /
    ) -> Answer[PublicBeforeRewriteDecision]: ...


class PublicSummaryHook(Protocol):
    def on_summary(self, event: PublicSummaryEvent, /) -> Answer[PublicSummaryDecision]: ...


class PublicSessionStartHook(Protocol):
    def on_session_start(self, event: PublicSessionEvent, /) -> Answer[PublicObserverDecision]: ...


class PublicSessionEndHook(Protocol):
    def on_session_end(self, event: PublicSessionEvent, /) -> Answer[PublicObserverDecision]: ...


AnyHook = (
    PublicPreToolCallHook
    | PublicPostToolCallHook
    | PublicInputSubmitHook
    | PublicTurnStartHook
    | PublicPreRequestHook
    | PublicRequestParametersHook
    | PublicPostAssistantHook
    | PublicShellEnvironmentHook
    | PublicTurnEndHook
    | PublicBeforeRewriteHook
    | PublicSummaryHook
    | PublicSessionStartHook
    | PublicSessionEndHook
)


class HookDeclaration(Struct, frozen=True):
    """`tools` are the names it is about, at the points of a tool call; none means every tool."""

    name: str
    point: HookPoint
    tools: tuple[str, ...] = ()
    band: HookBand = HookBand.NORMAL
    failure: FailurePolicy = FailurePolicy.DENY
    seconds: float = HOOK_SECONDS
    required_capabilities: tuple[AnyCapability, ...] = ()


class HookContribution(Struct, frozen=True):
    """What a registrar hands to the host: the implementation, under its declared name."""

    name: str
    point: HookPoint
    hook: AnyHook
    feature_id: str = ""


class HookPort(Protocol):
    def hook(self, contribution: HookContribution) -> None: ...


class PublicHookRegistrar:
    """One method per point. Each raises as `ToolRegistrar.register` does."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[HookPort]) -> None:
        self.lease = lease

    def pre_tool_call(self, name: str, hook: PublicPreToolCallHook) -> None:
        self.add(name, HookPoint.PRE_TOOL_CALL, hook)

    def post_tool_call(self, name: str, hook: PublicPostToolCallHook) -> None:
        self.add(name, HookPoint.POST_TOOL_CALL, hook)

    def input_submit(self, name: str, hook: PublicInputSubmitHook) -> None:
        self.add(name, HookPoint.INPUT_SUBMIT, hook)

    def turn_start(self, name: str, hook: PublicTurnStartHook) -> None:
        self.add(name, HookPoint.TURN_START, hook)

    def pre_request(self, name: str, hook: PublicPreRequestHook) -> None:
        self.add(name, HookPoint.PRE_REQUEST, hook)

    def request_parameters(self, name: str, hook: PublicRequestParametersHook) -> None:
        self.add(name, HookPoint.REQUEST_PARAMETERS, hook)

    def post_assistant(self, name: str, hook: PublicPostAssistantHook) -> None:
        self.add(name, HookPoint.POST_ASSISTANT, hook)

    def shell_environment(self, name: str, hook: PublicShellEnvironmentHook) -> None:
        self.add(name, HookPoint.SHELL_ENVIRONMENT, hook)

    def turn_end(self, name: str, hook: PublicTurnEndHook) -> None:
        self.add(name, HookPoint.TURN_END, hook)

    def before_rewrite(self, name: str, hook: PublicBeforeRewriteHook) -> None:
        self.add(name, HookPoint.BEFORE_REWRITE, hook)

    def summary(self, name: str, hook: PublicSummaryHook) -> None:
        self.add(name, HookPoint.SUMMARY, hook)

    def session_start(self, name: str, hook: PublicSessionStartHook) -> None:
        self.add(name, HookPoint.SESSION_START, hook)

    def session_end(self, name: str, hook: PublicSessionEndHook) -> None:
        self.add(name, HookPoint.SESSION_END, hook)

    def add(self, name: str, point: HookPoint, hook: AnyHook) -> None:
        """A hook of any point, for whoever has its point as a value."""
        lent(self.lease).hook(HookContribution(name, point, hook))
