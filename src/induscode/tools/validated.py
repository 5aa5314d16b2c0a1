"""Validation around any tool: a wrong argument becomes a sentence the model can act on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from induscode.kernel.tool import AgentTool, ToolContext, ToolResult

__all__ = ["problem_with", "validated"]

Check = Callable[[Mapping[str, Any]], str | None]


def validated(tool: AgentTool) -> AgentTool:
    """The same tool, started only with arguments that fit its schema."""
    return _Validated(tool)


def problem_with(tool: AgentTool, arguments: Mapping[str, Any]) -> str | None:
    """The first thing that is wrong with these arguments, as one sentence; None when they fit.

    For hosts that want to know before they ask a person about a call that cannot work.
    """
    return _check_of(tool)(arguments)


class _Validated:
    def __init__(self, tool: AgentTool) -> None:
        self._tool = tool
        self.name = tool.name
        self.label = tool.label
        self.description = tool.description
        self.parameters = tool.parameters
        self.read_only = tool.read_only

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        problem = _check_of(self._tool)(arguments)
        if problem is not None:
            return ToolResult.error(problem, details={"invalid_arguments": True})
        return await self._tool.execute(arguments, context)


_checks: dict[str, tuple[Mapping[str, Any], Check]] = {}


def _check_of(tool: AgentTool) -> Check:
    known = _checks.get(tool.name)
    if known is None or known[0] is not tool.parameters:
        from induscode.tools.schema import checker  # noqa: PLC0415 - 9 ms, not paid at start

        known = (tool.parameters, checker(tool.name, tool.parameters))
        _checks[tool.name] = known
    return known[1]
