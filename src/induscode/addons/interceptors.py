"""The chain of interceptors around one call of a tool: entered in order, left in reverse."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVarTuple, Unpack, cast

import msgspec
from msgspec import Struct

from induscode.addons.asking import HANDLER_SECONDS, NOT_THEIRS, Failed, ask
from induscode.addons.contract import (
    AddonFault,
    AddonFaultKind,
    AddonId,
    Arguments,
    Block,
    Change,
    Continue,
    EnterFn,
    ExitFn,
    GateDecision,
    InterceptResult,
    RewriteArguments,
    RewriteResult,
    ToolEnterContext,
    ToolExitContext,
    ToolInterceptor,
    ToolMatch,
    ToolResultProducer,
)
from induscode.addons.copies import arguments_copy, result_copy
from induscode.addons.faults import FaultSink
from induscode.feature.hosting.foreign import is_a, said
from induscode.kernel.jsontext import JsonProblem, canonical
from induscode.kernel.tool import ToolResult

__all__ = ["Entered", "InterceptorChain", "Left", "interceptor"]

Ts = TypeVarTuple("Ts")


def interceptor(
    addon: AddonId, match: ToolMatch, enter: EnterFn | None = None, exit_: ExitFn | None = None
) -> ToolInterceptor:
    return ToolInterceptor(addon, match, enter, exit_)


class Entered(Struct, frozen=True):
    """How far a call came: its arguments now, and the decision that blocked it, with its author."""

    args: Arguments
    blocked: GateDecision | None = None
    by: AddonId | None = None
    changes: tuple[Change, ...] = ()


class Left(Struct, frozen=True):
    """The result as the stages leave it."""

    result: ToolResult
    changes: tuple[Change, ...] = ()


class InterceptorChain:
    """Folds the matching stages around a call. A stage that fails fails closed: on the way in the
    call is blocked, on the way out the result is withheld, for the stage may have been there to
    take a secret out of it. Each failure is a fault of kind handler in `faults`.

    `run` and `run_with` do the whole; a host that must judge rewritten arguments before the call
    calls `enter` and `leave` itself. `seconds` is as for an `EventDispatcher`.
    """

    def __init__(
        self,
        interceptors: Iterable[ToolInterceptor],
        *,
        faults: FaultSink | None = None,
        seconds: float | None = HANDLER_SECONDS,
    ) -> None:
        self._all = tuple(interceptors)
        self._by_tool: dict[str, tuple[ToolInterceptor, ...]] = {}
        self._faults = faults if faults is not None else FaultSink()
        self._seconds = seconds

    def matches(self, tool: str) -> bool:
        return bool(self._of(tool))

    async def run(self, context: ToolEnterContext, execute: ToolResultProducer) -> InterceptResult:
        """Enter, execute at most once, leave. A call that raises instead of answering is a result
        that says so, and the exit stages see why in `error`; cancellation and the host's own errors
        are raised."""
        return await self.run_with(context, execute)

    async def run_with(
        self,
        context: ToolEnterContext,
        execute: Callable[[Arguments, Unpack[Ts]], Awaitable[ToolResult]],
        *given: *Ts,
    ) -> InterceptResult:
        """As `run`, for a callable that takes more than the arguments: what is `given` is handed
        on, as in `run_with(context, tool.execute, tool_context)`."""
        entered = await self.enter(context)
        if entered.blocked is not None:
            return InterceptResult(
                entered.args, blocked=entered.blocked, by=entered.by, entered=entered.changes
            )
        error: str | None = None
        try:
            result = await _executed(execute, entered.args, *given)
        except _NotAnswered as failure:
            error = str(failure)
            result = ToolResult.error(f"The call of {context.tool} failed: {error}")
        left = await self.leave(
            ToolExitContext(context.tool, context.call_id, entered.args, result, error)
        )
        return InterceptResult(
            entered.args, left.result, error=error, entered=entered.changes, left=left.changes
        )

    async def enter(self, context: ToolEnterContext) -> Entered:
        """Every enter stage in order, until one blocks."""
        args, changes = context.args, list[Change]()
        for one in self._of(context.tool):
            if one.enter is None:
                continue
            match await self._entered(one, one.enter, context, args):
                case Continue():
                    continue
                case RewriteArguments(changed):
                    args = changed
                    changes.append(Change(one.addon, arguments_copy(changed)))
                case Block(decision):
                    return Entered(args, decision, one.addon, tuple(changes))
        return Entered(args, changes=tuple(changes))

    async def leave(self, context: ToolExitContext) -> Left:
        """Every exit stage, the one entered first last."""
        result, changes = context.result, list[Change]()
        for one in reversed(self._of(context.tool)):
            if one.exit is None:
                continue
            match await self._left(one, one.exit, context, result):
                case Continue():
                    continue
                case RewriteResult(changed):
                    result = changed
                    changes.append(Change(one.addon, changed))
        return Left(result, tuple(changes))

    def _of(self, tool: str) -> tuple[ToolInterceptor, ...]:
        found = self._by_tool.get(tool)
        if found is None:
            found = tuple(one for one in self._all if one.matches(tool))
            self._by_tool[tool] = found
        return found

    async def _entered(
        self, one: ToolInterceptor, stage: EnterFn, context: ToolEnterContext, args: Arguments
    ) -> Continue | RewriteArguments | Block:
        view = ToolEnterContext(context.tool, context.call_id, arguments_copy(args))
        answer = await ask(lambda: stage(view), self._seconds)
        match answer:
            case Continue():
                return answer
            case Block(decision) if is_a(decision, GateDecision):
                # A stage that says Block means it, whatever the decision inside says.
                return Block(msgspec.structs.replace(decision, stop=True))
            case RewriteArguments(changed):
                try:
                    return RewriteArguments(_checked(changed))
                except (JsonProblem, msgspec.MsgspecError, TypeError, ValueError) as error:
                    failed = Failed(f"the arguments it answered are not usable: {error}", error)
            case Failed():
                failed = answer
            case _:
                failed = Failed(f"it answered with {type(answer).__name__}")
        self._report(one, f"the enter stage at {context.tool}", failed)
        return Block(GateDecision(stop=True, reason=failed.reason, how="failed"))

    async def _left(
        self, one: ToolInterceptor, stage: ExitFn, context: ToolExitContext, result: ToolResult
    ) -> Continue | RewriteResult:
        view = ToolExitContext(
            context.tool,
            context.call_id,
            arguments_copy(context.args),
            result_copy(result),
            context.error,
        )
        answer = cast("object", await ask(lambda: stage(view), self._seconds))
        match answer:
            case Continue():
                return answer
            case RewriteResult(changed):
                try:
                    return RewriteResult(_kept(changed))
                except (msgspec.MsgspecError, TypeError, ValueError) as error:
                    failed = Failed(f"the result it answered is not usable: {error}", error)
            case Failed():
                failed = answer
            case _:
                failed = Failed(f"it answered with {type(answer).__name__}")
        self._report(one, f"the exit stage at {context.tool}", failed)
        return RewriteResult(
            ToolResult.error(f"The result is withheld, {one.addon} could not look at it.")
        )

    def _report(self, one: ToolInterceptor, what: str, failed: Failed) -> None:
        self._faults.tell(
            AddonFault(
                AddonFaultKind.HANDLER,
                f"{what}: {failed.reason}",
                addon=one.addon,
                cause=failed.error,
            )
        )


class _NotAnswered(Exception):
    """The call raised: no tool answered."""


async def _executed(
    execute: Callable[[Arguments, Unpack[Ts]], Awaitable[ToolResult]],
    args: Arguments,
    *given: *Ts,
) -> ToolResult:
    try:
        return await execute(args, *given)
    except NOT_THEIRS:
        raise
    except Exception as error:
        raise _NotAnswered(said(error)) from error


def _checked(args: Arguments) -> Arguments:
    """What a stage answered, as JSON that can be logged. Raises for what is none."""
    canonical(args)
    return msgspec.json.decode(msgspec.json.encode(args), type=dict[str, Any])


def _kept(result: ToolResult) -> ToolResult:
    """What a stage answered, as a result and nothing else. Raises for what is none."""
    return msgspec.json.decode(msgspec.json.encode(result), type=ToolResult)
