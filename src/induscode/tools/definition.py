"""A tool as models are told of it, apart from the code that runs when it is called.

Definitions are needed by every run, implementations only by the calls that are made: `LateTool`
brings the two together at the first call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import Struct

from induscode.kernel.tool import ToolContext, ToolResult

__all__ = ["WORD", "Execute", "LateTool", "ToolDefinition", "arguments_object", "one_of"]

Execute = Callable[[Mapping[str, Any], ToolContext], Awaitable[ToolResult]]


class ToolDefinition(Struct, frozen=True):
    """`label` names the tool to a person; the rest is for the model. `parameters` is a JSON schema
    of type object."""

    name: str
    label: str
    description: str
    parameters: Mapping[str, Any]
    read_only: bool = False


class LateTool:
    """An `AgentTool` whose implementation is loaded when it is first called."""

    def __init__(self, definition: ToolDefinition, load: Callable[[], Execute]) -> None:
        self.name = definition.name
        self.label = definition.label
        self.description = definition.description
        self.parameters = definition.parameters
        self.read_only = definition.read_only
        self._load = load
        self._execute: Execute | None = None

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        if self._execute is None:
            self._execute = self._load()
        return await self._execute(arguments, context)


def arguments_object(*required: str, **properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema that takes these arguments and no others."""
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    schema["additionalProperties"] = False
    return schema


WORD: Mapping[str, Any] = {"type": "string", "minLength": 1}


def one_of(*words: str) -> Mapping[str, Any]:
    return {"type": "string", "enum": list(words)}
