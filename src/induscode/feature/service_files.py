"""Files of the workspace, for a feature."""

from __future__ import annotations

from typing import Protocol

from induscode.feature.lending import Lease, lent
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import ShellOutcome

__all__ = ["FilesPort", "ScopedFiles"]


class FilesPort(Protocol):
    def read(self, path: str) -> bytes: ...

    def write(self, path: str, data: bytes) -> None: ...

    def names(self, path: str) -> tuple[str, ...]: ...

    async def run(self, command: str, *, seconds: float, cancel: CancelToken) -> ShellOutcome: ...


class ScopedFiles:
    """Paths are relative to the workspace and may not leave it. The gate judges every use as it
    judges the model's; what it would ask about is refused here. Methods raise `ServiceRefused`,
    `HandleClosed`, or OSError as the system does."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[FilesPort]) -> None:
        self.lease = lease

    def read(self, path: str) -> bytes:
        return lent(self.lease).read(path)

    def write(self, path: str, data: bytes) -> None:
        lent(self.lease).write(path, data)

    def names(self, path: str = ".") -> tuple[str, ...]:
        return lent(self.lease).names(path)

    async def run(
        self, command: str, *, seconds: float = 60.0, cancel: CancelToken | None = None
    ) -> ShellOutcome:
        """Its two streams come apart. In a session, the log says so before it runs."""
        return await lent(self.lease).run(command, seconds=seconds, cancel=cancel or CancelToken())
