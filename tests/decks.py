"""The deck's tools as tests bind them by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from induscode.capability_deck.catalog import capability_cards, capability_index
from induscode.capability_deck.contract import DeckContext, capability_id
from induscode.conductor.ports import BoundTool
from induscode.policy.subject import CallView

__all__ = ["bound", "bound_deck", "view_of"]


def bound(name: str, cwd: Path) -> BoundTool:
    """One tool of the catalog, classified as the host does it."""
    card = capability_index()[capability_id(name)]
    ctx = DeckContext(cwd)
    return BoundTool(
        card.build(ctx), card.kind, card.feature, subject=lambda given: card.subject(given, ctx)
    )


def bound_deck(cwd: Path) -> dict[str, BoundTool]:
    """All of them, by name."""
    return {card.id: bound(card.id, cwd) for card in capability_cards()}


def view_of(name: str, arguments: Mapping[str, Any], cwd: Path) -> CallView:
    """One call, as the gate judges it."""
    tool = bound(name, cwd)
    return CallView(name, tool.kind, arguments, tool.subject(arguments))
