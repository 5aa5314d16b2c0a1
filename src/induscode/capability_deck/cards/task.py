"""`task`: a sub-agent, run by the delegate runner that the host injects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from induscode.capability_deck.cards import app_card
from induscode.capability_deck.cards.acting import card_tool, unavailable
from induscode.capability_deck.cards.definitions import TASK
from induscode.capability_deck.contract import Capability, CapabilityCard, DeckContext
from induscode.kernel.tool import ToolContext, ToolResult

__all__ = ["DELEGATE_HANDLE_KEY", "build_task_capability", "task_card"]

DELEGATE_HANDLE_KEY = "delegate"


def task_card() -> CapabilityCard:
    return app_card("task")


def build_task_capability(ctx: DeckContext) -> Capability:
    runner = ctx.framework.delegate

    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        if runner is None:
            return unavailable(
                "Delegation is not available here: no runner for sub-agents is set up. "
                "Do the work yourself.",
                DELEGATE_HANDLE_KEY,
            )
        agent, known = arguments.get("agent"), tuple(runner.list_agents())
        if agent is not None and agent not in known:
            names = ", ".join(known) or "none; leave it out"
            return ToolResult.error(f"There is no agent {agent!r}. Known agents: {names}.")
        return await runner.delegate(
            arguments["objective"], agent=agent, context=arguments.get("context"), call=context
        )

    return card_tool(TASK, execute)
