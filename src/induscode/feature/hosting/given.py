"""Grants that come with a feature: from a program that brings the feature itself."""

from __future__ import annotations

from induscode.feature.capability import AnyCapability

__all__ = ["GivenGrants"]


class GivenGrants:
    """Exactly what was named, and not what the feature asks for."""

    def __init__(self, capabilities: tuple[AnyCapability, ...]) -> None:
        self._capabilities = capabilities

    def denial(self, capability: AnyCapability) -> str | None:
        if any(held.covers(capability) for held in self._capabilities):
            return None
        return "the program that brought it did not grant it"
