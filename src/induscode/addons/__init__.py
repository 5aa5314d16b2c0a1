"""Addons: what others add to a session, in three tiers (seed 000).

Start reading at `contract/` (the shapes), then `feature.py` (an addon as a feature of a session),
`host.py` (addons of a program), `dispatch.py` and `interceptors.py` (what runs). `manifest.py` is
tier 0, `process/` tier 1, `wasm/` tier 2. May import: errors, kernel, policy, session, gateway,
briefing, tools, feature, capability_deck. Must not: run an addon's code inside this process, raise
for what an addon does, or know the conductor.
Importing this package imports none of its modules; its names come when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from induscode.addons.contract import (
        ADDON_MANIFEST_FIELD,
        ADDONS_DIR,
        FAULT_CHARACTERS,
        PAYLOAD_TYPES,
        Addon,
        AddonApi,
        AddonCommand,
        AddonDiscovery,
        AddonFault,
        AddonFaultKind,
        AddonFaultListener,
        AddonId,
        AddonManifest,
        AddonSource,
        AddonTask,
        AddonTool,
        AnyTool,
        Arguments,
        Block,
        Change,
        ChatPayload,
        CloseFn,
        CommandContext,
        CommandFn,
        CompactPayload,
        ContextMessage,
        ContextPayload,
        Continue,
        DispatchOutcome,
        EnterFn,
        EnterOutcome,
        EventSubscription,
        ExecOutcome,
        ExitFn,
        ExitOutcome,
        FrameworkHandles,
        Gate,
        GateDecision,
        HookEvent,
        HookHandler,
        HookKind,
        InputPayload,
        InterceptResult,
        LifecyclePayload,
        LoaderError,
        LoaderErrorKind,
        MessagePayload,
        ModuleLoader,
        NamedTool,
        Observe,
        Payload,
        RegisteredManifest,
        RegisterFn,
        RewriteArguments,
        RewriteResult,
        ShellPayload,
        Standing,
        SubagentProfile,
        TaskFn,
        ToolEnterContext,
        ToolExitContext,
        ToolInterceptor,
        ToolMatch,
        ToolPayload,
        ToolResultProducer,
        Transform,
    )
    from induscode.addons.dispatch import (
        EventDispatcher,
        InterceptorChain,
        interceptor,
        subscription,
    )
    from induscode.addons.host import (
        RESERVED_ACTION_NAMES,
        AddonBundle,
        AddonHost,
        AddonHostDeps,
        AddonRegistry,
        RecordingSurface,
        create_addon_host,
        derive_addon_id,
        discover_addons,
        discover_sources,
    )
    from induscode.addons.manifest import (
        MANIFEST_FILENAME,
        AddonDescriptor,
        CommandDescriptor,
        DeclarativeLoader,
        GateDescriptor,
        HookDescriptor,
        ManifestError,
        ManifestErrorKind,
        TaskDescriptor,
        ToolDescriptor,
    )
    from induscode.addons.sandbox import (
        DEFAULT_TIMEOUT_MS,
        INVISIBLE_CODE_POINTS,
        SandboxPolicy,
        expand_path,
        resolve_path,
        scrub_invisible,
    )
    from induscode.addons.subagents import AGENTS_DIR, discover_profiles

__all__ = [
    "ADDONS_DIR",
    "ADDON_MANIFEST_FIELD",
    "AGENTS_DIR",
    "DEFAULT_TIMEOUT_MS",
    "FAULT_CHARACTERS",
    "INVISIBLE_CODE_POINTS",
    "MANIFEST_FILENAME",
    "PAYLOAD_TYPES",
    "RESERVED_ACTION_NAMES",
    "Addon",
    "AddonApi",
    "AddonBundle",
    "AddonCommand",
    "AddonDescriptor",
    "AddonDiscovery",
    "AddonFault",
    "AddonFaultKind",
    "AddonFaultListener",
    "AddonHost",
    "AddonHostDeps",
    "AddonId",
    "AddonManifest",
    "AddonRegistry",
    "AddonSource",
    "AddonTask",
    "AddonTool",
    "AnyTool",
    "Arguments",
    "Block",
    "Change",
    "ChatPayload",
    "CloseFn",
    "CommandContext",
    "CommandDescriptor",
    "CommandFn",
    "CompactPayload",
    "ContextMessage",
    "ContextPayload",
    "Continue",
    "DeclarativeLoader",
    "DispatchOutcome",
    "EnterFn",
    "EnterOutcome",
    "EventDispatcher",
    "EventSubscription",
    "ExecOutcome",
    "ExitFn",
    "ExitOutcome",
    "FrameworkHandles",
    "Gate",
    "GateDecision",
    "GateDescriptor",
    "HookDescriptor",
    "HookEvent",
    "HookHandler",
    "HookKind",
    "InputPayload",
    "InterceptResult",
    "InterceptorChain",
    "LifecyclePayload",
    "LoaderError",
    "LoaderErrorKind",
    "ManifestError",
    "ManifestErrorKind",
    "MessagePayload",
    "ModuleLoader",
    "NamedTool",
    "Observe",
    "Payload",
    "RecordingSurface",
    "RegisterFn",
    "RegisteredManifest",
    "RewriteArguments",
    "RewriteResult",
    "SandboxPolicy",
    "ShellPayload",
    "Standing",
    "SubagentProfile",
    "TaskDescriptor",
    "TaskFn",
    "ToolDescriptor",
    "ToolEnterContext",
    "ToolExitContext",
    "ToolInterceptor",
    "ToolMatch",
    "ToolPayload",
    "ToolResultProducer",
    "Transform",
    "create_addon_host",
    "derive_addon_id",
    "discover_addons",
    "discover_profiles",
    "discover_sources",
    "expand_path",
    "interceptor",
    "resolve_path",
    "scrub_invisible",
    "subscription",
]

_MODULES = {
    "contract": """
        ADDONS_DIR ADDON_MANIFEST_FIELD FAULT_CHARACTERS PAYLOAD_TYPES Addon AddonApi
        AddonCommand AddonDiscovery AddonFault AddonFaultKind AddonFaultListener AddonId
        AddonManifest AddonSource AddonTask AddonTool AnyTool Arguments Block Change ChatPayload
        CloseFn CommandContext CommandFn CompactPayload ContextMessage ContextPayload
        Continue DispatchOutcome EnterFn EnterOutcome EventSubscription ExecOutcome
        ExitFn ExitOutcome FrameworkHandles Gate GateDecision HookEvent HookHandler
        HookKind InputPayload InterceptResult LifecyclePayload LoaderError
        LoaderErrorKind MessagePayload ModuleLoader NamedTool Observe Payload RegisterFn
        RegisteredManifest RewriteArguments RewriteResult ShellPayload Standing
        SubagentProfile TaskFn ToolEnterContext ToolExitContext ToolInterceptor ToolMatch
        ToolPayload ToolResultProducer Transform
    """,
    "dispatch": """
        EventDispatcher InterceptorChain interceptor subscription
    """,
    "host": """
        RESERVED_ACTION_NAMES AddonBundle AddonHost AddonHostDeps AddonRegistry
        RecordingSurface create_addon_host derive_addon_id discover_addons
        discover_sources
    """,
    "manifest": """
        MANIFEST_FILENAME AddonDescriptor CommandDescriptor DeclarativeLoader
        GateDescriptor HookDescriptor ManifestError ManifestErrorKind TaskDescriptor
        ToolDescriptor
    """,
    "sandbox": """
        DEFAULT_TIMEOUT_MS INVISIBLE_CODE_POINTS SandboxPolicy expand_path resolve_path
        scrub_invisible
    """,
    "subagents": """
        AGENTS_DIR discover_profiles
    """,
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
