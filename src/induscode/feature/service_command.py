"""The shell, for a command that a person just typed."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from induscode.feature.lending import Lease, lent

__all__ = ["CommandRan", "CommandShell", "CommandShellPort"]


class CommandRan(Struct, frozen=True):
    """What a line said and how it ended. Each text is all of it, or its beginning and its end with
    a sentence between them that names the file with everything. `code` is None when the line did
    not end by itself; `note` says why, where something is to be said."""

    stdout: str
    stderr: str
    code: int | None
    note: str = ""


class CommandShellPort(Protocol):
    async def run(self, line: str) -> CommandRan: ...


class CommandShell:
    """Serves one command of the feature, from when a person types it until it has answered."""

    __slots__ = ("lease",)

    def __init__(self, lease: Lease[CommandShellPort]) -> None:
        self.lease = lease

    async def run(self, line: str) -> CommandRan:
        """Judged as the same `bash` call of the model would be: the person who typed the command is
        asked where that is so. The line that the command declares, with what was typed after its
        name (see `typed_line`), needs no further grant; any other line needs `scoped-fs(execute)`.
        Raises `ServiceRefused`, `HandleClosed`, `Cancelled` when the person stops it."""
        return await lent(self.lease).run(line)
