"""How features come in: declared, granted, installed as a whole, told in a report, then frozen."""

from __future__ import annotations

from typing import Any

import pytest

from induscode.errors import HandleClosed
from induscode.feature.capability import (
    AnyCapability,
    CapabilityRequest,
    ContributeHook,
    ContributeTool,
    EmitAlert,
    NetworkPurpose,
    ScopedFs,
)
from induscode.feature.descriptor import FeatureDescriptor
from induscode.feature.diagnostic import SkippedContribution
from induscode.feature.points import HookPoint
from induscode.feature.registry import (
    FeatureHost,
    FeatureInstallContext,
    FeatureRegistryBuilder,
)
from induscode.feature.services import Denied
from induscode.feature.tool import ToolContribution
from tests.features.hosting import Grants, NoServices, TestHost, package
from tests.features.kinds import (
    FETCH,
    KINDS,
    NAMES,
    TOOL,
    full,
    installed,
    nothing_in,
)
from tests.features.modules import (
    Echo,
    Module,
    describe,
    greeter,
    report_of,
    tool_names,
)
from tests.requirements import requirement


def test_what_was_declared_granted_and_contributed_is_installed() -> None:
    registry = TestHost().registry(package(full()))
    (report,) = registry.reports()
    assert report.enabled
    assert installed(report) == {kind: (name,) for kind, name in NAMES.items()}
    assert report.skipped_contributions == ()
    assert report.diagnostics == ()
    assert {draft.contribution.feature_id for _, draft in registry.tasks()} == {"builtin:full"}


@requirement("feature.declares-then-installs")
@pytest.mark.parametrize("kind", list(KINDS))
def test_what_was_not_declared_is_left_out_and_told(kind: str) -> None:
    host = TestHost()
    registry = host.registry(package(Module(describe("sly"), KINDS[kind][1])))
    (report,) = registry.reports()
    assert nothing_in(registry)
    skipped = SkippedContribution(kind, NAMES[kind], "it was not declared")
    assert report.skipped_contributions == (skipped,)
    assert host.told == [("builtin:sly", f"{kind} {NAMES[kind]}: it was not declared")]


def test_a_hook_is_only_taken_for_the_point_it_was_declared_for() -> None:
    made = describe("sly").hook("audit", HookPoint.TURN_END)
    (report,) = TestHost().registry(package(Module(made, KINDS["hook"][1]))).reports()
    assert report.installed_hooks == ()
    assert report.skipped_contributions[0].reason == "it was declared for turn-end"


@requirement(
    "feature.capability.contribute-tool",
    "feature.capability.contribute-hook",
    "feature.capability.run-background-task",
    "invariant.06.request-is-not-grant",
)
@pytest.mark.parametrize("kind", list(KINDS))
def test_contributing_needs_the_grant_for_exactly_that(kind: str) -> None:
    capability = KINDS[kind][0]
    only = TestHost(Grants(capability)).registry(package(full()))
    report = report_of(only, "builtin:full")
    assert {kind: names for kind, names in installed(report).items() if names} == {
        kind: (NAMES[kind],)
    }
    assert report.granted == (capability,)

    grants = Grants(everything=True)
    grants.withdraw(capability)
    others = report_of(TestHost(grants).registry(package(full())), "builtin:full")
    assert [one for one, names in installed(others).items() if not names] == [kind]
    (skipped,) = others.skipped_contributions
    assert skipped.reason == f"it needs {capability.text()}: it was withdrawn"


def test_the_grant_for_another_tool_is_none() -> None:
    host = TestHost(Grants(ContributeTool("other"), ContributeHook(HookPoint.TURN_END)))
    assert nothing_in(host.registry(package(full())))


@requirement("feature.capability.not-assumed", "feature.install-is-not-authority")
def test_a_feature_that_nobody_granted_anything_contributes_nothing_and_can_do_nothing() -> None:
    module = full()
    host = TestHost(Grants())
    registry = host.registry(package(module, source="builtin", ours=False))
    (report,) = registry.reports()
    assert nothing_in(registry)
    assert report.granted == ()
    assert len(report.denied) == len(report.skipped_contributions) == 5
    assert module.context is not None
    assert not module.context.alerts.alert("hello")
    assert not module.context.diagnostics.record("hello")
    assert isinstance(module.context.services.network(NetworkPurpose.FETCH), Denied)
    assert host.alerts == []


@requirement("feature.capability.required-or-optional")
def test_a_required_denial_keeps_the_feature_out_and_an_optional_one_only_what_needs_it() -> None:
    reading = ScopedFs(read=True)

    def with_request(request: CapabilityRequest) -> Module:
        made = describe("one").request(request).tool("reads", reading).tool("echo")

        def install(ctx: FeatureInstallContext) -> None:
            ctx.tools.register(ToolContribution("reads", Echo("reads")))
            ctx.tools.register(TOOL)

        return Module(made, install)

    grants = Grants(ContributeTool("reads"), ContributeTool("echo"))
    required = with_request(CapabilityRequest.required(reading, "read"))
    out = TestHost(grants).registry(package(required))
    (report,) = out.reports()
    assert not report.enabled
    assert required.context is None
    assert nothing_in(out)
    expected = "not installed: it needs scoped-fs(read) (nobody granted it)"
    assert [one.message for one in report.diagnostics] == [expected]
    assert {one.reason for one in report.skipped_contributions} == {"the feature was not installed"}

    optional = with_request(CapabilityRequest.optional(reading, "read"))
    partly = TestHost(grants).registry(package(optional))
    assert tool_names(partly) == ["echo"]
    (report,) = partly.reports()
    assert [one.capability for one in report.denied] == [reading]


@requirement("feature.tool.missing-service-skips")
@pytest.mark.parametrize("where", ["declaration", "contribution"])
def test_a_tool_that_needs_what_was_not_granted_is_not_registered_and_told(where: str) -> None:
    declared, contributed = ((FETCH,), ()) if where == "declaration" else ((), (FETCH,))

    def install(ctx: FeatureInstallContext) -> None:
        ctx.tools.register(ToolContribution("echo", Echo(), contributed))

    module = Module(describe("one").tool("echo", *declared), install)
    registry = TestHost(Grants(ContributeTool("echo"))).registry(package(module))
    assert tool_names(registry) == []
    (skipped,) = registry.reports()[0].skipped_contributions
    assert skipped.reason == "it needs network(fetch): nobody granted it"


@requirement("feature.forbidden.self-grant", "invariant.06.request-is-not-grant")
def test_a_feature_cannot_grant_itself_anything() -> None:
    module = Module(
        describe("sly").request(CapabilityRequest.optional(FETCH, "please")), lambda _: None
    )
    registry = TestHost(Grants()).registry(package(module))
    assert module.context is not None
    grants = module.context.grants
    assert not grants.allows(FETCH)
    assert grants.denial(FETCH).reason == "nobody granted it"
    changing = [name for name in dir(grants) if not name.startswith("_")]
    assert changing == ["allows", "denial", "lease"]
    with pytest.raises(AttributeError):
        grants.allows = lambda _: True
    with pytest.raises(AttributeError):
        module.context.grants = grants
    assert isinstance(module.context.services.network(NetworkPurpose.FETCH), Denied)
    assert registry.reports()[0].granted == ()


@requirement("invariant.06.request-is-not-grant")
def test_a_descriptor_that_lists_its_grants_is_given_none() -> None:
    made = describe("sly")
    for capability in (FETCH, EmitAlert(), ContributeTool("echo")):
        made.request(CapabilityRequest.optional(capability, "it is mine"))
    module = Module(made.tool("echo"), lambda ctx: ctx.tools.register(TOOL))
    registry = TestHost(Grants()).registry(package(module))
    (report,) = registry.reports()
    assert (report.granted, len(report.denied)) == ((), 3)
    assert nothing_in(registry)


@requirement("feature.tool.duplicate-preflight", "invariant.05.first-claimant-keeps")
def test_the_first_claimant_keeps_a_name_and_the_later_is_told_with_both() -> None:
    host = TestHost()
    registry = host.registry(package(greeter("first")), package(greeter("second", "echo", "other")))
    assert [(f.id, draft.tool.name) for f, draft in registry.tools()] == [
        ("builtin:first", "echo"),
        ("builtin:second", "other"),
    ]
    (skipped,) = report_of(registry, "builtin:second").skipped_contributions
    assert (skipped.kind, skipped.name) == ("tool", "echo")
    assert "builtin:first" in skipped.reason
    assert "builtin:second" in skipped.reason
    assert host.told == [("builtin:second", f"tool echo: {skipped.reason}")]


@requirement("feature.tool.duplicate-preflight")
def test_a_duplicate_name_is_known_before_the_later_feature_runs() -> None:
    seen: list[tuple[str, ...]] = []
    host = TestHost()

    def install(ctx: FeatureInstallContext) -> None:
        (feature,) = [f for f in drafts if f._id == "builtin:second"]
        seen.append(tuple(one.name for one in feature.skipped))

    drafts: list[Any] = []
    builder = FeatureRegistryBuilder(host.host())
    builder.add(package(greeter("first")))
    builder.add(package(Module(describe("second").tool("echo"), install)))
    from induscode.feature.hosting.draft import Draft

    original = Draft.preflight

    def remembered(draft: Draft) -> None:
        drafts.append(draft)
        original(draft)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Draft, "preflight", remembered)
        builder.install()
    assert seen == [("echo",)]


@requirement("invariant.05.first-claimant-keeps")
def test_the_same_rule_holds_for_commands() -> None:
    def commander(name: str) -> Module:
        return Module(describe(name).command("greet"), KINDS["command"][1])

    registry = TestHost().registry(package(commander("first")), package(commander("second")))
    assert [feature.id for feature, _ in registry.commands()] == ["builtin:first"]
    (skipped,) = report_of(registry, "builtin:second").skipped_contributions
    assert skipped.reason == "builtin:first has this name already, builtin:second comes later"


def test_a_feature_that_was_not_installed_claims_no_name() -> None:
    def breaks(ctx: FeatureInstallContext) -> None:
        ctx.tools.register(TOOL)
        raise ValueError("no")

    registry = TestHost().registry(
        package(Module(describe("first").tool("echo"), breaks)), package(greeter("second"))
    )
    assert [feature.id for feature, _ in registry.tools()] == ["builtin:second"]


def test_a_contribution_that_comes_twice_counts_once() -> None:
    def twice(ctx: FeatureInstallContext) -> None:
        ctx.tools.register(TOOL)
        ctx.tools.register(ToolContribution("echo", Echo("echo")))

    registry = TestHost().registry(package(Module(describe("one").tool("echo"), twice)))
    ((_, draft),) = registry.tools()
    assert draft.tool._tool is TOOL.definition
    (skipped,) = registry.reports()[0].skipped_contributions
    assert skipped.reason == "it was contributed twice; the first one counts"


@requirement("feature.startup.policy-first")
def test_the_order_of_an_installation() -> None:
    """What all say and may is settled before any of them runs; they run in order, once."""
    steps: list[str] = []
    host = TestHost()

    class Counted(Module):
        def descriptor(self) -> FeatureDescriptor:
            steps.append(f"descriptor of {super().descriptor().id.name}")
            return super().descriptor()

    class Told(Grants):
        def __init__(self, name: str) -> None:
            super().__init__(everything=True)
            self._name = name

        def denial(self, capability: AnyCapability) -> str | None:
            steps.append(f"{capability.text()} asked for {self._name}")
            return super().denial(capability)

    def grants(made: FeatureDescriptor, *_: object) -> Grants:
        steps.append(f"policy of {made.id.name}")
        return Told(made.id.name)

    def module(name: str) -> Counted:
        def install(ctx: FeatureInstallContext) -> None:
            steps.append(f"install of {name}")

        return Counted(describe(name).request(CapabilityRequest.required(EmitAlert(), "")), install)

    parts = FeatureHost(grants, NoServices, host.paths, host.record)
    builder = FeatureRegistryBuilder(parts)
    one, two = module("one"), module("two")
    builder.add(package(one)).add(package(two))
    assert steps == []
    builder.install()
    assert steps == [
        "descriptor of one", "policy of one", "emit-alert asked for one",
        "descriptor of two", "policy of two", "emit-alert asked for two",
        "install of one", "install of two",
    ]  # fmt: skip


@requirement("feature.startup.frozen")
@pytest.mark.parametrize("kind", list(KINDS))
def test_nothing_can_be_registered_after_installation(kind: str) -> None:
    made = full().descriptor()
    module = Module(made)
    registry = TestHost().registry(package(module))
    assert module.context is not None
    with pytest.raises(HandleClosed):
        KINDS[kind][1](module.context)
    assert nothing_in(registry)


def test_the_handles_of_a_closed_session_are_refused() -> None:
    module = full()
    registry = TestHost().registry(package(module))
    assert module.context is not None
    assert module.context.alerts.alert("now")
    registry.close()
    with pytest.raises(HandleClosed):
        module.context.alerts.alert("later")
    with pytest.raises(HandleClosed):
        module.context.grants.allows(FETCH)
    with pytest.raises(HandleClosed):
        module.context.services.network(NetworkPurpose.FETCH)
