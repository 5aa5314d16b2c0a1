"""Files and commands for one call: the ones that the host allowed, and nothing else.

A tool works out its paths again when it runs. These wrappers stand between it and the machine and
ask the host once more about the place that it really came to, so that a link swapped between the
judgement and the deed, or a tool that reaches further than its call said, changes nothing.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import Filesystem, Progress, Shell, ShellOutcome, Spawned
from induscode.policy.subject import Access, CommandSubject, Subject

__all__ = ["GuardedFilesystem", "GuardedShell", "Reach"]

Reach = Callable[[Path, Access], bool]
"""Whether a call may touch this place (every link followed) in this way."""


class GuardedFilesystem:
    """`files` within reach. Raises PermissionError for what is not."""

    def __init__(self, files: Filesystem, reach: Reach) -> None:
        self._files = files
        self._reach = reach

    def read(self, path: Path) -> bytes:
        return self._files.read(self._checked(path, Access.READ))

    def open(self, path: Path) -> BinaryIO:
        return self._files.open(self._checked(path, Access.READ))

    def write(self, path: Path, data: bytes) -> None:
        self._files.write(self._checked(path, Access.WRITE), data)

    def is_file(self, path: Path) -> bool:
        return self._reach(path, Access.READ) and self._files.is_file(path)

    def is_dir(self, path: Path) -> bool:
        return self._reach(path, Access.READ) and self._files.is_dir(path)

    def names(self, path: Path) -> tuple[str, ...]:
        return self._files.names(self._checked(path, Access.READ))

    def _checked(self, path: Path, access: Access) -> Path:
        if self._reach(path, access):
            return path
        raise PermissionError(errno.EACCES, "this call was not allowed there", str(path))


class GuardedShell:
    """`shell` for the command that was judged, in the directory where it was judged."""

    def __init__(self, shell: Shell, subject: Subject) -> None:
        self._shell = shell
        self._subject = subject

    async def run(
        self,
        command: str,
        *,
        cwd: Path,
        seconds: float,
        cancel: CancelToken,
        progress: Progress,
        apart: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> ShellOutcome:
        """Raises PermissionError for any other command or place."""
        self._check(command, cwd)
        return await self._shell.run(
            command,
            cwd=cwd,
            seconds=seconds,
            cancel=cancel,
            progress=progress,
            apart=apart,
            environment=environment,
        )

    async def spawn(
        self,
        command: str,
        *,
        cwd: Path,
        apart: bool = False,
        detached: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> Spawned:
        """Raises PermissionError as `run` does."""
        self._check(command, cwd)
        return await self._shell.spawn(
            command, cwd=cwd, apart=apart, detached=detached, environment=environment
        )

    def _check(self, command: str, cwd: Path) -> None:
        subject = self._subject
        if not isinstance(subject, CommandSubject) or subject.command != command:
            raise PermissionError(errno.EACCES, "this call was not allowed to run that command")
        if subject.cwd != cwd:
            raise PermissionError(errno.EACCES, "this call was not allowed to run there", str(cwd))
