"""The catalog as constants (seed 002); what they are derived from is in `catalog.py`."""

from __future__ import annotations

from induscode.capability_deck.catalog import (
    capability_cards,
    capability_ids,
    capability_index,
    card_profiles,
    cards_for_profile,
    find_card,
    has_capability,
)

__all__ = [
    "CAPABILITY_CARDS",
    "CAPABILITY_INDEX",
    "CARD_PROFILES",
    "capability_ids",
    "cards_for_profile",
    "find_card",
    "has_capability",
]

CAPABILITY_CARDS = capability_cards()
CAPABILITY_INDEX = capability_index()
CARD_PROFILES = card_profiles()
