"""`todo`: a checklist with weights, apart from the one of `todo_read` and `todo_set`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from induscode.capability_deck.cards import app_card
from induscode.capability_deck.cards.acting import card_tool, unknown_action
from induscode.capability_deck.cards.definitions import TODO
from induscode.capability_deck.contract import Capability, CapabilityCard, DeckContext
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult

__all__ = [
    "TodoItem",
    "TodoLedger",
    "TodoState",
    "TodoWeight",
    "build_todo_capability",
    "todo_card",
]


class TodoState(StrEnum):
    PENDING = "pending"
    ACTIVE = "active"
    DONE = "done"
    DROPPED = "dropped"


class TodoWeight(StrEnum):
    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


_GLYPHS = {
    TodoState.PENDING: "[ ]",
    TodoState.ACTIVE: "[~]",
    TodoState.DONE: "[x]",
    TodoState.DROPPED: "[-]",
}


class TodoItem(Struct, frozen=True):
    text: str
    state: TodoState = TodoState.PENDING
    weight: TodoWeight = TodoWeight.NORMAL

    def line(self) -> str:
        weight = "" if self.weight is TodoWeight.NORMAL else f" ({self.weight})"
        return f"{_GLYPHS[self.state]} {self.text}{weight}"


class TodoLedger:
    """The list of one tool. What a session's log recalls takes its place."""

    def __init__(self) -> None:
        self._items: tuple[TodoItem, ...] = ()

    def items(self) -> tuple[TodoItem, ...]:
        return self._items

    def replace(self, items: Sequence[TodoItem]) -> None:
        self._items = tuple(items)

    def render(self) -> str:
        if not self._items:
            return "The list is empty."
        return "\n".join(item.line() for item in self._items)


def todo_card() -> CapabilityCard:
    return app_card("todo")


def build_todo_capability(ctx: DeckContext) -> Capability:
    """A tool with a list of its own."""
    del ctx
    ledger = TodoLedger()

    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        known = context.recall("todo")
        if known is not None:
            ledger.replace(_items(known.get("items")) or ())
        match arguments.get("action"):
            case "read":
                pass
            case "set":
                items = _items(arguments.get("items"))
                if items is None:
                    return ToolResult.error(
                        "todo set needs `items`: a list of {text, state?, weight?}."
                    )
                ledger.replace(items)
            case other:
                return unknown_action("todo", other, ("read", "set"))
        details = {"items": msgspec.to_builtins(ledger.items())}
        return ToolResult((Text(ledger.render()),), details=details)

    return card_tool(TODO, execute)


def _items(value: object) -> tuple[TodoItem, ...] | None:
    try:
        return msgspec.convert(value, tuple[TodoItem, ...])
    except msgspec.ValidationError:
        return None
