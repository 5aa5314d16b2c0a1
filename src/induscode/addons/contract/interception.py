"""What stands around a tool's call: the stages of an addon, and what they may answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import Struct

from induscode.addons.contract.events import AddonId, Arguments, Change, GateDecision
from induscode.kernel.tool import ToolResult
from induscode.policy.aliases import means, tool_name

__all__ = [
    "AnyTool",
    "Block",
    "Continue",
    "EnterFn",
    "EnterOutcome",
    "ExitFn",
    "ExitOutcome",
    "InterceptResult",
    "NamedTool",
    "RewriteArguments",
    "RewriteResult",
    "ToolEnterContext",
    "ToolExitContext",
    "ToolInterceptor",
    "ToolMatch",
    "ToolResultProducer",
]


class NamedTool(Struct, frozen=True, tag="named"):
    name: str


class AnyTool(Struct, frozen=True, tag="any"):
    pass


ToolMatch = NamedTool | AnyTool


class ToolEnterContext(Struct, frozen=True):
    tool: str
    call_id: str
    args: Arguments


class ToolExitContext(Struct, frozen=True):
    """`error` says how the call itself failed, when no tool answered; `result` then tells the
    model so. A tool that answers with an error has a result with `is_error` and no `error`."""

    tool: str
    call_id: str
    args: Arguments
    result: ToolResult
    error: str | None = None


class Continue(Struct, frozen=True):
    """Nothing to change, nothing to object."""


class RewriteArguments(Struct, frozen=True):
    args: Arguments


class Block(Struct, frozen=True):
    decision: GateDecision


class RewriteResult(Struct, frozen=True):
    result: ToolResult


EnterOutcome = Continue | RewriteArguments | Block
ExitOutcome = Continue | RewriteResult
EnterFn = Callable[[ToolEnterContext], Awaitable[EnterOutcome]]
ExitFn = Callable[[ToolExitContext], Awaitable[ExitOutcome]]
ToolResultProducer = Callable[[Arguments], Awaitable[ToolResult]]
"""The real call, with the final arguments. Run at most once."""


class ToolInterceptor(Struct, frozen=True):
    addon: AddonId
    match: ToolMatch
    enter: EnterFn | None = None
    exit: ExitFn | None = None

    def matches(self, tool: str) -> bool:
        """Names are compared as people write them: `Bash` means `bash`, `mcp__git` all tools of
        that server."""
        if isinstance(self.match, AnyTool):
            return True
        return means(tool_name(self.match.name), tool_name(tool))


class InterceptResult(Struct, frozen=True):
    """Either a `result`, or a decision that `blocked` the call and who made it (`by`). `args` are
    the arguments after all enter stages; `entered` and `left` say who rewrote what, in order."""

    args: Arguments
    result: ToolResult | None = None
    blocked: GateDecision | None = None
    by: AddonId | None = None
    error: str | None = None
    entered: tuple[Change, ...] = ()
    left: tuple[Change, ...] = ()
