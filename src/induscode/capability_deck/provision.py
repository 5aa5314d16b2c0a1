"""The one assembler: the cards of a profile, built for a context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from induscode.capability_deck.cards.checkpoint import maybe_wrap_checkpoint
from induscode.capability_deck.catalog import cards_for_profile
from induscode.capability_deck.contract import (
    Capability,
    CapabilityCard,
    DeckBox,
    DeckContext,
    DeckFault,
    ToolBox,
    ToolDeck,
    deck_fault,
)

__all__ = ["ToolDeck", "cards_for_deck_profile", "provision", "provision_deck"]


def cards_for_deck_profile(profile: str) -> tuple[CapabilityCard, ...]:
    """What `provision_deck` builds. A profile is data: the membership of the cards."""
    return cards_for_profile(profile)


def provision_deck(profile: str, ctx: DeckContext) -> ToolDeck:
    """Raises `DeckFault` of kind unknown_capability for an unknown profile. A card that cannot be
    built is a fault of the deck; the others are there."""
    return provision(cards_for_deck_profile(profile), ctx)


def provision(cards: Iterable[CapabilityCard], ctx: DeckContext) -> ToolDeck:
    """These cards, built for this context."""
    tools: list[Capability] = []
    faults: list[DeckFault] = []
    for card in cards:
        try:
            tools.append(maybe_wrap_checkpoint(_built(card, ctx), ctx))
        except DeckFault as fault:
            faults.append(fault)
    return _ProvisionedDeck(ctx, tuple(tools), tuple(faults))


def _built(card: CapabilityCard, ctx: DeckContext) -> Capability:
    try:
        return card.build(ctx)
    except Exception as error:
        why = f"{card.id} could not be built: {error}"
        raise deck_fault("build_failed", why, error) from error


class _ProvisionedDeck(Struct, frozen=True):
    ctx: DeckContext
    built: tuple[Capability, ...]
    faults: tuple[DeckFault, ...] = ()

    def tools(self) -> list[Capability]:
        return list(self.built)

    def box(self) -> DeckBox:
        return list(self.built)

    def retain(self, keep: Callable[[Capability], bool]) -> ToolDeck:
        return replace(self, built=tuple(tool for tool in self.built if keep(tool)))

    def graft(self, extra: Iterable[Capability]) -> ToolDeck:
        known = {tool.name for tool in self.built}
        grown, faults = list(self.built), list(self.faults)
        for tool in extra:
            if tool.name in known:
                faults.append(deck_fault("bridge", f"the name {tool.name} is taken; skipped"))
                continue
            known.add(tool.name)
            grown.append(tool)
        return replace(self, built=tuple(grown), faults=tuple(faults))

    def map_capabilities(self, change: Callable[[Capability], Capability]) -> ToolDeck:
        return replace(self, built=tuple(change(tool) for tool in self.built))

    def tool_box(self) -> ToolBox:
        # Sessions have no use for it, and it brings a shell along.
        module = import_module("induscode.capability_deck.tool_box")
        make = cast("Callable[[DeckContext, Sequence[Capability]], ToolBox]", module.DeckToolBox)
        return make(self.ctx, self.built)

    def into_tool_box(self) -> ToolBox:
        return self.tool_box()
