"""The handles of one feature: what stands behind them is made once, each loan of it is new.

Bounds are counted behind them, so that a task that is started again does not begin to count anew.
"""

from __future__ import annotations

from msgspec import Struct

from induscode.feature.capability import CapabilityGrantSet, GrantPort
from induscode.feature.diagnostic import FeatureDiagnosticSink
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.hosting.sinks import Alerts, Diagnostics, Notices, SinkPaths
from induscode.feature.lending import lend, take_back
from induscode.feature.notify import FeatureAlertSink, FeatureNotifySink
from induscode.feature.services import FeatureServiceProvider, ServicePort

__all__ = ["FeaturePorts", "Handles"]


class Handles(Struct, frozen=True):
    """One loan: for the session, or for one run of a task."""

    grants: CapabilityGrantSet
    notify: FeatureNotifySink
    alerts: FeatureAlertSink
    diagnostics: FeatureDiagnosticSink
    services: FeatureServiceProvider

    def take_back(self) -> None:
        """All of them, and every service that was had through them, refuse from now on."""
        for handle in (self.grants, self.notify, self.alerts, self.diagnostics, self.services):
            take_back(handle.lease)


class FeaturePorts:
    """What stands behind the handles of one feature, as long as the session."""

    def __init__(
        self, grants: GrantPort, record: FeatureRecord, paths: SinkPaths, services: ServicePort
    ) -> None:
        self._grants = grants
        self._notices = Notices(record, grants, paths)
        self._alerts = Alerts(record, grants, paths)
        self._diagnostics = Diagnostics(record, grants)
        self._services = services

    def lend(self) -> Handles:
        return Handles(
            grants=CapabilityGrantSet(lend(self._grants)),
            notify=FeatureNotifySink(lend(self._notices)),
            alerts=FeatureAlertSink(lend(self._alerts)),
            diagnostics=FeatureDiagnosticSink(lend(self._diagnostics)),
            services=FeatureServiceProvider(lend(self._services)),
        )
