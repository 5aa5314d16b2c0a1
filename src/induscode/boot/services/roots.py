"""What the services of all features stand on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from induscode.boot.services.typed import Typed
from induscode.capability_deck.contract import MemoryStore
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, SystemClock
from induscode.kernel.tool import Shell, ShellOutcome
from induscode.policy.subject import CallView
from induscode.policy.verdict import Verdict

__all__ = ["FindSecret", "Hide", "Judge", "ServiceRoots", "SessionReach", "Spill"]

Judge = Callable[[CallView], Verdict]
"""The gate, as it judges the model's calls."""

FindSecret = Callable[[str], str | None]
"""The value that the user stored under a name, None when there is none."""

Hide = Callable[[str, str], None]
"""Tells the run's redaction that a value, under this name, must not be shown or kept."""


Spill = Callable[[str, str], Path]
"""Keeps a text that is too long under a name, and returns where."""


class SessionReach(Protocol):
    """A session as services reach it, each time in the name of a feature. A `settled` one keeps its
    model. `typed` is the command that runs. Methods raise `ServiceRefused`."""

    @property
    def settled(self) -> bool: ...

    @property
    def typed(self) -> Typed: ...

    async def send(self, text: str, *, by: str) -> None: ...

    async def set_model(self, model: str, *, by: str) -> None: ...

    async def set_thinking(self, level: str, *, by: str) -> None: ...

    async def execute(self, line: str, *, by: str) -> ShellOutcome:
        """Raises `Cancelled` and OSError, too."""
        ...

    async def execute_unasked(
        self, call: CallView, *, seconds: float, by: str, cancel: CancelToken
    ) -> ShellOutcome:
        """A command of a feature that acts by itself. Raises as `execute` does."""
        ...


class ServiceRoots(Struct, frozen=True):
    """What the services of all features stand on. `state` holds one directory per feature and is
    outside the workspace; without `work_items`, `memory` or a `session` that service is
    unavailable. `start_task` is given the feature and the name of its task."""

    workspace: Path
    state: Path
    work_items: Path | None
    judge: Judge
    shell: Shell
    find_secret: FindSecret
    hide: Hide
    start_task: Callable[[str, str], bool]
    spill: Spill
    session: SessionReach | None = None
    memory: MemoryStore | None = None
    clock: Clock = SystemClock()
