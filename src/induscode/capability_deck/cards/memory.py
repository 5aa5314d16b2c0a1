"""`memory`: notes in the store that the host injects, or in one that ends with this session."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from induscode.capability_deck.cards import app_card
from induscode.capability_deck.cards.acting import card_tool, unknown_action
from induscode.capability_deck.cards.definitions import MEMORY
from induscode.capability_deck.contract import (
    Capability,
    CapabilityCard,
    DeckContext,
    DeckFault,
    MemoryScope,
    MemoryStore,
)
from induscode.capability_deck.memory_store import appended, checked_size
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult

__all__ = ["MEMORY_HANDLE_KEY", "InMemoryStore", "build_memory_capability", "memory_card"]

MEMORY_HANDLE_KEY = "memoryStore"

_ACTIONS = ("read", "replace", "append")


def memory_card() -> CapabilityCard:
    return app_card("memory")


class InMemoryStore:
    """A `MemoryStore` of one built tool: two sessions never share it, and it ends with its own."""

    def __init__(self) -> None:
        self._notes: dict[MemoryScope, str] = {}

    def read(self, scope: MemoryScope = MemoryScope.WORKSPACE) -> str:
        return self._notes.get(scope, "")

    def replace(self, content: str, scope: MemoryScope = MemoryScope.WORKSPACE) -> None:
        self._notes[scope] = checked_size(content)

    def append(self, content: str, scope: MemoryScope = MemoryScope.WORKSPACE) -> None:
        self._notes[scope] = checked_size(appended(self.read(scope), content))


def build_memory_capability(ctx: DeckContext) -> Capability:
    store: MemoryStore = ctx.framework.memory or InMemoryStore()

    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        action = arguments.get("action")
        if action not in _ACTIONS:
            return unknown_action("memory", action, _ACTIONS)
        try:
            scope = MemoryScope(arguments.get("scope", MemoryScope.WORKSPACE))
        except ValueError:
            return ToolResult.error(f"memory has the scopes {' and '.join(MemoryScope)}.")
        try:
            if action == "read":
                return _notes(await asyncio.to_thread(store.read, scope), scope)
            return await _changed(store, action, arguments.get("content"), scope, context)
        except (DeckFault, OSError) as error:
            return ToolResult.error(
                context.clean(f"memory: {error}."),
                details={"kind": "backend", "scope": scope.value},
            )

    return card_tool(MEMORY, execute)


async def _changed(
    store: MemoryStore, action: str, content: object, scope: MemoryScope, context: ToolContext
) -> ToolResult:
    if not isinstance(content, str) or (action == "append" and not content.strip()):
        return ToolResult.error(f"memory {action} needs `content`: the text to keep.")
    if "\0" in content or not _is_text(content):
        return ToolResult.error("`content` is no text that can be kept; nothing was changed.")
    kept = context.clean(content)
    await asyncio.to_thread(store.replace if action == "replace" else store.append, kept, scope)
    told = "What was secret in it was left out." if kept != content else ""
    words = f"The notes of the {scope.value} are kept ({action}). {told}".strip()
    return ToolResult((Text(words),), details={"scope": scope.value, "characters": len(kept)})


def _notes(content: str, scope: MemoryScope) -> ToolResult:
    text = content or f"There are no notes of the {scope.value} yet."
    details = {"scope": scope.value, "characters": len(content)}
    return ToolResult((Text(text),), details=details)


def _is_text(content: str) -> bool:
    try:
        content.encode()
    except UnicodeEncodeError:
        return False
    return True
