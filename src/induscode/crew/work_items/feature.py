"""The feature itself: what it declares, what it asks for, what it contributes."""

from __future__ import annotations

from induscode.crew.work_items.audit import WorkItemAudit
from induscode.crew.work_items.ledger import WorkItemLedger
from induscode.crew.work_items.tools import work_item_tools
from induscode.crew.work_items.watcher import WATCH_SECONDS, WorkItemWatch
from induscode.errors import FeatureInstallError
from induscode.feature.background import BackgroundTaskContribution, RestartPolicy
from induscode.feature.capability import (
    CapabilityRequest,
    EmitAlert,
    EmitDiagnostic,
    EmitModelNotification,
    RunBackgroundTask,
    WorkItemStore,
)
from induscode.feature.descriptor import FeatureDescriptor, FeatureId, FeatureRuntimeKind
from induscode.feature.hook import FailurePolicy, HookBand, HookDeclaration, HookPoint
from induscode.feature.registry import FeatureInstallContext, FeatureModule
from induscode.feature.services import Denied, Unavailable
from induscode.feature.tool import ToolContribution

__all__ = ["work_item_feature"]

_STORE = WorkItemStore(read=True, write=True)
_AUDIT = "work_item_intake_pre_tool_audit"
_WATCH = "work_item_watch"
_TOOLS = {
    "work_item_create": _STORE,
    "work_item_comment": _STORE,
    "work_item_update": _STORE,
    "work_item_list": WorkItemStore(read=True),
}
_RESTARTS = 3


def work_item_feature(*, watch_seconds: float = WATCH_SECONDS) -> FeatureModule:
    return _WorkItemFeature(watch_seconds)


class _WorkItemFeature:
    """Its state begins with its installation: two sessions share the store and nothing else."""

    def __init__(self, watch_seconds: float) -> None:
        self._watch_seconds = watch_seconds

    def descriptor(self) -> FeatureDescriptor:
        optional = CapabilityRequest.optional
        builder = (
            FeatureDescriptor.builder(FeatureId.builtin("work-item"))
            .display_name("Work items")
            .version("1")
            .runtime(FeatureRuntimeKind.BUILTIN)
            .request(CapabilityRequest.required(_STORE, "create and update work items"))
            .request(
                optional(EmitModelNotification(), "tell the model what others changed in them")
            )
            .request(optional(EmitAlert(), "warn the person when they cannot be watched"))
            .request(optional(RunBackgroundTask(), "watch them for changes by others"))
            .request(optional(EmitDiagnostic(), "record each call of its tools"))
        )
        for name, needed in _TOOLS.items():
            builder.tool(name, needed)
        audit = HookDeclaration(
            _AUDIT,
            HookPoint.PRE_TOOL_CALL,
            tools=tuple(_TOOLS),
            band=HookBand.OBSERVER,
            failure=FailurePolicy.REPORT,
            required_capabilities=(EmitDiagnostic(),),
        )
        return builder.hook(audit).background_task(_WATCH, "tells of changes by others").build()

    def install(self, ctx: FeatureInstallContext, /) -> None:
        """Raises `FeatureInstallError` where there is no store, or none that can be read."""
        store = ctx.services.work_item_store(_STORE)
        if isinstance(store, Denied | Unavailable):
            raise FeatureInstallError(f"it has no store: {store.reason}")
        try:
            ledger = WorkItemLedger(store)
        except OSError as error:
            raise FeatureInstallError(f"its store cannot be read: {error}") from error
        for tool in work_item_tools(ledger):
            ctx.tools.register(ToolContribution(tool.name, tool))
        ctx.hooks.pre_tool_call(_AUDIT, WorkItemAudit(ledger))
        watch = BackgroundTaskContribution(
            _WATCH,
            WorkItemWatch(ledger, self._watch_seconds),
            "tells of changes by others",
            restart=RestartPolicy.on_failure(_RESTARTS),
            required_capabilities=(EmitModelNotification(), WorkItemStore(read=True)),
        )
        ctx.background_tasks.register(watch)
