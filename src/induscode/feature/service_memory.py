"""The notes of the workspace, as `memory` keeps them."""

from __future__ import annotations

from typing import Protocol

from induscode.feature.lending import Lease, lent

__all__ = ["Notes", "NotesPort"]


class NotesPort(Protocol):
    def read(self) -> str: ...

    def replace(self, content: str) -> None: ...

    def append(self, content: str) -> None: ...


class Notes:
    """One text that outlives the session. Reading and changing it are granted apart; methods raise
    `ServiceRefused` without the grant, or where the text cannot be kept, and `HandleClosed`."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[NotesPort]) -> None:
        self.lease = lease

    def read(self) -> str:
        return lent(self.lease).read()

    def replace(self, content: str) -> None:
        lent(self.lease).replace(content)

    def append(self, content: str) -> None:
        """`content` begins a new line."""
        lent(self.lease).append(content)
