"""Pieces of the system prompt that belong to a feature."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from induscode.feature.capability import AnyCapability
from induscode.feature.lending import Lease, lent

__all__ = ["FragmentContribution", "FragmentDeclaration", "FragmentPort", "FragmentRegistrar"]


class FragmentDeclaration(Struct, frozen=True):
    """`slot` is the section of the prompt that it follows (docs/briefing.md has their ids); with
    any other it stands before the footer. `characters` is the most it may take."""

    name: str
    slot: str = "features"
    characters: int = 1_000


class FragmentContribution(Struct, frozen=True):
    name: str
    text: str
    required_capabilities: tuple[AnyCapability, ...] = ()
    feature_id: str = ""


class FragmentPort(Protocol):
    def fragment(self, contribution: FragmentContribution) -> None: ...


class FragmentRegistrar:
    __slots__ = ("lease",)

    def __init__(self, lease: Lease[FragmentPort]) -> None:
        self.lease = lease

    def register(self, contribution: FragmentContribution) -> None:
        """Raises as `ToolRegistrar.register` does; also for a text over its declared bound."""
        lent(self.lease).fragment(contribution)
