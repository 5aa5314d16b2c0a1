"""A durable directory of a feature's own, with a version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from induscode.feature.lending import Lease, lent

__all__ = ["Migration", "StateDirectory", "StatePort"]


class StatePort(Protocol):
    def read(self, name: str) -> bytes | None: ...

    def write(self, name: str, data: bytes) -> None: ...

    def remove(self, name: str) -> bool: ...

    def names(self) -> tuple[str, ...]: ...


class StateDirectory:
    """Small files by name. A write is on disk, whole or not at all, when it returns. Methods raise
    `ServiceRefused`, `HandleClosed`, or OSError."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[StatePort]) -> None:
        self.lease = lease

    def read(self, name: str) -> bytes | None:
        """None when there is no such file."""
        return lent(self.lease).read(name)

    def write(self, name: str, data: bytes) -> None:
        lent(self.lease).write(name, data)

    def remove(self, name: str) -> bool:
        return lent(self.lease).remove(name)

    def names(self) -> tuple[str, ...]:
        return lent(self.lease).names()


Migration = Callable[[int, StateDirectory], None]
"""Given the version that was found and the directory as it was then, brings it up to date."""
