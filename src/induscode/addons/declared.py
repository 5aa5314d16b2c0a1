"""A manifest as an addon like any other: what it declares, done when it is asked.

Its programs are started as lists of words, in the workspace, behind the walls that stand around
programs of tier 1, and end with the session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from induscode.addons.contract import (
    CommandContext,
    Continue,
    EnterOutcome,
    ExitOutcome,
    GateDecision,
    HookEvent,
    Payload,
    ToolEnterContext,
    ToolExitContext,
)
from induscode.addons.process.answers import gate_decision, payload_of
from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.addons.process.once import Ran
from induscode.addons.process.workshop import Workshop
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import ToolContext, ToolResult

if TYPE_CHECKING:
    from induscode.addons.manifest import AddonDescriptor

__all__ = ["DeclaredAddon"]

_VALUES = frozenset({ProcessFaultKind.OUT_OF_TIME, ProcessFaultKind.TOO_LARGE})
"""Failures of a tool that the model is told as its result."""


class DeclaredAddon:
    """A `recording.Runtime`. Its events are the gates and then the hooks, as `offers` has them."""

    def __init__(self, descriptor: AddonDescriptor, workshop: Workshop) -> None:
        self._workshop = workshop
        self._gates = descriptor.gates
        self._hooks = descriptor.hooks
        self._commands = {command.name: command.runner() for command in descriptor.commands}
        self._tools = {tool.name: tool for tool in descriptor.tools}
        self._tasks = {task.id: task for task in descriptor.tasks}

    async def observe(self, handler: int, event: HookEvent, payload: Payload) -> None:
        await self._heard(handler, payload)

    async def transform(self, handler: int, event: HookEvent, payload: Payload) -> Payload:
        """A hook that says nothing leaves the payload as it is."""
        said = await self._heard(handler, payload)
        return payload_of(event, msgspec.Raw(said)) if said.strip() else payload

    async def gate(self, handler: int, event: HookEvent, payload: Payload) -> GateDecision:
        """A hook that ends well and says nothing lets it pass."""
        if handler < len(self._gates):
            return await self._gates[handler].gate().run(payload)
        said = await self._heard(handler, payload)
        return gate_decision(msgspec.Raw(said)) if said.strip() else GateDecision(stop=False)

    async def enter(self, handler: int, context: ToolEnterContext) -> EnterOutcome:
        return Continue()

    async def exit(self, handler: int, context: ToolExitContext) -> ExitOutcome:
        return Continue()

    async def command(self, name: str, context: CommandContext) -> str | None:
        return await self._commands[name](context)

    async def tool(
        self, name: str, arguments: Mapping[str, Any], context: ToolContext
    ) -> ToolResult:
        tool = self._tools[name]
        try:
            words = tool.argv(arguments)
        except ValueError as error:
            return ToolResult.error(str(error))
        try:
            ran = await self._workshop.run(words, b"", seconds=tool.seconds)
        except ProcessFault as fault:
            if fault.kind not in _VALUES:
                raise
            return ToolResult.error(context.clean(str(fault)))
        return _result(ran, context)

    async def task(self, name: str, cancel: CancelToken) -> None:
        await self._workshop.stand_by(self._tasks[name].command, cancel)

    async def _heard(self, handler: int, payload: Payload) -> bytes:
        hook = self._hooks[handler - len(self._gates)]
        given = msgspec.json.encode(payload) + b"\n"
        ran = await self._workshop.run(hook.command, given, seconds=hook.seconds)
        if ran.code != 0:
            raise ran.fault()
        return ran.said


def _result(ran: Ran, context: ToolContext) -> ToolResult:
    said = context.clean(ran.said.decode(errors="replace")).rstrip("\n")
    if ran.code == 0:
        return ToolResult.text(said or "(no output)")
    parts = (said, ran.complaints.rstrip("\n"), f"[{ran.how}]")
    return ToolResult.error(
        "\n".join(part for part in parts if part), details={"exit_code": ran.code}
    )
