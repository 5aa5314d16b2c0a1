"""The audit hook: notes every call of the feature's tools, and never objects."""

from __future__ import annotations

from induscode.crew.work_items.ledger import WorkItemLedger
from induscode.feature.diagnostic import FeatureDiagnostic
from induscode.feature.hook import PublicPreToolCallDecision, PublicPreToolCallEvent
from induscode.feature.hook_views import EmitDiagnosticRecord

__all__ = ["WorkItemAudit"]


class WorkItemAudit:
    """Says which tool, which call and which item, not what was written."""

    def __init__(self, ledger: WorkItemLedger) -> None:
        self._ledger = ledger

    async def on_pre_tool_call(self, event: PublicPreToolCallEvent, /) -> PublicPreToolCallDecision:
        self._ledger.calls[event.tool] += 1
        item = event.arguments.get("id")
        about = f" about {item}" if isinstance(item, str) else ""
        message = f"{event.tool}{about}, call {event.call}"
        return EmitDiagnosticRecord(FeatureDiagnostic(message, by="feature"))
