"""Features: the one way in for tools, hooks, commands, prompt fragments and background tasks.

A feature declares itself in a descriptor, asks for capabilities, and contributes through registrars
what it declared and was granted. Start reading at `descriptor.py`, then `registry.py`; `hosting/`
is what the host puts behind the handles. May import: errors, kernel, and of policy how names of
tools compare and private files for grants. Must not: know a session, a screen, MCP, WASM or how
packages are distributed.
Importing this package imports none of its modules; its names come when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from induscode.feature.background import (
        BackgroundTaskContribution,
        BackgroundTaskDeclaration,
        BackgroundTaskRegistrar,
        FeatureTask,
        FeatureTaskContext,
        FeatureTaskId,
        RestartPolicy,
        ShutdownPolicy,
        TaskActivation,
    )
    from induscode.feature.capability import (
        AnyCapability,
        CapabilityDenial,
        CapabilityGrantSet,
        CapabilityRequest,
        ContributeCommand,
        ContributeFragment,
        ContributeHook,
        ContributeTool,
        Delegation,
        EmitAlert,
        EmitDiagnostic,
        EmitModelNotification,
        FeatureState,
        HostCapability,
        InheritEnvironment,
        MemoryStore,
        Network,
        NetworkPurpose,
        RunBackgroundTask,
        ScopedFs,
        SecretRef,
        SendMessage,
        SetModel,
        SetThinking,
        ShapeEnvironment,
        WorkItemStore,
    )
    from induscode.feature.command import (
        CommandContribution,
        CommandDeclaration,
        CommandOutcome,
        CommandRegistrar,
        FeatureCommand,
        Say,
        Submit,
    )
    from induscode.feature.descriptor import (
        DescriptorBuilder,
        FeatureDescriptor,
        FeatureId,
        FeatureRuntimeKind,
    )
    from induscode.feature.diagnostic import (
        FeatureDiagnostic,
        FeatureDiagnosticSink,
        FeatureInstallReport,
        SkippedContribution,
    )
    from induscode.feature.fragment import (
        FragmentContribution,
        FragmentDeclaration,
        FragmentRegistrar,
    )
    from induscode.feature.hook import (
        AmendParameters,
        AmendRequest,
        AnyHook,
        Continue,
        DenyWithSyntheticError,
        EmitDiagnosticRecord,
        FailurePolicy,
        HookBand,
        HookDeclaration,
        HookPoint,
        PublicBeforeRewriteDecision,
        PublicBeforeRewriteEvent,
        PublicBeforeRewriteHook,
        PublicHookRegistrar,
        PublicInputSubmitDecision,
        PublicInputSubmitEvent,
        PublicInputSubmitHook,
        PublicObserverDecision,
        PublicPostAssistantDecision,
        PublicPostAssistantEvent,
        PublicPostAssistantHook,
        PublicPostToolCallDecision,
        PublicPostToolCallEvent,
        PublicPostToolCallHook,
        PublicPreRequestDecision,
        PublicPreRequestEvent,
        PublicPreRequestHook,
        PublicPreToolCallDecision,
        PublicPreToolCallEvent,
        PublicPreToolCallHook,
        PublicRequestParametersDecision,
        PublicRequestParametersEvent,
        PublicRequestParametersHook,
        PublicSessionEndHook,
        PublicSessionEvent,
        PublicSessionStartHook,
        PublicShellEnvironmentDecision,
        PublicShellEnvironmentEvent,
        PublicShellEnvironmentHook,
        PublicSummaryDecision,
        PublicSummaryEvent,
        PublicSummaryHook,
        PublicTurnEndEvent,
        PublicTurnEndHook,
        PublicTurnStartEvent,
        PublicTurnStartHook,
        ReplaceAnswer,
        ReplaceResult,
        ReplaceSummary,
        RewriteArguments,
        RewriteInput,
        SetEnvironment,
    )
    from induscode.feature.notify import (
        FeatureAlertSink,
        FeatureNotifySink,
    )
    from induscode.feature.registry import (
        FeatureHost,
        FeatureInstallContext,
        FeatureInstallError,
        FeatureModule,
        FeatureRegistry,
        FeatureRegistryBuilder,
        Package,
    )
    from induscode.feature.services import (
        CommandRan,
        CommandShell,
        Denied,
        FeatureServiceProvider,
        Migration,
        Notes,
        ScopedFiles,
        SecretService,
        ServiceRefused,
        SessionControl,
        StateDirectory,
        Unavailable,
        WorkItems,
    )
    from induscode.feature.tool import (
        ToolContribution,
        ToolDeclaration,
        ToolName,
        ToolRegistrar,
    )

__all__ = [
    "AmendParameters",
    "AmendRequest",
    "AnyCapability",
    "AnyHook",
    "BackgroundTaskContribution",
    "BackgroundTaskDeclaration",
    "BackgroundTaskRegistrar",
    "CapabilityDenial",
    "CapabilityGrantSet",
    "CapabilityRequest",
    "CommandContribution",
    "CommandDeclaration",
    "CommandOutcome",
    "CommandRan",
    "CommandRegistrar",
    "CommandShell",
    "Continue",
    "ContributeCommand",
    "ContributeFragment",
    "ContributeHook",
    "ContributeTool",
    "Delegation",
    "Denied",
    "DenyWithSyntheticError",
    "DescriptorBuilder",
    "EmitAlert",
    "EmitDiagnostic",
    "EmitDiagnosticRecord",
    "EmitModelNotification",
    "FailurePolicy",
    "FeatureAlertSink",
    "FeatureCommand",
    "FeatureDescriptor",
    "FeatureDiagnostic",
    "FeatureDiagnosticSink",
    "FeatureHost",
    "FeatureId",
    "FeatureInstallContext",
    "FeatureInstallError",
    "FeatureInstallReport",
    "FeatureModule",
    "FeatureNotifySink",
    "FeatureRegistry",
    "FeatureRegistryBuilder",
    "FeatureRuntimeKind",
    "FeatureServiceProvider",
    "FeatureState",
    "FeatureTask",
    "FeatureTaskContext",
    "FeatureTaskId",
    "FragmentContribution",
    "FragmentDeclaration",
    "FragmentRegistrar",
    "HookBand",
    "HookDeclaration",
    "HookPoint",
    "HostCapability",
    "InheritEnvironment",
    "MemoryStore",
    "Migration",
    "Network",
    "NetworkPurpose",
    "Notes",
    "Package",
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
    "RestartPolicy",
    "RewriteArguments",
    "RewriteInput",
    "RunBackgroundTask",
    "Say",
    "ScopedFiles",
    "ScopedFs",
    "SecretRef",
    "SecretService",
    "SendMessage",
    "ServiceRefused",
    "SessionControl",
    "SetEnvironment",
    "SetModel",
    "SetThinking",
    "ShapeEnvironment",
    "ShutdownPolicy",
    "SkippedContribution",
    "StateDirectory",
    "Submit",
    "TaskActivation",
    "ToolContribution",
    "ToolDeclaration",
    "ToolName",
    "ToolRegistrar",
    "Unavailable",
    "WorkItemStore",
    "WorkItems",
]

_MODULES = {
    "background": """
        BackgroundTaskContribution BackgroundTaskDeclaration BackgroundTaskRegistrar
        FeatureTask FeatureTaskContext FeatureTaskId RestartPolicy ShutdownPolicy
        TaskActivation
    """,
    "capability": """
        AnyCapability CapabilityDenial CapabilityGrantSet CapabilityRequest
        ContributeCommand ContributeFragment ContributeHook ContributeTool Delegation
        EmitAlert EmitDiagnostic EmitModelNotification FeatureState HostCapability
        InheritEnvironment MemoryStore Network NetworkPurpose RunBackgroundTask ScopedFs
        SecretRef SendMessage SetModel SetThinking ShapeEnvironment WorkItemStore
    """,
    "command": """
        CommandContribution CommandDeclaration CommandOutcome CommandRegistrar
        FeatureCommand Say Submit
    """,
    "descriptor": """
        DescriptorBuilder FeatureDescriptor FeatureId FeatureRuntimeKind
    """,
    "diagnostic": """
        FeatureDiagnostic FeatureDiagnosticSink FeatureInstallReport SkippedContribution
    """,
    "fragment": """
        FragmentContribution FragmentDeclaration FragmentRegistrar
    """,
    "hook": """
        AmendParameters AmendRequest AnyHook Continue DenyWithSyntheticError
        EmitDiagnosticRecord FailurePolicy HookBand HookDeclaration HookPoint
        PublicBeforeRewriteDecision PublicBeforeRewriteEvent PublicBeforeRewriteHook
        PublicHookRegistrar PublicInputSubmitDecision PublicInputSubmitEvent
        PublicInputSubmitHook PublicObserverDecision PublicPostAssistantDecision
        PublicPostAssistantEvent PublicPostAssistantHook PublicPostToolCallDecision
        PublicPostToolCallEvent PublicPostToolCallHook PublicPreRequestDecision
        PublicPreRequestEvent PublicPreRequestHook PublicPreToolCallDecision
        PublicPreToolCallEvent PublicPreToolCallHook PublicRequestParametersDecision
        PublicRequestParametersEvent PublicRequestParametersHook PublicSessionEndHook
        PublicSessionEvent PublicSessionStartHook PublicShellEnvironmentDecision
        PublicShellEnvironmentEvent PublicShellEnvironmentHook PublicSummaryDecision
        PublicSummaryEvent PublicSummaryHook PublicTurnEndEvent PublicTurnEndHook
        PublicTurnStartEvent PublicTurnStartHook ReplaceAnswer ReplaceResult ReplaceSummary
        RewriteArguments RewriteInput SetEnvironment
    """,
    "notify": """
        FeatureAlertSink FeatureNotifySink
    """,
    "registry": """
        FeatureHost FeatureInstallContext FeatureInstallError FeatureModule FeatureRegistry
        FeatureRegistryBuilder Package
    """,
    "services": """
        CommandRan CommandShell Denied FeatureServiceProvider Migration Notes ScopedFiles
        SecretService ServiceRefused SessionControl StateDirectory Unavailable WorkItems
    """,
    "tool": """
        ToolContribution ToolDeclaration ToolName ToolRegistrar
    """,
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
