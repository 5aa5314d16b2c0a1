"""What a component may call, and what stands behind it.

Every function of the world is there for every component, so that it can be loaded before anything
is granted; one that was not granted ends the component's call with a fault that names the grant.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from induscode.addons.contract import FrameworkHandles

__all__ = ["LogLevel", "WasmGrant", "WasmHost", "WasmState"]


class WasmGrant(StrEnum):
    """What an imported function needs. The log needs nothing: it only tells."""

    STATE = "state"
    NOTIFY = "notify"
    SEND_MESSAGE = "send-message"
    SET_MODEL = "set-model"
    SET_THINKING = "set-thinking"
    EXEC = "exec"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class WasmState(Protocol):
    async def get(self, key: str) -> str | None: ...

    async def set(self, key: str, value: str | None) -> None:
        """None removes the key."""
        ...


class WasmHost(Struct, frozen=True):
    """What one component was granted; None is no grant. A function that raises `ServiceRefused` or
    `HandleClosed` says that the grant was withdrawn; another `IndusError` or an OSError is told to
    the component as the failure of its call. What it logs goes to `log`, or nowhere."""

    log: Callable[[LogLevel, str], None] | None = None
    state: WasmState | None = None
    notify: Callable[[str], Awaitable[None]] | None = None
    handles: FrameworkHandles = FrameworkHandles()
