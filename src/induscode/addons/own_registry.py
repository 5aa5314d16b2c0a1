"""The registry that a host of addons has for itself: that of features, with no session behind it.

Whose a name is, is decided there and nowhere else. Here is what belongs to the host, and how what
was left out is told as a fault.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

from induscode.addons.contract import AddonFault, AddonFaultKind, AddonId
from induscode.errors import ServiceRefused
from induscode.feature.capability import AnyCapability
from induscode.feature.diagnostic import FeatureInstallReport, SkippedContribution
from induscode.feature.hosting.given import GivenGrants
from induscode.feature.hosting.installed import FeatureRegistry
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.hosting.sinks import SinkPaths
from induscode.feature.registry import FeatureHost, FeatureRegistryBuilder, Package
from induscode.feature.service_state import Migration, StateDirectory
from induscode.feature.services import Denied, Unavailable
from induscode.kernel.clock import SystemClock, iso

__all__ = ["faults_in", "own_registry"]

_HOST = "the host"
_NO_SESSION = "there is no session"
Service = TypeVar("Service")


def own_registry(
    packages: Sequence[Package], commands: Collection[str], tools: Collection[str]
) -> FeatureRegistry:
    """All of them, installed in this order. `commands` and `tools` are names of the host."""
    clock = SystemClock()
    host = FeatureHost(
        grants=_no_grants,
        services=_NoServices,
        paths=SinkPaths(_unheard, _ignore, _unkept),
        record=lambda label: FeatureRecord(
            label, now=lambda: iso(clock.now_ms()), clean=str, told=_ignore
        ),
        commands=dict.fromkeys(commands, _HOST),
        tools=dict.fromkeys(tools, _HOST),
    )
    builder = FeatureRegistryBuilder(host)
    for package in packages:
        builder.add(package)
    return builder.install()


def faults_in(report: FeatureInstallReport, addon: AddonId) -> Iterator[AddonFault]:
    """What is not there of an addon, each with the reason."""
    if not report.enabled:
        said = report.diagnostics[0].message if report.diagnostics else "it is not installed"
        yield AddonFault(AddonFaultKind.REGISTER, said, addon=addon)
        return
    for one in report.skipped_contributions:
        kind = AddonFaultKind.CONFLICT if one.owner else AddonFaultKind.REGISTER
        yield AddonFault(kind, _told(one, addon), addon=addon)


def _told(one: SkippedContribution, addon: AddonId) -> str:
    is_command = one.kind == "command"
    what = f"/{one.name}" if is_command else f"the {one.kind} {one.name}"
    if not one.owner:
        return f"{what} of {addon} is left out: {one.reason}"
    if one.owner != _HOST:
        return f"{what} of {addon} is left out: {one.owner.rpartition(':')[2]} offers it already"
    if is_command:
        return f"{what} is reserved for the host"
    return f"{what} of {addon} is left out: a built-in has that name"


def _no_grants(*_: object) -> GivenGrants:
    """Every package comes with its own."""
    return GivenGrants(())


class _NoServices:
    def __init__(self, *_: object) -> None:
        """There is nothing to give, to whomever."""

    def provide(self, wanted: AnyCapability, kind: type[Service]) -> Service | Unavailable:
        del kind
        return Unavailable(wanted.text(), _NO_SESSION)

    def state(self, version: int, migrate: Migration | None) -> StateDirectory | Unavailable:
        del version, migrate
        return Unavailable("state", _NO_SESSION)

    def start_task(self, name: str) -> bool | Denied:
        del name
        return False


async def _unheard(feature: str, text: str) -> None:
    raise _refusal(feature, text)


def _unkept(feature: str, text: str) -> str:
    raise _refusal(feature, text)


def _refusal(feature: str, text: str) -> ServiceRefused:
    return ServiceRefused(f"{feature}: {_NO_SESSION} for a text of {len(text)} characters")


def _ignore(feature: str, text: str) -> None:
    """Nobody is shown it: what counts is in the report."""
