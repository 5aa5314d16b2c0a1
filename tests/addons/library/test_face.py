"""The public names: at the package's face and where the document puts them, and lazily."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module

import pytest

import induscode.addons
from induscode.addons.contract import AddonApi
from induscode.addons.dispatch import EventDispatcher, InterceptorChain
from induscode.addons.host import AddonHost, AddonHostDeps, AddonRegistry
from induscode.addons.manifest import AddonDescriptor
from tests.requirements import requirement

NAMES = {
    "host": [
        "AddonHost", "create_addon_host", "AddonHostDeps", "AddonRegistry", "AddonBundle",
        "RecordingSurface", "discover_addons", "discover_sources", "RESERVED_ACTION_NAMES",
    ],
    "contract": [
        "AddonApi", "AddonManifest", "Addon", "RegisterFn", "RegisteredManifest", "ModuleLoader",
        "LoaderError", "AddonDiscovery", "AddonSource", "ADDONS_DIR", "ADDON_MANIFEST_FIELD",
        "HookEvent", "HookKind", "HookHandler", "Payload", "GateDecision", "DispatchOutcome",
        "EventSubscription", "ToolInterceptor", "ToolMatch", "EnterFn", "ExitFn",
        "ToolEnterContext", "ToolExitContext", "EnterOutcome", "ExitOutcome", "InterceptResult",
        "ToolResultProducer", "AddonCommand", "CommandContext", "CommandFn", "FrameworkHandles",
        "ExecOutcome", "AddonTool", "AddonId", "AddonFault", "AddonFaultKind",
        "AddonFaultListener", "SubagentProfile",
    ],
    "dispatch": ["EventDispatcher", "InterceptorChain", "subscription", "interceptor"],
    "manifest": ["AddonDescriptor", "ManifestError", "DeclarativeLoader", "MANIFEST_FILENAME"],
    "sandbox": ["SandboxPolicy", "scrub_invisible", "expand_path", "resolve_path"],
    "subagents": ["discover_profiles", "AGENTS_DIR"],
}  # fmt: skip


@requirement(
    "addons.surface.host",
    "addons.surface.host-deps",
    "addons.surface.registry",
    "addons.surface.bundle",
    "addons.surface.recording-surface",
    "addons.surface.discover",
    "addons.surface.reserved",
    "addons.surface.addon-api",
    "addons.surface.manifest-types",
    "addons.surface.registered-manifest",
    "addons.surface.loader-types",
    "addons.surface.discovery-types",
    "addons.surface.hook-types",
    "addons.surface.payload-types",
    "addons.surface.interceptor-types",
    "addons.surface.stage-types",
    "addons.surface.intercept-result",
    "addons.surface.command-types",
    "addons.surface.handles",
    "addons.surface.addon-tool",
    "addons.surface.addon-id",
    "addons.surface.fault-types",
    "addons.surface.runtimes",
    "addons.surface.minters",
    "addons.surface.manifest-module",
    "addons.surface.sandbox",
    "addons.surface.subagent-profile",
)
@pytest.mark.parametrize("module", NAMES)
def test_a_name_is_the_same_at_the_face_and_at_its_module(module: str) -> None:
    home = import_module(f"induscode.addons.{module}")
    for name in NAMES[module]:
        assert name in induscode.addons.__all__
        assert getattr(induscode.addons, name) is getattr(home, name)


def test_every_name_of_the_face_can_be_had_and_no_other() -> None:
    for name in induscode.addons.__all__:
        getattr(induscode.addons, name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        induscode.addons.nothing  # noqa: B018


@requirement("addons.surface.host", "addons.surface.host-deps", "addons.surface.registry")
def test_a_host_has_its_methods_and_its_parts_their_fields() -> None:
    for name in ("load_all", "load_one", "on_fault", "registry", "bundle", "packages"):
        assert callable(getattr(AddonHost, name))
    assert AddonHostDeps.__struct_fields__[:3] == ("loader", "handles", "reserved_actions")
    assert AddonRegistry.__struct_fields__ == (
        "subscriptions", "interceptors", "commands", "tools",
    )  # fmt: skip
    for name in ("dispatch", "has", "reserved"):
        assert callable(getattr(EventDispatcher, name))
    for name in ("run", "run_with", "matches"):
        assert callable(getattr(InterceptorChain, name))


@requirement("addons.surface.addon-api", "addons.surface.descriptor-types")
def test_the_api_and_the_descriptor_have_their_methods() -> None:
    wanted = {"id", "on", "intercept_tool", "add_command", "add_tool", "handles", "manifest"}
    assert {name for name in vars(AddonApi) if not name.startswith("_")} == wanted | {"add_task"}
    manifest = import_module("induscode.addons.manifest")
    assert manifest.CommandDescriptor.__struct_fields__ == ("name", "summary", "exec")
    assert manifest.GateDescriptor.__struct_fields__ == ("event", "reason", "match_tool")
    assert callable(AddonDescriptor.parse)
    assert callable(AddonDescriptor.into_manifest)


def test_importing_the_package_imports_none_of_its_modules() -> None:
    code = (
        "import induscode.addons, sys, json;"
        "print(json.dumps([m for m in sys.modules if m.startswith('induscode.addons.')]"
        "+ [m for m in ('tomllib', 'asyncio', 'wasmtime', 'jsonschema_rs') if m in sys.modules]))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert json.loads(told.stdout) == []


def test_the_host_imports_no_runtime_of_another_tier() -> None:
    code = (
        "import induscode.addons.host, sys, json;"
        "print(json.dumps([m for m in ('wasmtime', 'jsonschema_rs', 'difflib', 'h11',"
        " 'induscode.addons.process', 'induscode.addons.wasm') if m in sys.modules]))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert json.loads(told.stdout) == []
