"""What the host does on behalf of a feature, each service narrow and behind its grant.

Asking for a service is answered with the service, `Denied` or `Unavailable`: values, not
exceptions, because a feature must be able to do without. Every method of a service asks for the
grant again, so that a handle held since before a withdrawal refuses with `ServiceRefused`.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from msgspec import Struct

from induscode.errors import ServiceRefused
from induscode.feature.capability import (
    AnyCapability,
    ContributeCommand,
    Delegation,
    MemoryStore,
    Network,
    NetworkPurpose,
    ScopedFs,
    SecretRef,
    SendMessage,
    SetModel,
    SetThinking,
    WorkItemStore,
)
from induscode.feature.lending import Lease, lent, under
from induscode.feature.service_command import CommandRan, CommandShell
from induscode.feature.service_files import ScopedFiles
from induscode.feature.service_memory import Notes
from induscode.feature.service_secret import SecretService
from induscode.feature.service_session import SessionControl
from induscode.feature.service_state import Migration, StateDirectory
from induscode.feature.service_work_items import WorkItems

__all__ = [
    "CommandRan",
    "CommandShell",
    "Denied",
    "FeatureServiceProvider",
    "Migration",
    "Notes",
    "ScopedFiles",
    "SecretService",
    "ServicePort",
    "ServiceRefused",
    "SessionControl",
    "StateDirectory",
    "Unavailable",
    "WorkItems",
]

Service = TypeVar("Service")


class Denied(Struct, frozen=True, tag="denied"):
    """The grant is missing."""

    capability: AnyCapability
    reason: str


class Unavailable(Struct, frozen=True, tag="unavailable"):
    """Granted, and yet there is no such service here."""

    service: str
    reason: str


class ServicePort(Protocol):
    """The host's side: looks at the grant, records a diagnostic for every no, and builds."""

    def provide(
        self, wanted: AnyCapability, kind: type[Service]
    ) -> Service | Denied | Unavailable: ...

    def state(
        self, version: int, migrate: Migration | None
    ) -> StateDirectory | Denied | Unavailable: ...

    def start_task(self, name: str) -> bool | Denied: ...


class FeatureServiceProvider:
    """One method per service. Each raises `HandleClosed` once what this was given for (the session,
    the run of a task) is over; the services that were had through it do so too."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[ServicePort]) -> None:
        self.lease = lease

    def files(self, wanted: ScopedFs) -> ScopedFiles | Denied | Unavailable:
        """Files of the workspace, and commands in it, as far as `wanted` says and no further."""
        return under(self.lease, lent(self.lease).provide(wanted, ScopedFiles))

    def work_item_store(self, wanted: WorkItemStore) -> WorkItems | Denied | Unavailable:
        return under(self.lease, lent(self.lease).provide(wanted, WorkItems))

    def memory(self, wanted: MemoryStore) -> Notes | Denied | Unavailable:
        return under(self.lease, lent(self.lease).provide(wanted, Notes))

    def delegation(self, wanted: Delegation) -> Denied | Unavailable:
        return lent(self.lease).provide(wanted, Unavailable)

    def network(self, purpose: NetworkPurpose) -> Denied | Unavailable:
        return lent(self.lease).provide(Network(purpose), Unavailable)

    def secret(self, name: str) -> SecretService | Denied | Unavailable:
        return under(self.lease, lent(self.lease).provide(SecretRef(name), SecretService))

    def session(
        self, wanted: SendMessage | SetModel | SetThinking
    ) -> SessionControl | Denied | Unavailable:
        """The session that runs, as far as `wanted` says. A delegate keeps the model that it was
        sent with."""
        return under(self.lease, lent(self.lease).provide(wanted, SessionControl))

    def command_shell(self, name: str) -> CommandShell | Denied | Unavailable:
        """The shell, for the command `name` of this feature whenever a person types it."""
        return under(self.lease, lent(self.lease).provide(ContributeCommand(name), CommandShell))

    def state(
        self, version: int, migrate: Migration | None = None
    ) -> StateDirectory | Denied | Unavailable:
        """A durable directory of the feature's own, of this version of its content. `migrate` is
        called once, with a copy of what an older version left, and all of its changes count or
        none."""
        return under(self.lease, lent(self.lease).state(version, migrate))

    def start_task(self, name: str) -> bool | Denied:
        """Start an on-demand task of this feature; False when it runs already or is unknown."""
        return lent(self.lease).start_task(name)
