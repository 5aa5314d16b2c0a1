"""What an addon can be asked in a session: an event, and the two sides of a tool's call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from induscode.addons.contract import HookEvent, Payload, ToolEnterContext, ToolExitContext

__all__ = ["After", "Before", "Event", "Occasion", "Unheard"]


class Event(Struct, frozen=True):
    """Any event but the two of a tool's call. `within` is the call (of `tool`) or the compaction
    that it is part of: when that is stopped, it does not happen."""

    event: HookEvent
    payload: Payload
    entry: str = ""
    within: str = ""
    tool: str = ""


class Before(Struct, frozen=True):
    """A call is about to run: `tool:before` and the enter stages. `schema` is of its arguments,
    where it is known."""

    call: ToolEnterContext
    entry: str = ""
    schema: Mapping[str, Any] | None = None


class After(Struct, frozen=True):
    """A call has a result: the exit stages and `tool:after`."""

    call: ToolExitContext
    entry: str = ""


class Unheard(Struct, frozen=True):
    """A call that no addon is asked about, and why."""

    tool: str
    entry: str
    reason: str


Occasion = Event | Before | After | Unheard
