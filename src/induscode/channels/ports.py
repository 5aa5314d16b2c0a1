"""What a channel drives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from induscode.kernel.events import RunResult

__all__ = ["Driver", "Snapshot"]


class Snapshot(Struct, frozen=True):
    """Where a session stands; the totals are those of the whole session. `entries` counts what its
    log holds, `cost` is None when the price of some answer is not known."""

    session: str
    model: str
    mode: str
    cwd: str
    busy: bool
    unfinished: bool
    entries: int
    steps: int
    usage: dict[str, int]
    cost: float | None


class Driver(Protocol):
    """One running session. Every turn ends in a `RunResult`, whatever happened."""

    @property
    def session(self) -> str: ...

    @property
    def busy(self) -> bool: ...

    @property
    def unfinished(self) -> bool: ...

    def snapshot(self) -> Snapshot: ...

    def commands(self) -> Mapping[str, str]:
        """What features offer as `/name`, with a description."""
        ...

    async def submit(self, text: str) -> RunResult: ...

    async def go_on(self) -> RunResult: ...

    async def steer(self, text: str) -> None: ...

    async def compact(self) -> bool: ...

    def cancel(self, reason: str = ...) -> bool:
        """Stop what runs; False when nothing does."""
        ...
