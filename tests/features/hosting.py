"""A host for tests of features: grants that can be withdrawn, sinks that remember, no services."""

from collections.abc import Callable
from typing import TypeVar

from induscode.feature.capability import AnyCapability, GrantPort
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.hosting.installed import FeatureRegistry
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.hosting.sinks import SinkPaths
from induscode.feature.registry import (
    FeatureHost,
    FeatureModule,
    FeatureRegistryBuilder,
    Package,
)
from induscode.feature.service_state import Migration, StateDirectory
from induscode.feature.services import Denied, ServicePort, Unavailable

__all__ = ["Grants", "NoServices", "TestHost", "package"]

Service = TypeVar("Service")
ServicesMaker = Callable[[FeatureId, GrantPort, FeatureRecord], ServicePort]
DIGEST = "d" * 64


class Grants:
    """A `GrantPort`: what is named, or everything, less what was withdrawn."""

    def __init__(self, *capabilities: AnyCapability, everything: bool = False) -> None:
        self._given = capabilities
        self._everything = everything
        self._withdrawn: list[AnyCapability] = []

    def denial(self, capability: AnyCapability) -> str | None:
        if any(_takes(withdrawn, capability) for withdrawn in self._withdrawn):
            return "it was withdrawn"
        if self._everything or any(given.covers(capability) for given in self._given):
            return None
        return "nobody granted it"

    def withdraw(self, capability: AnyCapability) -> None:
        """Whatever needs one of its flags, or itself where it has none, is denied from now on."""
        self._withdrawn.append(capability)


class NoServices:
    """A `ServicePort` that has nothing: denied or unavailable, as the grants say."""

    def __init__(self, feature: FeatureId, grants: GrantPort, record: FeatureRecord) -> None:
        self._grants = grants

    def provide(self, wanted: AnyCapability, kind: type[Service]) -> Service | Denied | Unavailable:
        why = self._grants.denial(wanted)
        return Denied(wanted, why) if why else Unavailable(wanted.text(), "not in this test")

    def state(
        self, version: int, migrate: Migration | None
    ) -> StateDirectory | Denied | Unavailable:
        return Unavailable("state", "not in this test")

    def start_task(self, name: str) -> bool | Denied:
        return False


class TestHost:
    """`notices` and `alerts` hold (feature, text) as they went out, `told` what a person was told
    of the host's own diagnostics. `grants_of` has the grants of single features by id; all others
    have `grants`, which are everything unless given."""

    __test__ = False

    def __init__(self, grants: Grants | None = None, services: ServicesMaker | None = None) -> None:
        self.grants = grants or Grants(everything=True)
        self.grants_of: dict[str, Grants] = {}
        self.notices: list[tuple[str, str]] = []
        self.alerts: list[tuple[str, str]] = []
        self.told: list[tuple[str, str]] = []
        self.spilled: list[tuple[str, str]] = []
        self._services = services or NoServices

    @property
    def paths(self) -> SinkPaths:
        return SinkPaths(self._notify, lambda *said: self.alerts.append(said), self._spill)

    def record(self, feature: str) -> FeatureRecord:
        return FeatureRecord(
            feature,
            now=lambda: "2030-01-01T00:00:00.000Z",
            clean=str,
            told=lambda *said: self.told.append(said),
        )

    def host(self) -> FeatureHost:
        return FeatureHost(self._grants, self._services, self.paths, self.record)

    def registry(self, *packages: Package) -> FeatureRegistry:
        """All of them, installed in this order."""
        builder = FeatureRegistryBuilder(self.host())
        for one in packages:
            builder.add(one)
        return builder.install()

    def _grants(self, made: FeatureDescriptor, *_: object) -> GrantPort:
        return self.grants_of.get(str(made.id), self.grants)

    async def _notify(self, feature: str, text: str) -> None:
        self.notices.append((feature, text))

    def _spill(self, feature: str, text: str) -> str:
        self.spilled.append((feature, text))
        return f"spill {len(self.spilled)}"


def package(
    module: FeatureModule, *, source: str = "builtin", digest: str = DIGEST, ours: bool = True
) -> Package:
    return Package(module, digest, source, f"{source} package", ours=ours)


def _takes(withdrawn: AnyCapability, wanted: AnyCapability) -> bool:
    """Whether `wanted` needs something of what was withdrawn."""
    if type(withdrawn) is not type(wanted):
        return False
    flags = [name for name in wanted.__struct_fields__ if type(getattr(wanted, name)) is bool]
    others = [name for name in wanted.__struct_fields__ if name not in flags]
    if any(getattr(withdrawn, name) != getattr(wanted, name) for name in others):
        return False
    return not flags or any(getattr(withdrawn, name) and getattr(wanted, name) for name in flags)
