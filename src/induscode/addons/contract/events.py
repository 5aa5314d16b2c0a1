"""What an addon may hear, in which shape, and what it may answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal, NewType

from msgspec import Struct

from induscode.kernel.tool import ToolResult

__all__ = [
    "PAYLOAD_TYPES",
    "AddonId",
    "Arguments",
    "Change",
    "ChatPayload",
    "CompactPayload",
    "ContextMessage",
    "ContextPayload",
    "DispatchOutcome",
    "EventSubscription",
    "Gate",
    "GateDecision",
    "HookEvent",
    "HookHandler",
    "HookKind",
    "InputPayload",
    "LifecyclePayload",
    "MessagePayload",
    "Observe",
    "Payload",
    "ShellPayload",
    "ToolPayload",
    "Transform",
]

AddonId = NewType("AddonId", str)
Arguments = dict[str, Any]


class HookEvent(StrEnum):
    """The moments at which an addon may be heard, by the names that manifests and wires use."""

    SESSION_START = "session:start"
    SESSION_END = "session:end"
    TURN_START = "turn:start"
    TURN_END = "turn:end"
    TOOL_BEFORE = "tool:before"
    TOOL_AFTER = "tool:after"
    CHAT_PARAMS = "chat:params"
    CHAT_MESSAGE = "chat:message"
    SHELL_ENV = "shell:env"
    INPUT_SUBMIT = "input:submit"
    CONTEXT_BUILD = "context:build"
    COMPACT_BUILD = "compact:build"
    COMPACT_BEFORE = "compact:before"

    def guards(self) -> bool:
        """Whether the host acts on a gate's decision here; elsewhere it is only reported."""
        return self in {self.TOOL_BEFORE, self.INPUT_SUBMIT, self.COMPACT_BEFORE}


class ToolPayload(Struct, frozen=True, tag="tool"):
    """One call of a tool. `result` is there at `tool:after`."""

    name: str
    args: Arguments
    call_id: str = ""
    result: ToolResult | None = None


class ChatPayload(Struct, frozen=True, tag="chat"):
    """The options of the model request that is being built."""

    params: dict[str, Any]


class MessagePayload(Struct, frozen=True, tag="message"):
    """What the assistant said, and how many tools it calls."""

    text: str = ""
    calls: int = 0


class ShellPayload(Struct, frozen=True, tag="shell"):
    env: dict[str, str]


class InputPayload(Struct, frozen=True, tag="input"):
    text: str


class ContextMessage(Struct, frozen=True):
    """One text that the model will read. `entry` names the log entry behind it: a transform keeps
    it on what it changes, leaves a message out to omit it, and says "" on what it adds."""

    role: Literal["user", "assistant"]
    text: str
    entry: str = ""


class ContextPayload(Struct, frozen=True, tag="context"):
    messages: tuple[ContextMessage, ...]


class CompactPayload(Struct, frozen=True, tag="compact"):
    """Why the transcript is condensed; at `compact:build`, the `summary` that will stand for it."""

    reason: str
    summary: str = ""


class LifecyclePayload(Struct, frozen=True, tag="lifecycle"):
    """A session or a turn begins or ends; `text` is the answer that a turn ended with."""

    session: str = ""
    text: str = ""


Payload = (
    ToolPayload
    | ChatPayload
    | MessagePayload
    | ShellPayload
    | InputPayload
    | ContextPayload
    | CompactPayload
    | LifecyclePayload
)

PAYLOAD_TYPES: Mapping[HookEvent, type[Payload]] = MappingProxyType(
    {
        HookEvent.SESSION_START: LifecyclePayload,
        HookEvent.SESSION_END: LifecyclePayload,
        HookEvent.TURN_START: LifecyclePayload,
        HookEvent.TURN_END: LifecyclePayload,
        HookEvent.TOOL_BEFORE: ToolPayload,
        HookEvent.TOOL_AFTER: ToolPayload,
        HookEvent.CHAT_PARAMS: ChatPayload,
        HookEvent.CHAT_MESSAGE: MessagePayload,
        HookEvent.SHELL_ENV: ShellPayload,
        HookEvent.INPUT_SUBMIT: InputPayload,
        HookEvent.CONTEXT_BUILD: ContextPayload,
        HookEvent.COMPACT_BUILD: CompactPayload,
        HookEvent.COMPACT_BEFORE: CompactPayload,
    }
)
"""Which event carries which payload. A transform returns the type that it received."""


class GateDecision(Struct, frozen=True):
    """`how` tells a decision (`deny`) from a gate that `failed` to make one and from one that
    could not be heard at all (`not-started`); the last two always stop."""

    stop: bool
    reason: str = ""
    how: Literal["deny", "failed", "not-started"] = "deny"


class HookKind(StrEnum):
    OBSERVE = "observe"
    TRANSFORM = "transform"
    GATE = "gate"


class Observe(Struct, frozen=True):
    """Sees a copy and returns nothing. Its failure is reported and passed over."""

    run: Callable[[Payload], Awaitable[None]]
    kind = HookKind.OBSERVE


class Transform(Struct, frozen=True):
    """Returns the payload that goes on. When it fails, the one it was given goes on."""

    run: Callable[[Payload], Awaitable[Payload]]
    kind = HookKind.TRANSFORM


class Gate(Struct, frozen=True):
    """May stop what is about to happen. When it fails, it stops."""

    run: Callable[[Payload], Awaitable[GateDecision]]
    kind = HookKind.GATE


HookHandler = Observe | Transform | Gate


class EventSubscription(Struct, frozen=True):
    addon: AddonId
    event: HookEvent
    handler: HookHandler


class Change(Struct, frozen=True):
    """What one addon made of something: its value after that addon, for the log."""

    by: AddonId
    value: Payload | Arguments | ToolResult


class DispatchOutcome(Struct, frozen=True):
    """The payload after all transforms, and the decision that stopped the walk, with its author.
    `changes` are the transforms that changed something, in order."""

    payload: Payload
    gate: GateDecision | None = None
    by: AddonId | None = None
    changes: tuple[Change, ...] = ()
