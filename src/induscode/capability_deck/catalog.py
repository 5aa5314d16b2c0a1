"""The catalog: one tuple of cards, made once; every index of it is derived here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from induscode.capability_deck.builtin import builtin_cards
from induscode.capability_deck.cards import app_novel_cards
from induscode.capability_deck.contract import (
    CapabilityCard,
    CapabilityId,
    Profile,
    capability_id,
    profile_named,
)

__all__ = [
    "capability_cards",
    "capability_ids",
    "capability_index",
    "card_profiles",
    "cards_for_profile",
    "find_card",
    "has_capability",
]


@cache
def capability_cards() -> tuple[CapabilityCard, ...]:
    """The twelve built-in tools, then the seven app cards: always the same tuple."""
    return (*builtin_cards(), *app_novel_cards())


@cache
def capability_index() -> Mapping[CapabilityId, CapabilityCard]:
    """By id; of two rows with one id the first counts."""
    return MappingProxyType({card.id: card for card in reversed(capability_cards())})


def capability_ids() -> tuple[CapabilityId, ...]:
    """In the order of the catalog."""
    return tuple(card.id for card in capability_cards())


def has_capability(name: str) -> bool:
    return capability_id(name) in capability_index()


def find_card(name: str) -> CapabilityCard | None:
    return capability_index().get(capability_id(name))


def card_profiles() -> Mapping[CapabilityId, tuple[Profile, ...]]:
    """The profiles that each card is a member of."""
    return MappingProxyType({card.id: card.profiles for card in capability_cards()})


def cards_for_profile(profile: str) -> tuple[CapabilityCard, ...]:
    """The cards that take part in a profile, in order. Raises `DeckFault` for an unknown one."""
    wanted = profile_named(profile)
    return tuple(card for card in capability_cards() if card.in_profile(wanted))
