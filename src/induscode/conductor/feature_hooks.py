"""The hooks of all installed features, in their bands, as the conductor's own protocols."""

from __future__ import annotations

from types import NoneType

from induscode.conductor.feature_ears import (
    AnswerEar,
    EnvironmentEar,
    InputEar,
    ParameterEar,
    PostToolEar,
    PreRequestEar,
    PreToolEar,
    RewriteEar,
    SessionEndEar,
    SessionStartEar,
    SummaryEar,
    TurnEndEar,
    TurnStartEar,
)
from induscode.conductor.hearing import Ear
from induscode.conductor.hooks import Hooks
from induscode.feature.hook_views import (
    AmendParameters,
    AmendRequest,
    DenyWithSyntheticError,
    ReplaceAnswer,
    ReplaceResult,
    ReplaceSummary,
    RewriteArguments,
    RewriteInput,
    SetEnvironment,
)
from induscode.feature.hosting.installed import FeatureRegistry
from induscode.feature.points import HookBand, HookPoint

__all__ = ["hooks_of"]

_OBSERVED: tuple[type, ...] = (NoneType,)
_METHODS: dict[HookPoint, tuple[str, tuple[type, ...]]] = {
    HookPoint.SESSION_START: ("on_session_start", _OBSERVED),
    HookPoint.INPUT_SUBMIT: ("on_input_submit", (DenyWithSyntheticError, RewriteInput)),
    HookPoint.TURN_START: ("on_turn_start", _OBSERVED),
    HookPoint.PRE_REQUEST: ("on_pre_request", (DenyWithSyntheticError, AmendRequest)),
    HookPoint.REQUEST_PARAMETERS: ("on_request_parameters", (AmendParameters,)),
    HookPoint.POST_ASSISTANT: ("on_post_assistant", (NoneType, ReplaceAnswer)),
    HookPoint.PRE_TOOL_CALL: ("on_pre_tool_call", (DenyWithSyntheticError, RewriteArguments)),
    HookPoint.SHELL_ENVIRONMENT: ("on_shell_environment", (SetEnvironment,)),
    HookPoint.POST_TOOL_CALL: ("on_post_tool_call", (DenyWithSyntheticError, ReplaceResult)),
    HookPoint.TURN_END: ("on_turn_end", _OBSERVED),
    HookPoint.BEFORE_REWRITE: ("on_before_rewrite", (DenyWithSyntheticError,)),
    HookPoint.SUMMARY: ("on_summary", (ReplaceSummary,)),
    HookPoint.SESSION_END: ("on_session_end", _OBSERVED),
}
"""What a hook at each point is called by, and the decisions that the point knows, besides going on
and a diagnostic."""
_BANDS = list(HookBand)


def hooks_of(registry: FeatureRegistry) -> Hooks:
    """Guards first, observers last, and within a band in the order of the registry; what is heard
    after a call is heard in reverse of that order, so that the first to enter is the last to leave.
    """
    ears: dict[HookPoint, list[Ear]] = {point: [] for point in HookPoint}
    ranked = sorted(registry.hooks(), key=lambda pair: _BANDS.index(pair[1].declaration.band))
    for feature, draft in ranked:
        point = draft.declaration.point
        ears[point].append(Ear(feature, draft, *_METHODS[point]))
    around = [*map(PreToolEar, ears[HookPoint.PRE_TOOL_CALL])]
    after = [*map(PostToolEar, _by_bands_reversed(ears[HookPoint.POST_TOOL_CALL]))]
    return Hooks(
        session_start=tuple(map(SessionStartEar, ears[HookPoint.SESSION_START])),
        input=tuple(map(InputEar, ears[HookPoint.INPUT_SUBMIT])),
        turn_start=tuple(map(TurnStartEar, ears[HookPoint.TURN_START])),
        context=tuple(map(PreRequestEar, ears[HookPoint.PRE_REQUEST])),
        parameters=tuple(map(ParameterEar, ears[HookPoint.REQUEST_PARAMETERS])),
        answer=tuple(map(AnswerEar, ears[HookPoint.POST_ASSISTANT])),
        tool=(*around, *after),
        environment=tuple(map(EnvironmentEar, ears[HookPoint.SHELL_ENVIRONMENT])),
        turn=tuple(map(TurnEndEar, ears[HookPoint.TURN_END])),
        rewrite=tuple(map(RewriteEar, ears[HookPoint.BEFORE_REWRITE])),
        summary=tuple(map(SummaryEar, ears[HookPoint.SUMMARY])),
        session_end=tuple(map(SessionEndEar, ears[HookPoint.SESSION_END])),
    )


def _by_bands_reversed(ears: list[Ear]) -> list[Ear]:
    """For those that are heard from the last to the first, guards and observers keep their places:
    a guard decides before others rewrite, and an observer sees what they left."""
    return sorted(ears, key=lambda ear: -_BANDS.index(ear.band))
