"""Commands that a person can type, and the handles through which addons act."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec import Struct

from induscode.addons.contract.events import AddonId
from induscode.kernel.cancel import CancelToken

__all__ = [
    "AddonCommand",
    "AddonTask",
    "CommandContext",
    "CommandFn",
    "ExecOutcome",
    "FrameworkHandles",
    "TaskFn",
]


class ExecOutcome(Struct, frozen=True):
    """`code` is None when the command did not end by itself."""

    stdout: str
    stderr: str
    code: int | None


class FrameworkHandles(Struct, frozen=True):
    """All through which an addon acts on the session; None where a run mode has no such thing or
    the addon no grant for it."""

    send_message: Callable[[str], Awaitable[None]] | None = None
    set_model: Callable[[str], Awaitable[None]] | None = None
    set_thinking: Callable[[str], Awaitable[None]] | None = None
    exec: Callable[[str], Awaitable[ExecOutcome]] | None = None


class CommandContext(Struct, frozen=True):
    """`args` is what was typed after the command's name, as it was typed; `cwd` is absolute."""

    args: str
    cwd: Path
    handles: FrameworkHandles


CommandFn = Callable[[CommandContext], Awaitable[str | None]]
"""Returns what the person is told, None for nothing."""


class AddonCommand(Struct, frozen=True):
    """What a person can type after a slash; `name` is without the slash. Never for the model."""

    name: str
    summary: str
    addon: AddonId
    run: CommandFn


TaskFn = Callable[[CancelToken], Awaitable[None]]
"""Runs to its end, however long that takes; the token asks it to end."""


class AddonTask(Struct, frozen=True):
    """What runs beside the session; after a failure it is started again `restarts` times."""

    name: str
    addon: AddonId
    run: TaskFn
    description: str = ""
    restarts: int = 0
