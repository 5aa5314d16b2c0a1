"""What went wrong with an addon: told to listeners, never raised out of the host."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from induscode.addons.contract.events import AddonId
from induscode.errors import AddonAuthorError

__all__ = ["FAULT_CHARACTERS", "AddonFault", "AddonFaultKind", "AddonFaultListener"]

FAULT_CHARACTERS = 2_000
"""Of a fault's message; the rest is cut off with a mark."""


class AddonFaultKind(StrEnum):
    LOAD = "load"
    REGISTER = "register"
    HANDLER = "handler"
    COMMAND = "command"
    CONFLICT = "conflict"


class AddonFault(AddonAuthorError):
    """One failure: its kind, a message of one line, whose it is, and the error behind it."""

    def __init__(
        self,
        kind: AddonFaultKind,
        message: str,
        *,
        addon: AddonId | None = None,
        cause: BaseException | None = None,
    ) -> None:
        super().__init__(_one_line(message))
        self.kind = kind
        self.addon = addon
        self.cause = cause
        self.__cause__ = cause

    def with_addon(self, addon: AddonId) -> AddonFault:
        return AddonFault(self.kind, self.message, addon=addon, cause=self.cause)

    def with_cause(self, cause: BaseException) -> AddonFault:
        return AddonFault(self.kind, self.message, addon=self.addon, cause=cause)

    def __str__(self) -> str:
        whose = f" (addon: {_one_line(self.addon)})" if self.addon is not None else ""
        return f"[{self.kind.capitalize()}] {self.message}{whose}"


AddonFaultListener = Callable[[AddonFault], None]


def _one_line(text: str) -> str:
    """Without line breaks and other control characters: it is shown on terminals."""
    line = "".join(c if c.isprintable() else " " for c in text[: FAULT_CHARACTERS + 1])
    plain = " ".join(line.split())
    return plain if len(text) <= FAULT_CHARACTERS else plain[: FAULT_CHARACTERS - 1] + "…"
