"""What the deck's tools are built for: the working directory, and the handles that are wired."""

from __future__ import annotations

from induscode.boot.surroundings import Surroundings
from induscode.capability_deck.contract import DeckContext, DeckFramework, MemoryStore
from induscode.capability_deck.memory_store import FileMemoryStore
from induscode.session.store import workspace_key

__all__ = ["deck_context", "memory_of"]


_MEMORY = "memory"


def deck_context(around: Surroundings) -> DeckContext:
    return DeckContext(cwd=around.cwd, framework=DeckFramework(memory=memory_of(around)))


def memory_of(around: Surroundings) -> MemoryStore:
    """The notes of this workspace and of its user."""
    return FileMemoryStore(around.places.data / _MEMORY, workspace_key(around.workspace))
