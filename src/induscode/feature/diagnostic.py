"""What the host records about a feature: diagnostics, and the report of its installation.

All of it is safe to show: texts are cut to a bound, secrets are taken out by the host before they
get here, and nothing of the feature's own state is in it.
"""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from induscode.feature.capability import AnyCapability, CapabilityDenial, CapabilityRequest
from induscode.feature.lending import Lease, lent

__all__ = [
    "DiagnosticPort",
    "FeatureDiagnostic",
    "FeatureDiagnosticSink",
    "FeatureInstallReport",
    "SkippedContribution",
    "Stage",
]

Stage = Literal["install", "capability", "hook", "task", "runtime"]


class FeatureDiagnostic(Struct, frozen=True):
    """One operational record. `by` says who made it: the host, or the feature through its sink."""

    message: str
    stage: Stage = "runtime"
    by: Literal["host", "feature"] = "host"
    at: str = ""


class SkippedContribution(Struct, frozen=True):
    """A declared contribution that is not installed, and why. `owner` has the name, where that is
    why: the host's word for itself, or a feature."""

    kind: Literal["tool", "hook", "task", "command", "fragment"]
    name: str
    reason: str
    owner: str = ""


class FeatureInstallReport(Struct, frozen=True):
    """What became of one feature. `prompt_characters` is what it puts in front of the model in
    every request; `suppressed` counts diagnostics beyond the bound."""

    feature_id: str
    enabled: bool
    display_name: str = ""
    version: str = ""
    runtime: str = ""
    package: str = ""
    requested: tuple[CapabilityRequest, ...] = ()
    granted: tuple[AnyCapability, ...] = ()
    denied: tuple[CapabilityDenial, ...] = ()
    installed_tools: tuple[str, ...] = ()
    installed_hooks: tuple[str, ...] = ()
    installed_background_tasks: tuple[str, ...] = ()
    installed_commands: tuple[str, ...] = ()
    installed_fragments: tuple[str, ...] = ()
    skipped_contributions: tuple[SkippedContribution, ...] = ()
    diagnostics: tuple[FeatureDiagnostic, ...] = ()
    suppressed: int = 0
    tasks: dict[str, str] = {}
    prompt_characters: int = 0


class DiagnosticPort(Protocol):
    def record(self, message: str) -> bool:
        """False when the feature may not, or has said too much already."""
        ...


class FeatureDiagnosticSink:
    """Records for the host: shown by `indus feature list`, never to the model."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[DiagnosticPort]) -> None:
        self.lease = lease

    def record(self, message: str) -> bool:
        """Whether it was taken. Raises `HandleClosed`."""
        return lent(self.lease).record(message)
