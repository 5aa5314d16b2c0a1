"""What a running session tells whoever watches it: print, JSON lines, RPC, SDK, screen.

One closed union, versioned as a whole. Events describe; they are never read back as state.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from induscode.kernel.form import FormField
from induscode.kernel.model import Usage

__all__ = [
    "EVENTS_VERSION",
    "Alert",
    "ApprovalAsked",
    "Event",
    "Fault",
    "FormAsked",
    "FormClosed",
    "HookDecided",
    "Noticed",
    "RunResult",
    "SessionOpened",
    "TextDelta",
    "ThinkingDelta",
    "ToolEnded",
    "ToolStarted",
    "ToolUpdated",
    "UsageReported",
]

EVENTS_VERSION = 1


class _Event(Struct, frozen=True, kw_only=True):
    at: str = ""


class SessionOpened(_Event, frozen=True, tag="session"):
    """Always the first event."""

    session: str
    model: str
    cwd: str
    mode: str
    version: int = EVENTS_VERSION
    resumed: bool = False


class TextDelta(_Event, frozen=True, tag="text"):
    text: str


class ThinkingDelta(_Event, frozen=True, tag="thinking"):
    text: str


class ToolStarted(_Event, frozen=True, tag="tool_start"):
    """`call` is our own id of the call; the same in update and end."""

    call: str
    tool: str
    arguments: dict[str, Any]


class ToolUpdated(_Event, frozen=True, tag="tool_update"):
    call: str
    text: str


class ToolEnded(_Event, frozen=True, tag="tool_end"):
    """`outcome` is ok, error, denied, refused, invalid or interrupted; a call that ended before it
    started has no `tool_start`, so its arguments stand here."""

    call: str
    tool: str
    outcome: str
    text: str
    arguments: dict[str, Any] = {}


class Noticed(_Event, frozen=True, tag="notice"):
    """Text that an entry has put in front of the model."""

    text: str
    by: str


class Alert(_Event, frozen=True, tag="alert"):
    """Transient, for the person; never history, never model-visible."""

    text: str


class HookDecided(_Event, frozen=True, tag="hook"):
    point: str
    by: str
    decision: str
    reason: str = ""


class ApprovalAsked(_Event, frozen=True, tag="approval"):
    """A question is open. Answer it with `id` through the channel's own means. `rule` decided that
    it is asked; `keeps` is the rule that an answer for longer than once keeps; `asker` is the
    delegate that asks and what it was sent for, "" for the session itself."""

    id: str
    tool: str
    arguments: dict[str, Any]
    question: str
    choices: list[str]
    rule: str = ""
    keeps: str = ""
    asker: str = ""


class FormAsked(_Event, frozen=True, tag="form"):
    """A form is open, to be filled in or, with a `url`, to be visited. Answer it with `id` through
    the channel's own means. The answer goes to `by`; the rest is as in `kernel.form.Form`."""

    id: str
    by: str
    message: str
    fields: list[FormField]
    url: str = ""
    host: str = ""
    asker: str = ""


class FormClosed(_Event, frozen=True, tag="form_closed"):
    """Nobody waits for that form any more. `how` is accept, decline, cancel or withdrawn."""

    id: str
    how: str


class Fault(_Event, frozen=True, tag="fault"):
    """Something went wrong and the session goes on, or ends: `fatal` says which."""

    message: str
    fatal: bool = False


class UsageReported(_Event, frozen=True, tag="usage"):
    usage: Usage
    cost: float | None


class RunResult(_Event, frozen=True, tag="result"):
    """Always the last event of a run, with that run's own totals."""

    session: str
    text: str
    steps: int
    usage: dict[str, int]
    cost: float | None
    exit: int


Event = (
    SessionOpened
    | TextDelta
    | ThinkingDelta
    | ToolStarted
    | ToolUpdated
    | ToolEnded
    | Noticed
    | Alert
    | HookDecided
    | ApprovalAsked
    | FormAsked
    | FormClosed
    | Fault
    | UsageReported
    | RunResult
)
