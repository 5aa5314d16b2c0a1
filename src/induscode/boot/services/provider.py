"""Services for one feature: the service, `Denied` or `Unavailable`; never an exception.

A grant is looked at when a service is handed out and again by the service at every use. What is
granted and not there says so; nothing is ever handed out in part.
"""

from __future__ import annotations

from typing import TypeVar

from induscode.boot.services.authority import Authority
from induscode.boot.services.command_shell import TypedShell
from induscode.boot.services.files import Files
from induscode.boot.services.memory import Memory
from induscode.boot.services.roots import ServiceRoots
from induscode.boot.services.secret import Secret
from induscode.boot.services.session_control import Control, ControlBounds
from induscode.boot.services.state import open_state, state_key
from induscode.boot.services.work_items import WorkItemFiles
from induscode.errors import IndusError
from induscode.feature.capability import (
    AnyCapability,
    ContributeCommand,
    FeatureState,
    GrantPort,
    HostCapability,
    MemoryStore,
    RunBackgroundTask,
    ScopedFs,
    SecretRef,
    SendMessage,
    SetModel,
    SetThinking,
    WorkItemStore,
)
from induscode.feature.descriptor import FeatureId
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.hosting.sinks import NoticeBound
from induscode.feature.hosting.snapshot import is_a
from induscode.feature.lending import lend
from induscode.feature.service_command import CommandShell
from induscode.feature.service_files import ScopedFiles
from induscode.feature.service_memory import Notes
from induscode.feature.service_secret import SecretService
from induscode.feature.service_session import SessionControl
from induscode.feature.service_state import Migration, StateDirectory
from induscode.feature.service_work_items import WorkItems
from induscode.feature.services import Denied, Unavailable

__all__ = ["HostServices"]

Service = TypeVar("Service")
_NO_SESSION = "no session runs here"


class HostServices:
    """The port behind a `FeatureServiceProvider`, which takes back what it handed out."""

    def __init__(
        self, feature: FeatureId, grants: GrantPort, record: FeatureRecord, roots: ServiceRoots
    ) -> None:
        self._authority = Authority(feature, grants, record)
        self._roots = roots
        self._bounds = ControlBounds(NoticeBound(lambda name, text: str(roots.spill(name, text))))

    def provide(self, wanted: AnyCapability, kind: type[Service]) -> Service | Denied | Unavailable:
        if not is_a(wanted, HostCapability):
            return self._unavailable("service", "what was asked for is no capability")
        if denied := self._denied(wanted):
            return denied
        made = self._made(wanted)
        if isinstance(made, Unavailable | kind):
            return made
        return self._unavailable(wanted.text(), "another service was asked for by this name")

    def state(
        self, version: int, migrate: Migration | None
    ) -> StateDirectory | Denied | Unavailable:
        if denied := self._denied(FeatureState()):
            return denied
        roots, feature = self._roots, self._authority.feature
        folder = roots.state / state_key(feature, roots.workspace)
        try:
            return StateDirectory(lend(open_state(folder, version, migrate, self._authority)))
        except (IndusError, OSError) as error:
            return self._unavailable(FeatureState().text(), str(error))

    def start_task(self, name: str) -> bool | Denied:
        if denied := self._denied(RunBackgroundTask()):
            return denied
        return self._roots.start_task(str(self._authority.feature), name)

    def _made(self, wanted: AnyCapability) -> object:
        roots = self._roots
        match wanted:
            case ScopedFs():
                return ScopedFiles(lend(Files(self._authority, wanted, roots)))
            case WorkItemStore():
                if roots.work_items is None:
                    return self._unavailable(wanted.text(), "there is no place for work items here")
                items = WorkItemFiles(self._authority, wanted, roots.work_items, roots.clock)
                return WorkItems(lend(items))
            case SecretRef():
                return self._secret(wanted)
            case MemoryStore():
                if roots.memory is None:
                    return self._unavailable(wanted.text(), "there is no place for notes here")
                return Notes(lend(Memory(self._authority, wanted, roots.memory)))
            case ContributeCommand():
                return self._command_shell(wanted)
            case SendMessage() | SetModel() | SetThinking():
                return self._control(wanted)
            case _:
                return self._unavailable(wanted.text(), "the host does not have this service yet")

    def _command_shell(self, wanted: ContributeCommand) -> CommandShell | Unavailable:
        session = self._roots.session
        if session is None:
            return self._unavailable(wanted.text(), _NO_SESSION)
        return CommandShell(lend(TypedShell(self._authority, wanted, session, self._roots.spill)))

    def _control(
        self, wanted: SendMessage | SetModel | SetThinking
    ) -> SessionControl | Unavailable:
        session = self._roots.session
        if session is None:
            return self._unavailable(wanted.text(), _NO_SESSION)
        if session.settled and not isinstance(wanted, SendMessage):
            return self._unavailable(wanted.text(), "a delegate keeps the model it was sent with")
        return SessionControl(lend(Control(self._authority, wanted, session, self._bounds)))

    def _secret(self, wanted: SecretRef) -> SecretService | Unavailable:
        roots = self._roots
        try:
            found = roots.find_secret(wanted.id) is not None
        except (IndusError, OSError) as error:
            return self._unavailable(wanted.text(), f"it cannot be looked up: {error}")
        if not found:
            return self._unavailable(wanted.text(), "no secret of this name is stored")
        return SecretService(lend(Secret(self._authority, wanted, roots.find_secret, roots.hide)))

    def _denied(self, wanted: AnyCapability) -> Denied | None:
        why = self._authority.denial(wanted)
        if why is None:
            return None
        self._authority.note(f"{wanted.text()} was denied: {why}", "capability")
        return Denied(wanted, why)

    def _unavailable(self, service: str, reason: str) -> Unavailable:
        self._authority.note(f"{service} is unavailable: {reason}", "capability")
        return Unavailable(service, reason)
