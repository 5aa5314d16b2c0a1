"""What an addon offers, as the descriptor of a feature: what it may contribute, no more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from induscode.addons.contract import HookEvent, HookKind
from induscode.addons.discovery import Tier
from induscode.addons.offers import OfferedEvent, OfferedInterceptor, Offers
from induscode.feature.background import BackgroundTaskDeclaration
from induscode.feature.capability import (
    AnyCapability,
    ContributeCommand,
    ContributeHook,
    ScopedFs,
)
from induscode.feature.command import CommandDeclaration
from induscode.feature.descriptor import FeatureDescriptor, FeatureId, FeatureRuntimeKind
from induscode.feature.hook import FailurePolicy, HookDeclaration
from induscode.feature.points import HookBand, HookPoint
from induscode.feature.tool import ToolDeclaration

__all__ = [
    "ENTER",
    "EXIT",
    "POINTS",
    "descriptor_of",
    "event_hook_names",
    "stage_hook_name",
    "trusted_capabilities",
]

POINTS: Mapping[HookEvent, HookPoint] = MappingProxyType(
    {
        HookEvent.SESSION_START: HookPoint.SESSION_START,
        HookEvent.SESSION_END: HookPoint.SESSION_END,
        HookEvent.TURN_START: HookPoint.TURN_START,
        HookEvent.TURN_END: HookPoint.TURN_END,
        HookEvent.TOOL_BEFORE: HookPoint.PRE_TOOL_CALL,
        HookEvent.TOOL_AFTER: HookPoint.POST_TOOL_CALL,
        HookEvent.CHAT_PARAMS: HookPoint.REQUEST_PARAMETERS,
        HookEvent.CHAT_MESSAGE: HookPoint.POST_ASSISTANT,
        HookEvent.SHELL_ENV: HookPoint.SHELL_ENVIRONMENT,
        HookEvent.INPUT_SUBMIT: HookPoint.INPUT_SUBMIT,
        HookEvent.CONTEXT_BUILD: HookPoint.PRE_REQUEST,
        HookEvent.COMPACT_BUILD: HookPoint.SUMMARY,
        HookEvent.COMPACT_BEFORE: HookPoint.BEFORE_REWRITE,
    }
)
"""Where the host hears an addon's events."""

ENTER = "enter"
EXIT = "exit"
_RUNTIMES = {
    Tier.DECLARATIVE: FeatureRuntimeKind.DECLARATIVE,
    Tier.PROCESS: FeatureRuntimeKind.EXTERNAL_PROCESS,
    Tier.WASM: FeatureRuntimeKind.WASM,
}
_BANDS = {
    HookKind.GATE: HookBand.GUARD,
    HookKind.TRANSFORM: HookBand.NORMAL,
    HookKind.OBSERVE: HookBand.OBSERVER,
}
_PROGRAM = (ScopedFs(execute=True),)
_TOOL_EVENTS = (HookEvent.TOOL_BEFORE, HookEvent.TOOL_AFTER)


def descriptor_of(feature: FeatureId, tier: Tier, offers: Offers) -> FeatureDescriptor:
    """Raises ValueError for a capability that nobody knows. What a tier 0 addon runs (its tools,
    hooks and tasks are programs of its package) needs `scoped-fs(execute)` besides."""
    programs = _PROGRAM if tier is Tier.DECLARATIVE else ()
    return FeatureDescriptor(
        id=feature,
        display_name=offers.description,
        version=offers.version,
        runtime=_RUNTIMES[tier],
        requested_capabilities=offers.requests(),
        declared_tools=tuple(ToolDeclaration(tool.name, programs) for tool in offers.tools),
        declared_hooks=(*_event_hooks(offers), *_stage_hooks(offers)),
        declared_background_tasks=tuple(
            BackgroundTaskDeclaration(task.name, task.description) for task in offers.tasks
        ),
        declared_commands=tuple(
            CommandDeclaration(command.name, command.summary, command.exec)
            for command in offers.commands
        ),
    )


def trusted_capabilities(tier: Tier, offers: Offers) -> tuple[AnyCapability, ...]:
    """What trust in a workspace gives to an addon in it: gates that are nothing but data, and
    commands of one fixed line, which passes the permissions. Nothing of a program's."""
    if tier is not Tier.DECLARATIVE:
        return ()
    gates = (one.event for one in offers.events if one.kind is HookKind.GATE and not one.program)
    points = dict.fromkeys(ContributeHook(POINTS[event]) for event in gates)
    return (*points, *(ContributeCommand(command.name) for command in offers.commands))


def event_hook_names(offers: Offers) -> list[str]:
    """The names of the hooks that the events become, in their order."""
    return list(_numbered(f"{one.event} {one.kind}" for one in offers.events))


def stage_hook_name(place: int, stage: OfferedInterceptor, side: str) -> str:
    """The name of the hook that one side of an interceptor becomes."""
    return f"interceptor {place + 1} {stage.tool or 'every tool'} {side}"


def _event_hooks(offers: Offers) -> Iterator[HookDeclaration]:
    for name, one in zip(event_hook_names(offers), offers.events, strict=True):
        yield HookDeclaration(
            name,
            POINTS[one.event],
            tools=_tools(one),
            band=_BANDS[one.kind],
            failure=FailurePolicy.DENY if one.kind is HookKind.GATE else FailurePolicy.REPORT,
            required_capabilities=_PROGRAM if one.program else (),
        )


def _tools(one: OfferedEvent) -> tuple[str, ...]:
    return (one.tool,) if one.tool is not None and one.event in _TOOL_EVENTS else ()


def _stage_hooks(offers: Offers) -> Iterator[HookDeclaration]:
    """An interceptor that fails fails closed, on the way in and on the way out."""
    for place, stage in enumerate(offers.interceptors):
        tools = () if stage.tool is None else (stage.tool,)
        if stage.enter:
            name = stage_hook_name(place, stage, ENTER)
            yield HookDeclaration(name, HookPoint.PRE_TOOL_CALL, tools=tools)
        if stage.exit:
            name = stage_hook_name(place, stage, EXIT)
            yield HookDeclaration(name, HookPoint.POST_TOOL_CALL, tools=tools)


def _numbered(names: Iterator[str]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = count = seen.get(name, 0) + 1
        yield name if count == 1 else f"{name} {count}"
