"""What the host notes about one feature while it is installed and while it runs, bounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from induscode.feature.diagnostic import FeatureDiagnostic, Stage
from induscode.feature.limits import DIAGNOSTIC_CHARACTERS, DIAGNOSTICS_MOST

__all__ = ["FeatureRecord"]


class FeatureRecord:
    """The diagnostics of one feature, spoken of by `label` until its id is known. `told` hears each
    that the host itself made: a person sees a fault without asking for it."""

    def __init__(
        self,
        feature: str,
        *,
        now: Callable[[], str],
        clean: Callable[[str], str],
        told: Callable[[str, str], None],
    ) -> None:
        self.label = feature
        self.feature = feature
        self.diagnostics: list[FeatureDiagnostic] = []
        self.suppressed = 0
        self.clean = clean
        self._now = now
        self._told = told

    def note(self, message: str, stage: Stage) -> None:
        """The host's own words about the feature."""
        if self._keep(message, stage, "host"):
            self._told(self.feature, self.diagnostics[-1].message)

    def heard(self, message: str) -> bool:
        """The feature's words; False when it has said enough."""
        return self._keep(message, "runtime", "feature")

    def _keep(self, message: str, stage: Stage, by: Literal["host", "feature"]) -> bool:
        if len(self.diagnostics) >= DIAGNOSTICS_MOST:
            self.suppressed += 1
            return False
        text = self.clean(message)
        if len(text) > DIAGNOSTIC_CHARACTERS:
            text = text[: DIAGNOSTIC_CHARACTERS - 1] + "…"
        self.diagnostics.append(FeatureDiagnostic(text, stage, by, self._now()))
        return True
