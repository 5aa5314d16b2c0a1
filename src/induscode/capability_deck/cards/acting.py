"""What the cards share: a tool around a function, and the answer to an action nobody knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.definition import Execute, ToolDefinition

__all__ = ["CardTool", "unavailable", "unknown_action"]


class CardTool:
    """An `AgentTool` made of its definition and the function that runs it."""

    def __init__(self, definition: ToolDefinition, execute: Execute) -> None:
        self.name = definition.name
        self.label = definition.label
        self.description = definition.description
        self.parameters = definition.parameters
        self.read_only = definition.read_only
        self._execute = execute

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return await self._execute(arguments, context)


def unknown_action(tool: str, action: object, known: Sequence[str]) -> ToolResult:
    said = "no action" if action is None else f"the action {action!r}"
    return ToolResult.error(f"{tool} was given {said}; it takes {' or '.join(known)}.")


def unavailable(sentence: str, handle: str) -> ToolResult:
    """What a card says whose handle nobody injected: honest, and typed for programs."""
    return ToolResult.error(sentence, details={"kind": "backend", "missing": handle})
