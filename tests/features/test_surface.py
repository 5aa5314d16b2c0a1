"""The face of the feature package: every name, and what a feature can say about itself."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

import induscode.feature as face
from induscode.errors import FeatureInstallError
from induscode.feature import (
    BackgroundTaskDeclaration,
    CapabilityRequest,
    CommandDeclaration,
    ContributeTool,
    EmitAlert,
    FailurePolicy,
    FeatureDescriptor,
    FeatureId,
    FeatureInstallContext,
    FeatureInstallReport,
    FeatureRuntimeKind,
    FragmentDeclaration,
    HookDeclaration,
    HookPoint,
    Network,
    NetworkPurpose,
    ScopedFs,
    ToolContribution,
    ToolDeclaration,
)
from tests.features.hosting import TestHost, package
from tests.features.modules import Module, describe, greeter, tool_names
from tests.requirements import requirement

DIGEST = "0123456789abcdef" * 4


def assert_at(module: str, *names: str) -> None:
    """Each is at the face, in the face's list, and the same thing in the submodule."""
    home = import_module(f"induscode.feature.{module}")
    for name in names:
        assert name in face.__all__
        assert name in home.__all__
        assert getattr(face, name) is getattr(home, name)


@requirement("feature.surface.background")
def test_background_tasks_are_at_the_face_and_in_their_module() -> None:
    assert_at(
        "background",
        "BackgroundTaskContribution", "BackgroundTaskRegistrar", "BackgroundTaskDeclaration",
        "FeatureTaskContext", "FeatureTaskId", "TaskActivation", "RestartPolicy", "ShutdownPolicy",
    )  # fmt: skip


@requirement("feature.surface.capability")
def test_capabilities_are_at_the_face_and_in_their_module() -> None:
    assert_at(
        "capability",
        "CapabilityGrantSet", "CapabilityRequest", "CapabilityDenial", "HostCapability",
        "NetworkPurpose",
    )  # fmt: skip


def test_every_kind_of_capability_is_at_the_face() -> None:
    kinds = [kind.__name__ for kind in face.AnyCapability.__args__]
    assert len(kinds) == 20
    assert_at("capability", "AnyCapability", *kinds)


@requirement("feature.surface.diagnostic")
def test_diagnostics_and_reports_are_at_the_face_and_in_their_module() -> None:
    assert_at(
        "diagnostic",
        "FeatureDiagnostic", "FeatureInstallReport", "SkippedContribution",
        "FeatureDiagnosticSink",
    )  # fmt: skip


@requirement("feature.surface.hook")
def test_hooks_are_at_the_face_and_in_their_module() -> None:
    assert_at(
        "hook",
        "PublicHookRegistrar", "HookDeclaration", "HookPoint", "PublicPreToolCallHook",
        "PublicPreToolCallEvent", "PublicPreToolCallDecision",
    )  # fmt: skip


def test_every_point_has_its_hook_and_its_event_and_a_decision_where_one_can_be_made() -> None:
    assert_at(
        "hook",
        "PublicPostToolCallHook", "PublicPostToolCallEvent", "PublicPostToolCallDecision",
        "PublicInputSubmitHook", "PublicInputSubmitEvent", "PublicInputSubmitDecision",
        "PublicPreRequestHook", "PublicPreRequestEvent", "PublicPreRequestDecision",
        "PublicBeforeRewriteHook", "PublicBeforeRewriteEvent", "PublicBeforeRewriteDecision",
        "PublicPostAssistantHook", "PublicPostAssistantEvent", "PublicPostAssistantDecision",
        "PublicRequestParametersHook", "PublicRequestParametersEvent",
        "PublicRequestParametersDecision",
        "PublicShellEnvironmentHook", "PublicShellEnvironmentEvent",
        "PublicShellEnvironmentDecision",
        "PublicSummaryHook", "PublicSummaryEvent", "PublicSummaryDecision",
        "PublicTurnStartHook", "PublicTurnStartEvent", "PublicObserverDecision",
        "PublicTurnEndHook", "PublicTurnEndEvent",
        "PublicSessionStartHook", "PublicSessionEndHook", "PublicSessionEvent",
        "Continue", "DenyWithSyntheticError", "EmitDiagnosticRecord", "RewriteArguments",
        "ReplaceResult", "AmendRequest", "AmendParameters", "RewriteInput", "ReplaceAnswer",
        "ReplaceSummary", "SetEnvironment", "FailurePolicy", "HookBand",
    )  # fmt: skip


@requirement("feature.surface.notify")
def test_both_ways_to_be_heard_are_at_the_face_and_in_their_module() -> None:
    assert_at("notify", "FeatureAlertSink", "FeatureNotifySink")


@requirement("feature.surface.registry")
def test_the_registry_is_at_the_face_and_in_its_module() -> None:
    assert_at(
        "registry",
        "FeatureDescriptor", "FeatureId", "FeatureInstallContext", "FeatureInstallError",
        "FeatureModule", "FeatureRuntimeKind", "FeatureRegistryBuilder", "FeatureServiceProvider",
    )  # fmt: skip
    assert_at("services", "FeatureServiceProvider", "Denied", "Unavailable", "ServiceRefused")


@requirement("feature.surface.tool")
def test_tools_are_at_the_face_and_in_their_module() -> None:
    assert_at("tool", "ToolContribution", "ToolDeclaration", "ToolName", "ToolRegistrar")


def test_commands_and_fragments_are_at_the_face_and_in_their_modules() -> None:
    assert_at("command", "CommandContribution", "CommandDeclaration", "CommandRegistrar")
    assert_at("fragment", "FragmentContribution", "FragmentDeclaration", "FragmentRegistrar")


def test_the_list_at_the_face_is_all_there_is() -> None:
    assert sorted(face.__all__) == face.__all__
    for name in face.__all__:
        assert getattr(face, name) is not None
    assert set(face._HOME) == set(face.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Worker'"):
        _ = face.Worker


def fresh(code: str) -> set[str]:
    """Our modules that a new interpreter has after `code`."""
    told = f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", told], env=environ, capture_output=True, text=True, check=True,
        timeout=30,
    )  # fmt: skip
    return set(done.stdout.split())


def test_importing_the_face_imports_none_of_its_modules() -> None:
    found = fresh("import induscode.feature")
    assert not {name for name in found if name.startswith("induscode.feature.")}
    assert "asyncio" not in found


@requirement("feature.runtime-independent")
def test_the_package_knows_no_runtime_and_no_distribution() -> None:
    root = Path(face.__file__).parent
    modules = [
        "induscode.feature." + ".".join(file.relative_to(root).with_suffix("").parts)
        for file in sorted(root.rglob("*.py"))
        if file.stem != "__init__"
    ]
    found = fresh(f"import {', '.join(modules)}")
    house = {name.split(".")[1] for name in found if name.startswith("induscode.")}
    assert house <= {"feature", "kernel", "errors", "policy", "version"}
    foreign = {"mcp", "wasmtime", "pip", "httpx", "h11", "importlib.metadata", "zipfile"}
    assert not found & foreign


@requirement("feature.descriptor.fields")
def test_a_descriptor_says_who_it_is_what_it_asks_for_and_what_it_will_contribute() -> None:
    assert {
        "id", "display_name", "version", "runtime", "requested_capabilities", "declared_tools",
        "declared_hooks", "declared_background_tasks",
    } <= set(FeatureDescriptor.__struct_fields__)  # fmt: skip


def everything() -> FeatureDescriptor:
    return FeatureDescriptor(
        id=FeatureId.plugin(DIGEST, "tracker"),
        display_name="Tracker",
        version="1.2",
        runtime=FeatureRuntimeKind.WASM,
        requested_capabilities=(
            CapabilityRequest.required(ScopedFs(read=True), "read the items"),
            CapabilityRequest.optional(Network(NetworkPurpose.FETCH), "ask the tracker"),
        ),
        declared_tools=(ToolDeclaration("items", (ScopedFs(read=True),)),),
        declared_hooks=(HookDeclaration("audit", HookPoint.PRE_TOOL_CALL),),
        declared_background_tasks=(BackgroundTaskDeclaration("watch", "looks for news"),),
        declared_commands=(CommandDeclaration("items", "show them"),),
        declared_fragments=(FragmentDeclaration("about", "features", 500),),
    )


@requirement("feature.descriptor.serializable")
def test_a_descriptor_survives_json() -> None:
    encoded = msgspec.json.encode(everything())
    assert msgspec.json.decode(encoded, type=FeatureDescriptor) == everything()
    assert everything().frozen_copy() == everything()


@requirement("feature.descriptor.builder")
def test_the_builder_builds_the_equal_descriptor() -> None:
    built = (
        FeatureDescriptor.builder(FeatureId.plugin(DIGEST, "tracker"))
        .display_name("Tracker")
        .version("1.2")
        .runtime(FeatureRuntimeKind.WASM)
        .request(CapabilityRequest.required(ScopedFs(read=True), "read the items"))
        .request(CapabilityRequest.optional(Network(NetworkPurpose.FETCH), "ask the tracker"))
        .tool("items", ScopedFs(read=True))
        .hook("audit", HookPoint.PRE_TOOL_CALL)
        .background_task("watch", "looks for news")
        .command("items", "show them")
        .fragment("about", "features", 500)
        .build()
    )
    assert built == everything()


def test_a_hook_can_be_declared_as_a_whole_and_not_without_a_point() -> None:
    whole = HookDeclaration("audit", HookPoint.TURN_END, failure=FailurePolicy.REPORT)
    assert describe("one").hook(whole).build().declared_hooks == (whole,)
    with pytest.raises(FeatureInstallError, match="the hook audit names no point"):
        describe("one").hook("audit")


@requirement("feature.descriptor.pure")
def test_asking_for_a_descriptor_installs_nothing() -> None:
    module = greeter()
    assert module.descriptor() == module.descriptor()
    assert module.context is None
    assert tool_names(TestHost().registry()) == []


def test_a_descriptor_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        everything().display_name = "Other"


@requirement("feature.id.source-qualified")
@pytest.mark.parametrize(
    ("made", "text"),
    [
        (FeatureId.builtin("memory"), "builtin:memory"),
        (FeatureId.user("foo"), "user:foo"),
        (FeatureId.project("foo"), "project:foo"),
        (FeatureId.mcp("github"), "mcp:github"),
        (FeatureId.plugin(DIGEST, "bar"), f"plugin:{DIGEST}:bar"),
    ],
)
def test_an_id_begins_with_its_source(made: FeatureId, text: str) -> None:
    assert str(made) == text
    assert FeatureId.parse(text) == made


@requirement("feature.id.builtin")
def test_a_built_in_id_reads_as_one() -> None:
    assert str(FeatureId.builtin("task")) == "builtin:task"


@pytest.mark.parametrize(
    "text",
    ["task", "other:task", "builtin:", "builtin:Task", "builtin:a b", "builtin:../x", "plugin:bar",
     "plugin:123:bar", f"plugin:{DIGEST}:", f"builtin:{DIGEST}:task", "builtin:" + "a" * 65,
     "builtin:a\n", ""],
)  # fmt: skip
def test_what_is_no_id_is_refused_with_what_one_is(text: str) -> None:
    with pytest.raises(FeatureInstallError) as caught:
        FeatureId.parse(text)
    assert caught.value.hint


@requirement("feature.runtime-kinds")
def test_there_are_five_kinds_of_runtime() -> None:
    assert [kind.name for kind in FeatureRuntimeKind] == [
        "BUILTIN", "DECLARATIVE", "EXTERNAL_PROCESS", "MCP_BRIDGE", "WASM",
    ]  # fmt: skip


class Duck:
    """Anything with the two methods; no base class."""

    installed = False

    def descriptor(self) -> FeatureDescriptor:
        return describe("duck").build()

    def install(self, ctx: FeatureInstallContext) -> None:
        self.installed = True


@requirement("feature.module.protocol")
def test_whatever_has_a_descriptor_and_an_install_is_a_feature() -> None:
    duck = Duck()
    (report,) = TestHost().registry(package(duck)).reports()
    assert (report.feature_id, report.enabled, duck.installed) == ("builtin:duck", True, True)


@requirement("feature.context.fields")
def test_an_install_context_offers_registrars_sinks_services_and_grants() -> None:
    module = Module(describe("one"))
    TestHost().registry(package(module))
    offered = {name for name in dir(module.context) if not name.startswith("_")}
    assert offered == {
        "feature_id", "grants", "tools", "hooks", "background_tasks", "commands", "fragments",
        "notify", "alerts", "diagnostics", "services",
    }  # fmt: skip


@requirement("feature.tool.contribution-fields")
def test_a_tool_contribution_has_its_four_parts() -> None:
    assert set(ToolContribution.__struct_fields__) == {
        "feature_id", "name", "definition", "required_capabilities",
    }  # fmt: skip


@requirement("feature.report.fields")
def test_a_report_has_what_was_granted_installed_skipped_and_noted() -> None:
    assert {
        "feature_id", "enabled", "granted", "denied", "installed_tools", "installed_hooks",
        "installed_background_tasks", "skipped_contributions", "diagnostics",
    } <= set(FeatureInstallReport.__struct_fields__)  # fmt: skip


@requirement("feature.hook.points")
def test_hooks_can_be_declared_for_every_moment_of_a_turn() -> None:
    assert {
        HookPoint.PRE_REQUEST, HookPoint.POST_ASSISTANT, HookPoint.PRE_TOOL_CALL,
        HookPoint.POST_TOOL_CALL, HookPoint.TURN_END,
    } <= set(HookPoint)  # fmt: skip
    made = describe("all")
    for point in HookPoint:
        made.hook(f"at-{point}", point)

    class All:
        def __getattr__(self, name: str) -> object:
            return lambda event: None

    def install(ctx: FeatureInstallContext) -> None:
        for point in HookPoint:
            getattr(ctx.hooks, point.name.lower())(f"at-{point}", All())

    registry = TestHost().registry(package(Module(made, install)))
    assert [hook.declaration.point for _, hook in registry.hooks()] == list(HookPoint)


@requirement("feature.capability.reason")
def test_a_request_carries_the_reason_that_a_person_is_shown() -> None:
    made = describe("one").request(CapabilityRequest.optional(EmitAlert(), "tell you about news"))
    (report,) = TestHost().registry(package(Module(made))).reports()
    assert [(one.capability, one.reason) for one in report.requested] == [
        (EmitAlert(), "tell you about news")
    ]


def test_what_is_declared_is_asked_for_without_a_word() -> None:
    (request,) = describe("one").tool("echo").build().all_requests()
    assert request.capability == ContributeTool("echo")
    assert not request.is_required
    assert request.reason == "offer the tool echo"
