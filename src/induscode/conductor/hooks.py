"""The points at which features may take part, as protocols. Empty tuples cost nothing.

Each hook has an owner (`by`) and decides with a closed set of values. A gate that raises denies; an
observer that raises is reported and passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

from msgspec import Raw, Struct

from induscode.kernel.request import NeutralRequest
from induscode.kernel.tool import ToolResult
from induscode.session.entries import Operation

__all__ = [
    "NO_HOOKS",
    "AnswerHook",
    "ContextHook",
    "Continue",
    "Hooks",
    "InputHook",
    "Noted",
    "RewriteHook",
    "Rewritten",
    "SessionEndHook",
    "SessionStartHook",
    "Shape",
    "Stop",
    "ToolHook",
    "ToolView",
    "TurnHook",
]


class Continue(Struct, frozen=True):
    """Nothing to object."""


class Stop(Struct, frozen=True):
    """What was about to happen does not. `how` tells a decision (`deny`) from a hook that `failed`
    to make one and from one that could not be heard at all (`not-started`)."""

    reason: str
    how: Literal["deny", "failed", "not-started"] = "deny"


class Noted(Struct, frozen=True):
    """Go on; this is recorded."""

    message: str


class Rewritten(Struct, frozen=True):
    """Other arguments; they are validated and pass the host's permission again."""

    arguments: dict[str, Any]


class ToolView(Struct, frozen=True):
    call: str
    tool: str
    arguments: Mapping[str, Any]


class Shape(Struct, frozen=True):
    """What a context hook wants changed; it becomes an amendment entry."""

    operations: tuple[Operation, ...] = ()
    parameters: dict[str, Raw] = {}


class InputHook(Protocol):
    by: str

    async def submit(self, text: str) -> Continue | Stop | Noted: ...


class ContextHook(Protocol):
    by: str

    async def shape(self, request: NeutralRequest) -> Shape | Stop | Noted | None: ...


class AnswerHook(Protocol):
    by: str

    async def answered(self, text: str, calls: int) -> None: ...


class ToolHook(Protocol):
    """Straddles a call: `enter` in order, `exit` in reverse."""

    by: str

    def matches(self, tool: str) -> bool: ...

    async def enter(self, view: ToolView) -> Continue | Stop | Rewritten | Noted: ...

    async def exit(
        self, view: ToolView, result: ToolResult
    ) -> ToolResult | Stop | Noted | None: ...


class TurnHook(Protocol):
    by: str

    async def turn_ended(self, text: str) -> None: ...


class RewriteHook(Protocol):
    by: str

    async def before(
        self, what: Literal["compaction", "rewind", "fork"]
    ) -> Continue | Stop | Noted: ...


class SessionStartHook(Protocol):
    by: str

    async def started(self, session: str, *, resumed: bool) -> None: ...


class SessionEndHook(Protocol):
    by: str

    async def ended(self, session: str) -> None: ...


class Hooks(Struct, frozen=True):
    """All there are. `deadline` is how many seconds each may take to answer."""

    input: tuple[InputHook, ...] = ()
    context: tuple[ContextHook, ...] = ()
    tool: tuple[ToolHook, ...] = ()
    answer: tuple[AnswerHook, ...] = ()
    turn: tuple[TurnHook, ...] = ()
    rewrite: tuple[RewriteHook, ...] = ()
    session_start: tuple[SessionStartHook, ...] = ()
    session_end: tuple[SessionEndHook, ...] = ()
    deadline: float = 35.0


NO_HOOKS = Hooks()
