"""`enter_plan_mode` and `exit_plan_mode`: marks that the host acts upon.

Neither changes a mode. The host does, on the identity of the call and never on a mark that it finds
in a result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from induscode.capability_deck.cards import app_card
from induscode.capability_deck.cards.acting import card_tool
from induscode.capability_deck.cards.definitions import ENTER_PLAN_MODE, EXIT_PLAN_MODE
from induscode.capability_deck.cards.plan_files import (
    PLANS_DIRNAME,
    plan_file_path,
    plan_slug,
    read_plan,
    write_plan,
)
from induscode.capability_deck.contract import Capability, CapabilityCard, DeckContext
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult

__all__ = [
    "PLANS_DIRNAME",
    "build_enter_plan_mode_capability",
    "build_exit_plan_mode_capability",
    "enter_plan_mode_card",
    "exit_plan_mode_card",
    "plan_file_path",
    "plan_slug",
    "read_plan",
    "write_plan",
]

_EXPLORE = (
    "Explore only: read, search and list, and change nothing. When the plan stands, present it "
    "with exit_plan_mode."
)
_PRESENTED = "The plan is presented to the user. Carry it out only when it is approved."


def enter_plan_mode_card() -> CapabilityCard:
    return app_card("enter_plan_mode")


def exit_plan_mode_card() -> CapabilityCard:
    return app_card("exit_plan_mode")


def build_enter_plan_mode_capability(ctx: DeckContext) -> Capability:
    del ctx
    return card_tool(ENTER_PLAN_MODE, _enter)


def build_exit_plan_mode_capability(ctx: DeckContext) -> Capability:
    del ctx
    return card_tool(EXIT_PLAN_MODE, _exit)


async def _enter(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    del arguments, context
    return ToolResult((Text(_EXPLORE),), details={"enterPlanMode": True, "applied": False})


async def _exit(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    del context
    plan: str = arguments["plan"]
    return ToolResult((Text(_PRESENTED),), details={"exitPlan": True, "plan": plan})
