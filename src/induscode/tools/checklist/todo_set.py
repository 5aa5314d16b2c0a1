"""`todo_set`: a new checklist in place of the old one. Its result is where the list is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.checklist.items import kept, shown

__all__ = ["execute"]


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    del context
    items = kept(arguments)
    active = sum(item.status == "in_progress" for item in items)
    text = shown(items)
    if active > 1:
        text += f"\n[{active} items are in progress; keep it to one]"
    return ToolResult((Text(text),), details={"items": msgspec.to_builtins(items)})
