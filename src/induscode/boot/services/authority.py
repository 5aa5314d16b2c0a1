"""What one feature may do, asked anew at every use of a service."""

from __future__ import annotations

from induscode.errors import ServiceRefused
from induscode.feature.capability import AnyCapability, GrantPort
from induscode.feature.descriptor import FeatureId
from induscode.feature.diagnostic import Stage
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.limits import DIAGNOSTICS_MOST

__all__ = ["Authority"]


class Authority:
    """The grants of one feature, as its services see them. What is refused is recorded: each
    sentence once, so that a service that is asked again and again does not drown the rest."""

    def __init__(self, feature: FeatureId, grants: GrantPort, record: FeatureRecord) -> None:
        self.feature = feature
        self._grants = grants
        self._record = record
        self._noted: set[str] = set()

    def denial(self, capability: AnyCapability) -> str | None:
        return self._grants.denial(capability)

    def check(self, capability: AnyCapability) -> None:
        """Raises `ServiceRefused` without the grant."""
        if why := self._grants.denial(capability):
            message = f"{capability.text()} may not be used: {why}"
            self.note(message, "capability")
            raise ServiceRefused(message, hint="ask the user to grant it")

    def note(self, message: str, stage: Stage) -> None:
        if message in self._noted:
            return
        if len(self._noted) < DIAGNOSTICS_MOST:
            self._noted.add(message)
        self._record.note(message, stage)
