"""Commands that a person gives at the prompt as `/name arguments`."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from induscode.feature.capability import AnyCapability
from induscode.feature.lending import Lease, lent

__all__ = [
    "CommandContribution",
    "CommandDeclaration",
    "CommandOutcome",
    "CommandPort",
    "CommandRegistrar",
    "FeatureCommand",
    "Say",
    "Submit",
]


class Say(Struct, frozen=True, tag="say"):
    """A text for the person. The model does not see it."""

    text: str


class Submit(Struct, frozen=True, tag="submit"):
    """A text that becomes the person's input, as if typed: an entry before the model sees it."""

    text: str


CommandOutcome = Say | Submit


class FeatureCommand(Protocol):
    async def run(self, arguments: str) -> CommandOutcome: ...


class CommandDeclaration(Struct, frozen=True):
    name: str
    description: str = ""


class CommandContribution(Struct, frozen=True):
    name: str
    command: FeatureCommand
    required_capabilities: tuple[AnyCapability, ...] = ()
    feature_id: str = ""


class CommandPort(Protocol):
    def command(self, contribution: CommandContribution) -> None: ...


class CommandRegistrar:
    __slots__ = ("lease",)

    def __init__(self, lease: Lease[CommandPort]) -> None:
        self.lease = lease

    def register(self, contribution: CommandContribution) -> None:
        """Raises as `ToolRegistrar.register` does."""
        lent(self.lease).command(contribution)
