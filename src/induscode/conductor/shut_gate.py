"""A gate whose feature cannot run: it denies what it guarded."""

from __future__ import annotations

from induscode.conductor.hooks import Stop, ToolView
from induscode.kernel.tool import ToolResult

__all__ = ["ShutGate"]


class ShutGate:
    """Stands in for a guard that was installed once. `tools` are those it was about, none means
    every tool."""

    def __init__(self, by: str, tools: tuple[str, ...], reason: str) -> None:
        self.by = by
        self._tools = frozenset(tools)
        self._reason = reason

    def matches(self, tool: str) -> bool:
        return not self._tools or tool in self._tools

    async def enter(self, view: ToolView) -> Stop:
        del view
        return Stop(self._reason, "not-started")

    async def exit(self, view: ToolView, result: ToolResult) -> None:
        """It never lets a call through, so there is no result."""
