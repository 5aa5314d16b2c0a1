"""Tools as contributions: declared by name, registered once, called like every other tool."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from induscode.feature.capability import AnyCapability
from induscode.feature.lending import Lease, lent
from induscode.kernel.tool import AgentTool

__all__ = ["ToolContribution", "ToolDeclaration", "ToolName", "ToolPort", "ToolRegistrar"]

ToolName = str


class ToolDeclaration(Struct, frozen=True):
    """A tool that a feature may contribute, by the name the model will see."""

    name: ToolName
    required_capabilities: tuple[AnyCapability, ...] = ()


class ToolContribution(Struct, frozen=True):
    """A tool for the model. What `definition` says of itself (its kind, being read-only) is not
    believed: the host classifies it. `feature_id` is filled in by the host."""

    name: ToolName
    definition: AgentTool
    required_capabilities: tuple[AnyCapability, ...] = ()
    feature_id: str = ""


class ToolPort(Protocol):
    def tool(self, contribution: ToolContribution) -> None: ...


class ToolRegistrar:
    __slots__ = ("lease",)

    def __init__(self, lease: Lease[ToolPort]) -> None:
        self.lease = lease

    def register(self, contribution: ToolContribution) -> None:
        """Raises `FeatureInstallError` for a tool that was not declared or is not what was
        declared, and `HandleClosed` after installation."""
        lent(self.lease).tool(contribution)
