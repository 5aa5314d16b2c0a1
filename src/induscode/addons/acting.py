"""What an addon of any tier may ask of us while it works."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from induscode.addons.contract import FrameworkHandles

__all__ = ["LOG_CHARACTERS", "HostCalls", "LogLevel", "StateStore"]

LOG_CHARACTERS = 2_000
"""Of one message that an addon logs; the rest is cut off."""


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class StateStore(Protocol):
    async def get(self, key: str) -> str | None: ...

    async def set(self, key: str, value: str | None) -> None:
        """None removes the key."""
        ...


class HostCalls(Struct, frozen=True):
    """What one addon was granted; None is no grant. A function that raises `ServiceRefused` or
    `HandleClosed` says that the grant was withdrawn; another `IndusError` or an OSError is told to
    the addon as the failure of its call. `log` needs no grant: it gets texts of at most
    `LOG_CHARACTERS`, with their secrets still in them."""

    handles: FrameworkHandles = FrameworkHandles()
    notify: Callable[[str], Awaitable[None]] | None = None
    state: StateStore | None = None
    log: Callable[[LogLevel, str], None] | None = None
