"""Gates whose feature cannot run: they deny what they guarded."""

from __future__ import annotations

from typing import Literal

from induscode.conductor.hooks import Stop, ToolView
from induscode.kernel.tool import ToolResult
from induscode.policy.aliases import means, tool_name

__all__ = ["ShutGate", "ShutInput", "ShutRewrite"]


class _Shut:
    def __init__(self, by: str, reason: str) -> None:
        self.by = by
        self._stop = Stop(reason, "not-started")


class ShutGate(_Shut):
    """Stands in for a guard of calls. `tools` are those it was about, none means every tool."""

    def __init__(self, by: str, tools: tuple[str, ...], reason: str) -> None:
        super().__init__(by, reason)
        self._tools = frozenset(map(tool_name, tools))

    def matches(self, tool: str) -> bool:
        return not self._tools or any(means(each, tool_name(tool)) for each in self._tools)

    async def enter(self, view: ToolView) -> Stop:
        del view
        return self._stop

    async def exit(self, view: ToolView, result: ToolResult) -> None:
        """It never lets a call through, so there is no result."""


class ShutInput(_Shut):
    """Stands in for a guard of what is submitted."""

    async def submit(self, text: str) -> Stop:
        del text
        return self._stop


class ShutRewrite(_Shut):
    """Stands in for a guard of rewriting the conversation."""

    async def before(self, what: Literal["compaction", "rewind", "fork"], reason: str = "") -> Stop:
        del what, reason
        return self._stop
