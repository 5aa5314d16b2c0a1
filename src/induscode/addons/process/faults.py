"""What can go wrong with a subprocess addon, each with a kind of its own."""

from __future__ import annotations

from enum import StrEnum

from induscode.errors import AddonAuthorError

__all__ = ["ProcessFault", "ProcessFaultKind"]


class ProcessFaultKind(StrEnum):
    """Those that end the process come first, up to `hung`: what it says can no longer be believed,
    or it says nothing. The others are about one call."""

    NOT_STARTED = "not-started"
    NO_HANDSHAKE = "no-handshake"
    WRONG_PROTOCOL = "wrong-protocol"
    BAD_REGISTRATION = "bad-registration"
    CHANGED_REGISTRATION = "changed-registration"
    CRASHED = "crashed"
    JUNK = "junk"
    FRAME_TOO_LONG = "frame-too-long"
    FLOOD = "flood"
    NOT_READING = "not-reading"
    FOREIGN_ID = "foreign-id"
    DUPLICATE_ID = "duplicate-id"
    HUNG = "hung"
    OUT_OF_TIME = "out-of-time"
    FAILED = "failed"
    BAD_ANSWER = "bad-answer"
    TOO_LARGE = "too-large"
    NOT_GRANTED = "not-granted"
    DISABLED = "disabled"
    CLOSED = "closed"


class ProcessFault(AddonAuthorError):
    """The addon's process, or one call of it, did not do what it should. `said` is the end of what
    it wrote to stderr, without secrets."""

    def __init__(
        self, kind: ProcessFaultKind, message: str, *, hint: str = "", said: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.said = said

    def with_said(self, said: str) -> ProcessFault:
        return ProcessFault(self.kind, self.message, hint=self.hint, said=said)

    def __str__(self) -> str:
        told = super().__str__()
        return f"{told}; it said: {self.said}" if self.said else told
