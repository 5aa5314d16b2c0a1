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

__all__ = ["Alerts", "Diagnostics", "Notices", "SinkPaths"]


class SinkPaths(Struct, frozen=True):
    """The host's own paths, each given the feature and the text: `notify` commits an entry before
    it returns, `alert` shows a line, `spill` keeps a long text and returns where."""

    notify: Callable[[str, str], Awaitable[None]]
    alert: Callable[[str, str], None]
    spill: Callable[[str, str], str]


class Notices:
    def __init__(self, record: FeatureRecord, grants: GrantPort, paths: SinkPaths) -> None:
        self._record = record
        self._grants = grants
        self._paths = paths
        self._count = 0

    async def notify(self, text: str) -> bool:
        if why := self._grants.denial(EmitModelNotification()):
            self._record.note(f"a notice was refused: {why}", "capability")
            return False
        self._count += 1
        if self._count > NOTICES_MOST:
            if self._count == NOTICES_MOST + 1:
                self._record.note(f"more than {NOTICES_MOST} notices; further are left out", "hook")
            return False
        feature, text = self._record.feature, plain(text)
        if len(text) > NOTICE_CHARACTERS:
            where = self._paths.spill(feature, text)
            text = f"{text[:NOTICE_CHARACTERS]}\n[cut; the whole text is in {where}]"
        with no_errand():
            await self._paths.notify(feature, text)
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
