"""`todo_read`: the checklist as it was last set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.checklist.items import LIST, kept, shown

__all__ = ["execute"]


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    del arguments
    return ToolResult.text(shown(kept(context.recall(LIST))))
