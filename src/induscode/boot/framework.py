"""What the deck's tools are built for: the working directory, and the handles that are wired."""

from __future__ import annotations

from induscode.boot.surroundings import Surroundings
from induscode.capability_deck.contract import DeckContext, DeckFramework

__all__ = ["deck_context"]


def deck_context(around: Surroundings) -> DeckContext:
    return DeckContext(cwd=around.cwd, framework=DeckFramework())
