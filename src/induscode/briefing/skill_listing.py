"""Which skills the prompt has room for, and how the others are found. Pure; nothing is cut short.

A skill is listed whole or not at all, and whoever lists is told which are not. The search is plain
on purpose: words of the query in names and descriptions, the same answer every time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from induscode.briefing.contract import SkillCard

__all__ = [
    "FOUND_SKILLS",
    "LISTING_CHARACTERS",
    "Listing",
    "found_text",
    "listed",
    "search_skills",
]

LISTING_CHARACTERS = 20_000
"""What all entries of the list may take together, about 5,000 tokens."""

FOUND_SKILLS = 10
"""What one search finds at most, unless it asks for another number."""

_ENTRY = len(
    "  <skill>\n"
    "    <name></name>\n"
    "    <description></description>\n"
    "    <location></location>\n"
    "  </skill>\n"
)
_LONGER_ESCAPED = {"&": len("amp;"), "<": len("lt;"), ">": len("gt;")}
_WORD = re.compile(r"[^\W_]+")
_PART_OF_A_WORD = 3
"""So many letters are looked for inside of words, too; fewer are in nearly every text."""
_WHOLE_NAME, _IN_NAME, _WITHIN_NAME, _IN_DESCRIPTION, _WITHIN_DESCRIPTION = 64, 16, 8, 4, 1


class Listing(Struct, frozen=True):
    """`cards` and `unlisted` are all that were given, each in the order given."""

    cards: tuple[SkillCard, ...]
    unlisted: tuple[SkillCard, ...]


def listed(cards: Sequence[SkillCard], budget: int = LISTING_CHARACTERS) -> Listing:
    """Those whose entries fit into `budget` characters. Earlier ones come first; one that is too
    long for what is left makes room for shorter ones after it."""
    kept: list[SkillCard] = []
    rest: list[SkillCard] = []
    left = budget
    for card in cards:
        size = _size(card)
        if size <= left:
            left -= size
            kept.append(card)
        else:
            rest.append(card)
    return Listing(tuple(kept), tuple(rest))


def search_skills(
    cards: Sequence[SkillCard], query: str, limit: int = FOUND_SKILLS
) -> list[SkillCard]:
    """Those that have a word of `query`, in any case: first those with most of its words, then
    those that have them in their names. Of equals, the one given first. Without a word, all."""
    words = _words(query)
    if not words:
        return list(cards[: max(limit, 0)])
    ranked = [(_rank(card, words), card) for card in cards]
    found = [pair for pair in ranked if pair[0] > (0, 0)]
    found.sort(key=lambda pair: pair[0], reverse=True)
    return [card for _, card in found[: max(limit, 0)]]


def found_text(cards: Sequence[SkillCard]) -> str:
    """What a model is told of skills that were found."""
    if not cards:
        return "No skill has any of these words in its name or description. Try other words."
    entries = [f"{card.name}: {card.description}\n  {card.location}" for card in cards]
    return "\n".join([*entries, "Open the file of the one that fits, and follow it."])


def _size(card: SkillCard) -> int:
    text = f"{card.name}{card.description}{card.location}"
    return _ENTRY + len(text) + sum(text.count(c) * more for c, more in _LONGER_ESCAPED.items())


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _rank(card: SkillCard, words: frozenset[str]) -> tuple[int, int]:
    """How many of the words it has, and how near to its name."""
    name, description = card.name.casefold(), card.description.casefold()
    name_words, description_words = _words(name), _words(description)
    weights: list[int] = []
    for word in words:
        long = len(word) >= _PART_OF_A_WORD
        if word in name_words:
            weights.append(_IN_NAME)
        elif long and word in name:
            weights.append(_WITHIN_NAME)
        elif word in description_words:
            weights.append(_IN_DESCRIPTION)
        elif long and word in description:
            weights.append(_WITHIN_DESCRIPTION)
    return len(weights), sum(weights) + (_WHOLE_NAME if words == name_words else 0)
