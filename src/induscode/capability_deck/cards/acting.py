"""What the cards share: a tool around a function, and the answer to an action nobody knows."""

from __future__ import annotations

from collections.abc import Sequence

from induscode.capability_deck.contract import Capability
from induscode.kernel.tool import ToolResult
from induscode.tools.definition import Execute, LateTool, ToolDefinition

__all__ = ["card_tool", "unavailable", "unknown_action"]


def card_tool(definition: ToolDefinition, execute: Execute) -> Capability:
    """A tool made of its definition and the function that runs it."""
    return LateTool(definition, lambda: execute)


def unknown_action(tool: str, action: object, known: Sequence[str]) -> ToolResult:
    said = "no action" if action is None else f"the action {action!r}"
    return ToolResult.error(f"{tool} was given {said}; it takes {' or '.join(known)}.")


def unavailable(sentence: str, handle: str) -> ToolResult:
    """What a card says whose handle nobody injected: honest, and typed for programs."""
    return ToolResult.error(sentence, details={"kind": "backend", "missing": handle})
