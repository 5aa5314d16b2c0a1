"""Before `write` and `edit` change a file, what it holds is filed with the host.

The wrapper is invisible to models: everything they are told of the tool is the tool's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from induscode.capability_deck.contract import Capability, CheckpointStore, DeckContext
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.places import resolve

__all__ = ["CHECKPOINTED_TOOLS", "CheckpointingCard", "maybe_wrap_checkpoint"]

CHECKPOINTED_TOOLS = ("write", "edit")
"""Tools that name the file they change. What commands change, the host finds by looking."""


class CheckpointingCard:
    """`inner`, with the file that a call names recorded first. A file that cannot be read, or a
    store that fails, does not keep the call from running."""

    def __init__(self, inner: Capability, store: CheckpointStore) -> None:
        self._inner = inner
        self._store = store

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def label(self) -> str:
        return self._inner.label

    @property
    def description(self) -> str:
        return self._inner.description

    @property
    def parameters(self) -> Mapping[str, Any]:
        return self._inner.parameters

    @property
    def read_only(self) -> bool:
        return self._inner.read_only

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self._record(arguments.get("path"), context)
        return await self._inner.execute(arguments, context)

    def _record(self, named: object, context: ToolContext) -> None:
        if not isinstance(named, str):
            return
        try:
            path = resolve(context.cwd, named)
            self._store.record(path, _previous(path, context))
        except (OSError, ValueError):
            return  # the tool itself says what is wrong with the place


def _previous(path: Path, context: ToolContext) -> bytes | None:
    """What the file holds; None when there is none. Raises OSError when it cannot be read."""
    try:
        return context.fs.read(path)
    except FileNotFoundError:
        return None


def maybe_wrap_checkpoint(capability: Capability, ctx: DeckContext) -> Capability:
    """The tool with its wrapper where it needs one and a store is there; else the very tool."""
    store = ctx.framework.checkpoint
    if store is None or capability.name not in CHECKPOINTED_TOOLS:
        return capability
    return CheckpointingCard(capability, store)
