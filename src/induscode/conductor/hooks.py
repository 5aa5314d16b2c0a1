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
    "CommandView",
    "ContextHook",
    "Continue",
    "EnvironmentHook",
    "Hooks",
    "InputHook",
    "Noted",
    "ParameterHook",
    "Reworded",
    "RewriteHook",
    "Rewritten",
    "SessionEndHook",
    "SessionStartHook",
    "Shape",
    "Stop",
    "SummaryHook",
    "ToolHook",
    "ToolView",
    "Tuned",
    "TurnHook",
    "TurnStartHook",
    "Variables",
]


class Continue(Struct, frozen=True):
    """Nothing to object."""


class Stop(Struct, frozen=True):
    """What was about to happen does not. `how` tells a decision (`deny`) from a hook that `failed`
    to make one, from one that could not be heard at all (`not-started`), and from one whose wish
    the host `refused`."""

    reason: str
    how: Literal["deny", "failed", "not-started", "refused"] = "deny"


class Noted(Struct, frozen=True):
    """Go on; this is recorded."""

    message: str


class Rewritten(Struct, frozen=True):
    """Other arguments; they are validated and pass the host's permission again."""

    arguments: dict[str, Any]


class ToolView(Struct, frozen=True):
    """`error` says after a call how it failed, where no tool answered."""

    call: str
    tool: str
    arguments: Mapping[str, Any]
    error: str | None = None


class Shape(Struct, frozen=True):
    """What a context hook wants changed; it becomes an amendment entry. `added` are texts to come
    after all that the model sees."""

    operations: tuple[Operation, ...] = ()
    parameters: dict[str, Raw] = {}
    added: tuple[str, ...] = ()


class Reworded(Struct, frozen=True):
    """Another text in the place of the one that was heard; it becomes an amendment entry."""

    text: str


class Tuned(Struct, frozen=True):
    """Other parameters, by name; None takes one away. They become an amendment entry."""

    parameters: dict[str, Any]


class CommandView(Struct, frozen=True):
    """A command that is about to start; `tool` is empty where none was called."""

    tool: str
    call: str
    environment: Mapping[str, str]


class Variables(Struct, frozen=True):
    """Other variables for a command, None takes one away. `refused` says of those that the hook may
    not touch why not; they are not among the `values`."""

    values: dict[str, str | None]
    refused: tuple[str, ...] = ()


class InputHook(Protocol):
    by: str

    async def submit(self, text: str) -> Continue | Stop | Noted | Reworded: ...


class ContextHook(Protocol):
    by: str

    async def shape(self, request: NeutralRequest) -> Shape | Stop | Noted | None: ...


class ParameterHook(Protocol):
    by: str

    async def tune(
        self, model: str, parameters: Mapping[str, Any]
    ) -> Tuned | Stop | Noted | None: ...


class AnswerHook(Protocol):
    """`entry` is the answer's id."""

    by: str

    async def answered(
        self, text: str, calls: int, entry: str
    ) -> Reworded | Stop | Noted | None: ...


class SummaryHook(Protocol):
    by: str

    async def summarised(self, reason: str, summary: str) -> Reworded | Stop | Noted | None: ...


class EnvironmentHook(Protocol):
    by: str

    def matches(self, tool: str) -> bool: ...

    async def furnish(self, view: CommandView) -> Variables | Stop | Noted | None: ...


class ToolHook(Protocol):
    """Straddles a call: `enter` in order, `exit` in reverse."""

    by: str

    def matches(self, tool: str) -> bool: ...

    async def enter(self, view: ToolView) -> Continue | Stop | Rewritten | Noted: ...

    async def exit(
        self, view: ToolView, result: ToolResult
    ) -> ToolResult | Stop | Noted | None: ...


class TurnStartHook(Protocol):
    by: str

    async def turn_started(self, session: str, text: str, *, resumed: bool) -> Noted | None: ...


class TurnHook(Protocol):
    by: str

    async def turn_ended(self, session: str, text: str) -> Noted | None: ...


class RewriteHook(Protocol):
    by: str

    async def before(
        self, what: Literal["compaction", "rewind", "fork"], reason: str
    ) -> Continue | Stop | Noted: ...


class SessionStartHook(Protocol):
    by: str

    async def started(self, session: str, *, resumed: bool) -> Noted | None: ...


class SessionEndHook(Protocol):
    by: str

    async def ended(self, session: str) -> Noted | None: ...


class Hooks(Struct, frozen=True):
    """All there are. `deadline` is how many seconds each may take to answer."""

    input: tuple[InputHook, ...] = ()
    turn_start: tuple[TurnStartHook, ...] = ()
    context: tuple[ContextHook, ...] = ()
    parameters: tuple[ParameterHook, ...] = ()
    tool: tuple[ToolHook, ...] = ()
    environment: tuple[EnvironmentHook, ...] = ()
    answer: tuple[AnswerHook, ...] = ()
    turn: tuple[TurnHook, ...] = ()
    rewrite: tuple[RewriteHook, ...] = ()
    summary: tuple[SummaryHook, ...] = ()
    session_start: tuple[SessionStartHook, ...] = ()
    session_end: tuple[SessionEndHook, ...] = ()
    deadline: float = 35.0


NO_HOOKS = Hooks()
