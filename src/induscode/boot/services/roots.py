"""What the services of all features stand on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from induscode.capability_deck.contract import MemoryStore
from induscode.kernel.clock import Clock, SystemClock
from induscode.kernel.tool import Shell
from induscode.policy.subject import CallView
from induscode.policy.verdict import Verdict

__all__ = ["FindSecret", "Hide", "Judge", "ServiceRoots"]

Judge = Callable[[CallView], Verdict]
"""The gate, as it judges the model's calls."""

FindSecret = Callable[[str], str | None]
"""The value that the user stored under a name, None when there is none."""

Hide = Callable[[str, str], None]
"""Tells the run's redaction that a value, under this name, must not be shown or kept."""


class ServiceRoots(Struct, frozen=True):
    """What the services of all features stand on. `state` holds one directory per feature and is
    outside the workspace; without `work_items` or `memory` that service is unavailable.
    `start_task` is given the feature and the name of its task."""

    workspace: Path
    state: Path
    work_items: Path | None
    judge: Judge
    shell: Shell
    find_secret: FindSecret
    hide: Hide
    start_task: Callable[[str, str], bool]
    memory: MemoryStore | None = None
    clock: Clock = SystemClock()
