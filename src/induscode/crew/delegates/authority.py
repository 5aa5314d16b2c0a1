"""What a delegate may: never more than whoever sends it, and as little as its profile says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from induscode.capability_deck.agents.profile import SubagentProfile
from induscode.capability_deck.catalog import cards_for_profile
from induscode.capability_deck.contract import PLAIN_WORDS, DeckFault, Profile
from induscode.crew.delegates.limits import MAX_DEPTH, SECONDS
from induscode.policy.aliases import means, tool_name
from induscode.policy.modes import Mode, narrower

__all__ = ["DELEGATING_TOOL", "mode_of", "seconds_of", "tools_of"]

DELEGATING_TOOL = "task"


def mode_of(parent: Mode, profile: SubagentProfile) -> Mode:
    return parent if profile.mode is None else narrower(parent, profile.mode)


def seconds_of(profile: SubagentProfile) -> float:
    return SECONDS if profile.max_seconds is None else min(SECONDS, profile.max_seconds)


def tools_of(parent: Sequence[str], profile: SubagentProfile, *, depth: int) -> frozenset[str]:
    """The parent's tools that the profile admits. A delegate on the last level has no `task`.
    Raises `DeckFault` for a collection that nobody knows."""
    admitted = _admitted(parent, profile.tool_collection)
    refused = [*profile.without, *([DELEGATING_TOOL] if depth >= MAX_DEPTH else [])]
    return frozenset(name for name in admitted if not _named(name, refused))


def _admitted(parent: Sequence[str], collection: str | tuple[str, ...] | None) -> frozenset[str]:
    if collection is None:
        return frozenset(parent)
    if isinstance(collection, str):
        named = PLAIN_WORDS.get(collection, collection)
        if named == Profile.ALL:
            return frozenset(parent)
        try:
            wanted = {card.id for card in cards_for_profile(named)}
        except DeckFault:
            known = ", ".join([*Profile, *PLAIN_WORDS])
            told = f"there is no collection of tools {collection!r}; use {known} or a list of tools"
            raise DeckFault("unknown_capability", told) from None
        return frozenset(name for name in parent if name in wanted)
    return frozenset(name for name in parent if _named(name, collection))


def _named(tool: str, names: Iterable[str]) -> bool:
    """Whether a list as people write it names this tool; a trailing `*` means all that begin so."""
    plain = tool_name(tool)
    return any(means(tool_name(name), plain) for name in names)
