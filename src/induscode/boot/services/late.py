"""Services that are built when a feature first asks for one: most never do."""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar

from induscode.boot.services.roots import ServiceRoots
from induscode.feature.capability import AnyCapability, GrantPort
from induscode.feature.descriptor import FeatureId
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.service_state import Migration, StateDirectory
from induscode.feature.services import Denied, ServicePort, Unavailable

__all__ = ["LateServices"]

Service = TypeVar("Service")


class LateServices:
    """`HostServices`, loaded when needed."""

    def __init__(
        self, feature: FeatureId, grants: GrantPort, record: FeatureRecord, roots: ServiceRoots
    ) -> None:
        self._parts = (feature, grants, record, roots)

    @cached_property
    def _services(self) -> ServicePort:
        from induscode.boot.services.provider import HostServices

        return HostServices(*self._parts)

    def provide(self, wanted: AnyCapability, kind: type[Service]) -> Service | Denied | Unavailable:
        return self._services.provide(wanted, kind)

    def state(
        self, version: int, migrate: Migration | None
    ) -> StateDirectory | Denied | Unavailable:
        return self._services.state(version, migrate)

    def start_task(self, name: str) -> bool | Denied:
        return self._services.start_task(name)
