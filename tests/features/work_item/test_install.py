"""The document's own example, installed: what it contributes, and what is left without a grant."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.crew.work_items import work_item_feature
from induscode.feature.capability import (
    AnyCapability,
    EmitAlert,
    EmitDiagnostic,
    EmitModelNotification,
    RunBackgroundTask,
    WorkItemStore,
)
from induscode.feature.descriptor import FeatureDescriptor
from induscode.feature.hook import FailurePolicy, HookBand
from induscode.feature.hook_views import EmitDiagnosticRecord, PublicPreToolCallEvent
from tests.features.work_item.bench import Bench
from tests.requirements import requirement

TOOLS = ("work_item_create", "work_item_comment", "work_item_update", "work_item_list")
HOOK = "work_item_intake_pre_tool_audit"
WATCH = "work_item_watch"


@requirement("feature.example.work-item")
def test_the_report_lists_four_tools_a_hook_and_a_task(bench: Bench) -> None:
    report = bench.report
    assert (report.feature_id, report.enabled) == ("builtin:work-item", True)
    assert report.installed_tools == TOOLS
    assert report.installed_hooks == (HOOK,)
    assert report.installed_background_tasks == (WATCH,)
    assert (report.skipped_contributions, report.denied, report.diagnostics) == ((), (), ())
    assert {one.capability: one.is_required for one in report.requested[:5]} == {
        WorkItemStore(read=True, write=True): True,
        EmitModelNotification(): False,
        EmitAlert(): False,
        RunBackgroundTask(): False,
        EmitDiagnostic(): False,
    }


def test_its_descriptor_says_the_same_each_time_and_survives_json() -> None:
    module = work_item_feature()
    made = module.descriptor()
    assert made == module.descriptor() == made.frozen_copy()
    assert isinstance(made, FeatureDescriptor)


DENIED: dict[str, tuple[AnyCapability, tuple[str, ...]]] = {
    "notices": (EmitModelNotification(), (WATCH,)),
    "alerts": (EmitAlert(), ()),
    "tasks": (RunBackgroundTask(), (WATCH,)),
    "diagnostics": (EmitDiagnostic(), (HOOK,)),
}


@requirement("feature.capability.required-or-optional")
@pytest.mark.parametrize(("capability", "skipped"), DENIED.values(), ids=DENIED)
async def test_without_an_optional_grant_the_rest_works(
    tmp_path: Path, capability: AnyCapability, skipped: tuple[str, ...]
) -> None:
    bench = Bench(tmp_path, capability)
    report = bench.report
    assert report.enabled
    assert report.installed_tools == TOOLS
    assert [denial.capability for denial in report.denied] == [capability]
    assert tuple(one.name for one in report.skipped_contributions) == skipped
    async with bench.watching():
        text, failed = await bench.call("work_item_create", title="Mend the gate")
        assert (text, failed) == ("Created W-0001: Mend the gate", False)


@requirement("feature.capability.required-or-optional")
def test_without_its_store_it_is_not_installed(tmp_path: Path) -> None:
    bench = Bench(tmp_path, WorkItemStore(write=True))
    assert not bench.report.enabled
    assert bench.registry.tools() == []
    assert "it needs work-item-store(read, write)" in bench.report.diagnostics[-1].message


@requirement("feature.tool.missing-service-skips")
def test_where_there_is_no_place_for_items_it_is_not_installed(tmp_path: Path) -> None:
    bench = Bench(tmp_path, work_items=False)
    assert not bench.report.enabled
    assert bench.registry.tools() == []
    assert {one.name for one in bench.report.skipped_contributions} == {*TOOLS, HOOK, WATCH}
    assert any("no place for work items" in one.message for one in bench.report.diagnostics)


def test_where_the_store_cannot_be_read_it_is_not_installed(tmp_path: Path) -> None:
    workspace = tmp_path / "repo"
    workspace.mkdir()
    (workspace / ".indus").symlink_to(tmp_path)
    bench = Bench(tmp_path)
    assert not bench.report.enabled
    assert "its store cannot be read" in bench.report.diagnostics[-1].message


# The hook


async def test_the_audit_observes_its_own_tools_and_never_objects(bench: Bench) -> None:
    [(_, draft)] = bench.registry.hooks()
    assert draft.declaration.tools == TOOLS
    assert draft.declaration.failure is FailurePolicy.REPORT
    assert draft.declaration.band is HookBand.OBSERVER
    event = PublicPreToolCallEvent("c1", TOOLS[1], '{"id": "W-0001", "text": "private words"}')
    decision = await draft.contribution.hook.on_pre_tool_call(event)
    assert isinstance(decision, EmitDiagnosticRecord)
    assert decision.diagnostic.message == "work_item_comment about W-0001, call c1"


@requirement("feature.state.owned")
async def test_two_sessions_share_the_store_and_nothing_else(tmp_path: Path) -> None:
    one, two = Bench(tmp_path), Bench(tmp_path)
    ledgers = [bench.registry.tasks()[0][1].contribution.task._ledger for bench in (one, two)]
    await one.call("work_item_create", title="Mend the gate")
    assert ledgers[0] is not ledgers[1]
    assert ledgers[1].calls == {}
    assert (await two.call("work_item_list"))[0] == "W-0001 [open] Mend the gate"


@requirement("feature.state.shared-within")
async def test_its_tools_hook_and_task_share_one_state(bench: Bench) -> None:
    ledger = bench.registry.tasks()[0][1].contribution.task._ledger
    [(_, hook)] = bench.registry.hooks()
    event = PublicPreToolCallEvent("c1", TOOLS[0], '{"title": "x"}')
    await hook.contribution.hook.on_pre_tool_call(event)
    await bench.call("work_item_create", title="x")
    assert ledger.calls == {TOOLS[0]: 1}
    assert [draft.tool._tool._ledger is ledger for _, draft in bench.registry.tools()] == [True] * 4
