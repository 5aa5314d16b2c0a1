"""Running what the model asked for: permission, hooks, intent, effect, result; in this order.

Calls that only read run side by side, and so do delegates; others one after the other, in the order
of the answer. Every call ends in exactly one entry that the model is told about. A tool with side
effects starts only after its intent is on disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from induscode.conductor.consent import Consent, Granted, Refused
from induscode.conductor.environment_hooks import ShapedShell, environment_digest
from induscode.conductor.joining import Joining
from induscode.conductor.listeners import Listeners
from induscode.conductor.plan_mode import PlanMode
from induscode.conductor.ports import BoundTool, ContextMaker, Emit, Watch
from induscode.conductor.recorder import Recorder
from induscode.conductor.results import fit_text, fit_to_keep, readable
from induscode.conductor.tool_hooks import Blocked, Ended, Entered
from induscode.errors import Cancelled, LogCorrupt
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.events import ToolEnded, ToolStarted, ToolUpdated
from induscode.kernel.jsontext import (
    JsonProblem,
    clean_text,
    digest,
    parse_object,
    raw_json,
)
from induscode.kernel.tool import ToolKind, ToolResult
from induscode.policy.subject import CallView, CommandSubject
from induscode.session.blobs import BlobStore
from induscode.session.entries import Intent, Interrupted, Result
from induscode.session.projection import OpenCall
from induscode.session.storing import store_said

__all__ = ["RUNS_ON", "CallRunner", "Passage"]

Outcome = Literal["ok", "error", "denied", "refused", "invalid"]
_HOST = "builtin:conductor"
_NOT_RUN = "Not run: the user stopped the turn before it started."
RUNS_ON = "Stopped by the user, but it does not stop: it may still be running."
_GRACE = 3.0
_DELEGATE_GRACE = 6.0
"""Longer than any tool of the delegate has, so that it can end in good order itself."""
_SIDE_BY_SIDE = (ToolKind.READ, ToolKind.DELEGATE)
_STOPPED = "Stopped by the user before it finished. What it had done by then stays done."


class Passage(Struct, frozen=True):
    """What a call passes on its way, in this order: consent, hooks before and after, the watch
    over what it changes, the part of the host in plan mode, and what joins the turn by it."""

    consent: Consent
    hooks: Listeners
    watch: Watch
    plan: PlanMode
    joining: Joining


class CallRunner:
    """Runs the calls of one answer."""

    def __init__(
        self,
        recorder: Recorder,
        blobs: BlobStore,
        passage: Passage,
        context: ContextMaker,
        emit: Emit,
        clock: Clock,
    ) -> None:
        self._recorder = recorder
        self._blobs = blobs
        self._consent = passage.consent
        self._hooks = passage.hooks.tool
        self._environment = passage.hooks.environment
        self._watch = passage.watch
        self._plan = passage.plan
        self._joining = passage.joining
        self._context = context
        self._emit = emit
        self._clock = clock
        self._tools: dict[str, BoundTool] = {}
        self._started: set[str] = set()

    def equip(self, tools: Sequence[BoundTool]) -> None:
        """The tools of this epoch, by the name the model was told."""
        self._tools = {bound.tool.name: bound for bound in tools}

    async def run(self, calls: Sequence[OpenCall], cancel: CancelToken) -> None:
        """Bring every call to its end. Raises `Cancelled` after closing the rest, or `LogDown`."""
        for batch in self._batches(calls):
            if cancel.cancelled:
                for call in batch:
                    await self._close_unrun(call)
            elif len(batch) == 1:
                await self._run_one(batch[0], cancel)
            else:
                await _side_by_side([self._run_one(call, cancel) for call in batch])
        cancel.check()

    def _batches(self, calls: Sequence[OpenCall]) -> list[list[OpenCall]]:
        batches: list[list[OpenCall]] = []
        last: ToolKind | None = None
        for call in calls:
            bound = self._tools.get(call.call.name)
            kind = bound.kind if bound is not None else None
            if kind in _SIDE_BY_SIDE and kind is last:
                batches[-1].append(call)
            else:
                batches.append([call])
            last = kind
        return batches

    async def _run_one(self, call: OpenCall, cancel: CancelToken) -> None:
        bound = self._tools.get(call.call.name)
        if bound is None:
            known = ", ".join(sorted(self._tools)) or "none"
            text = f"There is no tool named {call.call.name!r}. Known tools: {known}."
            await self._finish(call, ToolResult.error(text), "invalid", _HOST)
            return
        if call.call.broken is not None:
            why = _trouble(call.call.broken)
            text = f"The arguments cannot be used: {why}. You sent: {call.call.broken[:2000]}"
            await self._finish(call, ToolResult.error(text), "invalid", _HOST)
            return
        try:
            await self._judge_and_run(call, bound, call.call.decoded(), cancel)
        except Cancelled:
            await self._close_unrun(call)

    async def _judge_and_run(
        self, call: OpenCall, bound: BoundTool, arguments: dict[str, Any], cancel: CancelToken
    ) -> None:
        granted = await self._granted(call, bound, arguments, cancel)
        if granted is None:
            return
        match await self._hooks.enter(call.id, bound.tool.name, arguments, cancel):
            case Blocked(by=by, text=text):
                await self._finish(call, ToolResult.error(text), "denied", by)
                return
            case Entered(arguments=arguments, rewritten_by=rewritten_by):
                pass
        if rewritten_by:
            granted = await self._granted(call, bound, arguments, cancel)
            if granted is None:
                return
        shaped = await self._shaped(call, bound, granted, cancel)
        if isinstance(shaped, Blocked):
            await self._finish(call, ToolResult.error(shaped.text), "denied", shaped.by)
            return
        cancel.check()
        step = await self._watch.begin(call.id, granted)
        try:
            await self._declare(call, shaped, arguments, rewritten_by, cancel)
            ended = await self._execute(call, bound, shaped.environment, granted, cancel)
        finally:
            changed = await step.end()
        if changed:
            await self._recorder.write(*changed, by=_HOST, cancel=CancelToken())
        result, outcome = await self._plan.acted(call.id, bound, granted, ended.result, cancel)
        ended = Ended(result, ended.by, ended.error)
        result, by = await self._hooks.exit(call.id, bound.tool.name, arguments, ended, cancel)
        if outcome in {"ok", "error"}:
            outcome = "error" if result.is_error else "ok"
        await self._finish(call, result, outcome, by)
        if outcome == "ok":
            await self._joining.touched(bound, granted)

    async def _granted(
        self, call: OpenCall, bound: BoundTool, arguments: Mapping[str, Any], cancel: CancelToken
    ) -> CallView | None:
        """The call as it may run; None when it ends here, because its arguments do not fit or it
        may not run."""
        if why := bound.withdrawn():
            text = f"Denied: {bound.by} may not offer {bound.tool.name} any more: {why}"
            await self._finish(call, ToolResult.error(text), "denied", _HOST)
            return None
        problem = bound.problem(arguments)
        if problem is not None:
            await self._finish(call, ToolResult.error(problem), "invalid", _HOST)
            return None
        match await self._consent.settle(call.id, bound, arguments, cancel):
            case Granted(view=view):
                return view
            case Refused(text, outcome):
                await self._finish(call, ToolResult.error(text), outcome, _HOST)
                return None

    async def _shaped(
        self, call: OpenCall, bound: BoundTool, granted: CallView, cancel: CancelToken
    ) -> BoundTool | Blocked:
        """The tool with the environment that its command will find."""
        before = bound.environment
        if before is None or not isinstance(granted.subject, CommandSubject):
            return bound
        after = await self._environment.shaped(bound.tool.name, call.id, before, cancel)
        if isinstance(after, Blocked):
            return after
        return bound if after is before else replace(bound, environment=after)

    async def _declare(
        self,
        call: OpenCall,
        bound: BoundTool,
        arguments: dict[str, Any],
        rewritten_by: str,
        cancel: CancelToken,
    ) -> None:
        raw = raw_json(arguments) if rewritten_by else call.call.arguments
        intent = Intent(
            call=call.id,
            tool=bound.tool.name,
            arguments_sha256=digest(bytes(raw)),
            effects=bound.effects,
            arguments=arguments if rewritten_by else None,
            rewritten_by=rewritten_by,
            environment=_named(bound.environment),
        )
        if bound.effects:
            await self._recorder.commit(intent, by=bound.by, cancel=cancel)
        else:
            await self._recorder.write(intent, by=bound.by, cancel=cancel)

    async def _execute(
        self,
        call: OpenCall,
        bound: BoundTool,
        environment: Mapping[str, str] | None,
        granted: CallView,
        cancel: CancelToken,
    ) -> Ended:
        """Whatever a tool does, this returns a result. `environment` is what its command finds,
        where hooks changed that."""
        name, arguments = bound.tool.name, dict(granted.arguments)
        self._started.add(call.id)
        self._emit(ToolStarted(call=call.id, tool=name, arguments=arguments, at=self._now()))

        def progress(text: str) -> None:
            self._emit(ToolUpdated(call=call.id, text=clean_text(text)[0], at=self._now()))

        context = replace(self._context(granted, cancel, progress), call=call.id)
        if environment is not None and environment is not bound.environment:
            context = replace(context, shell=ShapedShell(context.shell, environment))
        task = asyncio.ensure_future(bound.tool.execute(arguments, context))
        grace = _DELEGATE_GRACE if bound.kind is ToolKind.DELEGATE else _GRACE
        if not await _ended(task, cancel, grace):
            return Ended(ToolResult.error(RUNS_ON), bound.by, RUNS_ON)
        failure = None if task.cancelled() else task.exception()
        if task.cancelled() or isinstance(failure, Cancelled):
            return Ended(ToolResult.error(_STOPPED), bound.by, _STOPPED)
        secrets = self._recorder.secrets
        if failure is not None:
            kind = type(failure).__name__
            text = f"The tool {name} failed unexpectedly ({kind}): {failure}"
            why = fit_text(f"{kind}: {failure}", secrets)
            return Ended(fit_to_keep(ToolResult.error(text), secrets), bound.by, why)
        return Ended(fit_to_keep(task.result(), secrets), bound.by)

    async def _finish(self, call: OpenCall, result: ToolResult, outcome: Outcome, by: str) -> None:
        """`result` can be encoded; where it cannot be recorded for another reason (too deep, too
        long), the model is told that instead."""
        if by == _HOST:  # our own words repeat others': arguments, a person's answer
            result = fit_to_keep(result, self._recorder.secrets)
        content = await self._recorder.stored(
            lambda: store_said(result.content, self._blobs), CancelToken()
        )
        entry = Result(
            call=call.id,
            tool=call.call.name,
            content=content,
            outcome=outcome,
            display=result.display,
            details=result.details,
        )
        try:
            await self._recorder.write(entry, by=by, cancel=CancelToken())
        except LogCorrupt as problem:
            told = f"The call ran, but its result cannot be kept: {problem.message}"
            await self._finish(call, ToolResult.error(told), "error", _HOST)
            return
        text = result.display if result.display is not None else readable(result.content)
        self._ended(call, outcome, text)

    async def _close_unrun(self, call: OpenCall) -> None:
        entry = Interrupted(call=call.id, tool=call.call.name, started=False, text=_NOT_RUN)
        await self._recorder.write(entry, by=_HOST, cancel=CancelToken())
        self._ended(call, "interrupted", _NOT_RUN)

    def _ended(self, call: OpenCall, outcome: str, text: str) -> None:
        started = call.id in self._started
        self._started.discard(call.id)
        self._emit(
            ToolEnded(
                call=call.id,
                tool=call.call.name,
                outcome=outcome,
                text=text,
                arguments={} if started else call.call.decoded(),
                at=self._now(),
            )
        )

    def _now(self) -> str:
        return iso(self._clock.now_ms())


async def _side_by_side(runs: Sequence[Coroutine[Any, Any, None]]) -> None:
    """All to their end, then the first failure as it was raised."""
    ended = await asyncio.gather(*runs, return_exceptions=True)
    for failure in ended:
        if failure is not None:
            raise failure


async def _ended(task: asyncio.Future[ToolResult], cancel: CancelToken, grace: float) -> bool:
    """Wait for the tool's end. When it is told to stop, it has `grace` seconds to do so."""
    stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def stop() -> None:
        task.cancel()
        stopped.set_result(None)

    remove = cancel.on_cancel(stop)
    await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
    remove()
    if not task.done():
        await asyncio.wait({task}, timeout=grace)
    return task.done()


def _named(environment: Mapping[str, str] | None) -> dict[str, Any] | None:
    """What the log says of an environment: its names and a digest, never a value."""
    if environment is None:
        return None
    return {"names": sorted(environment), "sha256": environment_digest(environment)}


def _trouble(broken: str) -> str:
    try:
        parse_object(broken)
    except JsonProblem as problem:
        return str(problem)
    return "not a JSON object"
