"""Reports: everything declared is accounted for, and no secret is told."""

from __future__ import annotations

import msgspec

from induscode.feature.capability import (
    CapabilityRequest,
    ContributeTool,
)
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.registry import (
    FeatureHost,
    FeatureInstallContext,
    FeatureRegistryBuilder,
)
from induscode.feature.tool import ToolContribution
from tests.features.hosting import Grants, NoServices, TestHost, package
from tests.features.kinds import (
    FETCH,
    NAMES,
    contribute_all,
    full,
    installed,
)
from tests.features.modules import (
    Echo,
    Module,
    describe,
)
from tests.requirements import requirement


@requirement("feature.report.every-skip-explained")
def test_every_declared_contribution_is_installed_or_skipped_for_a_reason() -> None:
    full_made = full().descriptor()
    withdrawn = Grants(everything=True)
    withdrawn.withdraw(ContributeTool("echo"))

    def breaks(ctx: FeatureInstallContext) -> None:
        contribute_all(ctx)
        raise ValueError("no")

    hosts = [
        (TestHost(), Module(full_made)),
        (TestHost(Grants()), Module(full_made, contribute_all)),
        (TestHost(withdrawn), Module(full_made, contribute_all)),
        (TestHost(), Module(full_made, breaks)),
    ]
    for host, module in hosts:
        (report,) = host.registry(package(module)).reports()
        skipped = {(one.kind, one.name) for one in report.skipped_contributions}
        taken = {(kind, name) for kind, names in installed(report).items() for name in names}
        assert skipped | taken == set(NAMES.items())
        assert not skipped & taken
        assert all(one.reason for one in report.skipped_contributions)


def test_what_was_declared_and_not_contributed_is_told() -> None:
    (report,) = TestHost().registry(package(Module(describe("idle").tool("echo")))).reports()
    assert report.enabled
    (skipped,) = report.skipped_contributions
    assert skipped.reason == "it was declared and not contributed"


SECRET = "sk-test-0123456789"


@requirement("feature.report.no-secrets")
def test_no_secret_is_in_a_report_wherever_the_feature_puts_it() -> None:
    class Leaks(Echo):
        @property
        def label(self) -> str:
            raise ValueError(f"cannot log in with {SECRET}")

    def install(ctx: FeatureInstallContext) -> None:
        ctx.tools.register(ToolContribution("echo", Leaks()))
        ctx.tools.register(ToolContribution(SECRET, Echo()))
        ctx.diagnostics.record(f"key: {SECRET}")
        raise ValueError(f"refused: {SECRET}")

    made = (
        describe("leaky")
        .display_name(f"Leaky {SECRET}")
        .version(SECRET)
        .request(CapabilityRequest.optional(FETCH, f"use {SECRET}"))
        .tool("echo")
    )
    host, told = TestHost(), []

    def record(feature: str) -> FeatureRecord:
        return FeatureRecord(
            feature,
            now=lambda: "",
            clean=lambda text: text.replace(SECRET, "[secret]"),
            told=lambda *said: told.append(said),
        )

    parts = FeatureHost(lambda *_: host.grants, NoServices, host.paths, record)
    registry = FeatureRegistryBuilder(parts).add(package(Module(made, install))).install()
    (report,) = registry.reports()
    shown = msgspec.json.encode(report).decode()
    assert shown.count("[secret]") >= 6
    assert SECRET not in shown
    assert SECRET not in str(told)
