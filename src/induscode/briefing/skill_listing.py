"""Which skills the prompt has room for, and how the others are found. Pure; nothing is cut short.

A skill is listed whole or not at all, and whoever lists is told which are not. The search is plain
on purpose: words of the query in names and descriptions, the same answer every time.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from induscode.briefing.contract import SkillCard
from induscode.kernel.ranking import ranked

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
    found = ranked(cards, query, lambda card: (card.name, card.description))
    return found[: max(limit, 0)]


def found_text(cards: Sequence[SkillCard]) -> str:
    """What a model is told of skills that were found."""
    if not cards:
        return "No skill has any of these words in its name or description. Try other words."
    entries = [f"{card.name}: {card.description}\n  {card.location}" for card in cards]
    return "\n".join([*entries, "Open the file of the one that fits, and follow it."])


def _size(card: SkillCard) -> int:
    text = f"{card.name}{card.description}{card.location}"
    return _ENTRY + len(text) + sum(text.count(c) * more for c, more in _LONGER_ESCAPED.items())
