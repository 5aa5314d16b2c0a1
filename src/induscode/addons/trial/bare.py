"""What a tool finds that is called in a trial: no files, no shell, nobody who listens."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import ShellOutcome, Spawned, ToolContext

__all__ = ["bare_context"]

_CALL = "sample/0"


def bare_context(cwd: Path) -> ToolContext:
    """An addon's tool works in its own program; what it says is all that counts here."""
    bare = _Bare()
    return ToolContext(
        cwd=cwd,
        fs=bare,
        shell=bare,
        cancel=CancelToken(),
        progress=lambda _: None,
        spill=lambda name, _text: Path("not-kept") / name,
        call=_CALL,
    )


class _Bare:
    """Every file and every command is refused."""

    def read(self, path: Path) -> bytes:
        _refuse()

    def open(self, path: Path) -> BinaryIO:
        _refuse()

    def write(self, path: Path, data: bytes) -> None:
        _refuse()

    def is_file(self, path: Path) -> bool:
        return False

    def is_dir(self, path: Path) -> bool:
        return False

    def names(self, path: Path) -> tuple[str, ...]:
        _refuse()

    async def spawn(self, command: str, **_how: Any) -> Spawned:
        _refuse()

    async def run(self, command: str, **_how: Any) -> ShellOutcome:
        _refuse()


def _refuse() -> NoReturn:
    raise PermissionError(errno.EACCES, "a tool that is tried out has no files and no shell")
