"""Features: the one way in for tools, hooks, commands, prompt fragments and background tasks.

A feature declares itself in a descriptor, asks for capabilities, and contributes through registrars
what it declared and was granted. Start reading at `descriptor.py`, then `registry.py`; `hosting/`
is what the host puts behind the handles. May import: errors, kernel, and policy's private files
for grants. Must not: know a session, a screen, MCP, WASM or how packages are distributed.
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
        MemoryStore,
        Network,
        NetworkPurpose,
        RunBackgroundTask,
        ScopedFs,
        SecretRef,
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
        PublicSessionEndHook,
        PublicSessionEvent,
        PublicSessionStartHook,
        PublicTurnEndEvent,
        PublicTurnEndHook,
        ReplaceResult,
        RewriteArguments,
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
        Denied,
        FeatureServiceProvider,
        Migration,
        Notes,
        ScopedFiles,
        SecretService,
        ServiceRefused,
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
    "CommandRegistrar",
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
    "PublicSessionEndHook",
    "PublicSessionEvent",
    "PublicSessionStartHook",
    "PublicTurnEndEvent",
    "PublicTurnEndHook",
    "ReplaceResult",
    "RestartPolicy",
    "RewriteArguments",
    "RunBackgroundTask",
    "Say",
    "ScopedFiles",
    "ScopedFs",
    "SecretRef",
    "SecretService",
    "ServiceRefused",
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
        MemoryStore Network NetworkPurpose RunBackgroundTask ScopedFs SecretRef
        WorkItemStore
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
        AmendRequest AnyHook Continue DenyWithSyntheticError EmitDiagnosticRecord
        FailurePolicy HookBand HookDeclaration HookPoint PublicBeforeRewriteDecision
        PublicBeforeRewriteEvent PublicBeforeRewriteHook PublicHookRegistrar
        PublicInputSubmitDecision PublicInputSubmitEvent PublicInputSubmitHook
        PublicPostAssistantEvent PublicPostAssistantHook PublicPostToolCallDecision
        PublicPostToolCallEvent PublicPostToolCallHook PublicPreRequestDecision
        PublicPreRequestEvent PublicPreRequestHook PublicPreToolCallDecision
        PublicPreToolCallEvent PublicPreToolCallHook PublicSessionEndHook PublicSessionEvent
        PublicSessionStartHook PublicTurnEndEvent PublicTurnEndHook ReplaceResult
        RewriteArguments
    """,
    "notify": """
        FeatureAlertSink FeatureNotifySink
    """,
    "registry": """
        FeatureHost FeatureInstallContext FeatureInstallError FeatureModule FeatureRegistry
        FeatureRegistryBuilder Package
    """,
    "services": """
        Denied FeatureServiceProvider Migration Notes ScopedFiles SecretService ServiceRefused
        StateDirectory Unavailable WorkItems
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
