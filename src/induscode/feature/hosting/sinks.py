"""What stands behind a feature's sinks: the grant, the bound, and then the host's own path."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import Struct

from induscode.feature.capability import (
    EmitAlert,
    EmitDiagnostic,
    EmitModelNotification,
    GrantPort,
)
from induscode.feature.hosting.foreign import plain
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.lending import no_errand
from induscode.feature.limits import (
    ALERT_CHARACTERS,
    ALERTS_MOST,
    NOTICE_CHARACTERS,
    NOTICES_MOST,
)

__all__ = ["Alerts", "Diagnostics", "NoticeBound", "Notices", "SinkPaths"]


class SinkPaths(Struct, frozen=True):
    """The host's own paths, each given the feature and the text: `notify` commits an entry before
    it returns, `alert` shows a line, `spill` keeps a long text and returns where."""

    notify: Callable[[str, str], Awaitable[None]]
    alert: Callable[[str, str], None]
    spill: Callable[[str, str], str]


class NoticeBound:
    """How much one feature may put in front of the model. `spill` keeps what is too long."""

    def __init__(self, spill: Callable[[str, str], str]) -> None:
        self.count = 0
        self._spill = spill

    def fit(self, feature: str, text: str) -> str | None:
        """The text as it may be said; None when the feature has said enough."""
        self.count += 1
        if self.count > NOTICES_MOST:
            return None
        if len(text) <= NOTICE_CHARACTERS:
            return text
        where = self._spill(feature, text)
        return f"{text[:NOTICE_CHARACTERS]}\n[cut; the whole text is in {where}]"


class Notices:
    def __init__(self, record: FeatureRecord, grants: GrantPort, paths: SinkPaths) -> None:
        self._record = record
        self._grants = grants
        self._paths = paths
        self._bound = NoticeBound(paths.spill)

    async def notify(self, text: str) -> bool:
        if why := self._grants.denial(EmitModelNotification()):
            self._record.note(f"a notice was refused: {why}", "capability")
            return False
        fit = self._bound.fit(self._record.feature, plain(text))
        if fit is None:
            if self._bound.count == NOTICES_MOST + 1:
                self._record.note(f"more than {NOTICES_MOST} notices; further are left out", "hook")
            return False
        with no_errand():
            await self._paths.notify(self._record.feature, fit)
        return True


class Alerts:
    def __init__(self, record: FeatureRecord, grants: GrantPort, paths: SinkPaths) -> None:
        self._record = record
        self._grants = grants
        self._paths = paths
        self._count = 0

    def alert(self, text: str) -> bool:
        if why := self._grants.denial(EmitAlert()):
            self._record.note(f"an alert was refused: {why}", "capability")
            return False
        self._count += 1
        if self._count > ALERTS_MOST:
            if self._count == ALERTS_MOST + 1:
                self._record.note(f"more than {ALERTS_MOST} alerts; further are left out", "hook")
            return False
        text = plain(text)
        cut = text if len(text) <= ALERT_CHARACTERS else text[: ALERT_CHARACTERS - 1] + "…"
        with no_errand():
            self._paths.alert(self._record.feature, cut)
        return True


class Diagnostics:
    def __init__(self, record: FeatureRecord, grants: GrantPort) -> None:
        self._record = record
        self._grants = grants

    def record(self, message: str) -> bool:
        if self._grants.denial(EmitDiagnostic()) is not None:
            return False
        return self._record.heard(plain(message))
