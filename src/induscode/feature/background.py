"""Background tasks: registered by a feature; started, watched, cancelled, reported by the host."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from induscode.feature.capability import AnyCapability
from induscode.feature.diagnostic import FeatureDiagnosticSink
from induscode.feature.lending import Lease, lent
from induscode.feature.notify import FeatureAlertSink, FeatureNotifySink
from induscode.feature.services import FeatureServiceProvider
from induscode.kernel.cancel import CancelToken

__all__ = [
    "BackgroundTaskContribution",
    "BackgroundTaskDeclaration",
    "BackgroundTaskRegistrar",
    "FeatureTask",
    "FeatureTaskContext",
    "FeatureTaskId",
    "RestartPolicy",
    "ShutdownPolicy",
    "TaskActivation",
    "TaskPort",
]

FeatureTaskId = str


class TaskActivation(StrEnum):
    SESSION_LIFETIME = "session-lifetime"
    ON_DEMAND = "on-demand"


class RestartPolicy(Struct, frozen=True):
    """How often a task that failed is started again, and after how many seconds the first time;
    each further wait is twice as long. A task that ended well is never started again."""

    attempts: int = 0
    seconds: float = 1.0

    @classmethod
    def never(cls) -> RestartPolicy:
        return cls(0)

    @classmethod
    def on_failure(cls, attempts: int, *, seconds: float = 1.0) -> RestartPolicy:
        return cls(attempts, seconds)


class ShutdownPolicy(Struct, frozen=True):
    """How long a task may take to end after it was told to, before it is cut off."""

    seconds: float = 2.0


class FeatureTaskContext(Struct, frozen=True):
    """All that a task has. Its handles are taken back when it must be over."""

    cancellation: CancelToken
    notify: FeatureNotifySink
    alerts: FeatureAlertSink
    diagnostics: FeatureDiagnosticSink
    services: FeatureServiceProvider


class FeatureTask(Protocol):
    async def run(self, context: FeatureTaskContext) -> None: ...


class BackgroundTaskDeclaration(Struct, frozen=True):
    id: FeatureTaskId
    description: str = ""


class BackgroundTaskContribution(Struct, frozen=True):
    id: FeatureTaskId
    task: FeatureTask
    description: str = ""
    activation: TaskActivation = TaskActivation.SESSION_LIFETIME
    restart: RestartPolicy = RestartPolicy()
    shutdown: ShutdownPolicy = ShutdownPolicy()
    required_capabilities: tuple[AnyCapability, ...] = ()
    feature_id: str = ""

    @classmethod
    def session_lifetime(
        cls, name: FeatureTaskId, task: FeatureTask, description: str = ""
    ) -> BackgroundTaskContribution:
        return cls(name, task, description)


class TaskPort(Protocol):
    def task(self, contribution: BackgroundTaskContribution) -> None: ...


class BackgroundTaskRegistrar:
    __slots__ = ("lease",)

    def __init__(self, lease: Lease[TaskPort]) -> None:
        self.lease = lease

    def register(self, contribution: BackgroundTaskContribution) -> None:
        """Only notes the task; the host starts it. Raises as `ToolRegistrar.register` does."""
        lent(self.lease).task(contribution)
