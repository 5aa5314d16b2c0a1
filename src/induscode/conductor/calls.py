"""Running what the model asked for: permission, hooks, intent, effect, result; in this order.

Calls that only read run side by side, others one after the other, in the order of the answer. Every
call ends in exactly one entry that the model is told about. A tool with side effects starts only
after its intent is on disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from induscode.conductor.consent import Consent, Granted, Refused
from induscode.conductor.guard import guarded
from induscode.conductor.hooks import Hooks, Rewritten, Stop, ToolHook, ToolView
from induscode.conductor.ports import BoundTool, ContextMaker, Emit
from induscode.conductor.recorder import Recorder
from induscode.errors import Cancelled
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.content import Json, SaidBlock, Text, plain_text
from induscode.kernel.events import HookDecided, ToolEnded, ToolStarted, ToolUpdated
from induscode.kernel.jsontext import clean_text, digest, raw_json
from induscode.kernel.tool import ToolKind, ToolResult
from induscode.session.blobs import BlobStore
from induscode.session.entries import Hook, Intent, Interrupted, Result
from induscode.session.projection import OpenCall
from induscode.session.storing import store_said

__all__ = ["CallRunner"]

Outcome = Literal["ok", "error", "denied", "refused", "invalid"]
_HOST = "builtin:conductor"
_NOT_RUN = "Not run: the user stopped the turn before it started."


class CallRunner:
    """Runs the calls of one answer."""

    def __init__(
        self,
        recorder: Recorder,
        blobs: BlobStore,
        consent: Consent,
        hooks: Hooks,
        context: ContextMaker,
        emit: Emit,
        clock: Clock,
    ) -> None:
        self._recorder = recorder
        self._blobs = blobs
        self._consent = consent
        self._hooks = hooks
        self._context = context
        self._emit = emit
        self._clock = clock
        self._tools: dict[str, BoundTool] = {}

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
                async with asyncio.TaskGroup() as group:
                    for call in batch:
                        group.create_task(self._run_one(call, cancel))
        cancel.check()

    def _batches(self, calls: Sequence[OpenCall]) -> list[list[OpenCall]]:
        batches: list[list[OpenCall]] = []
        last_reads = False
        for call in calls:
            bound = self._tools.get(call.call.name)
            reads = bound is not None and bound.kind is ToolKind.READ
            if reads and last_reads:
                batches[-1].append(call)
            else:
                batches.append([call])
            last_reads = reads
        return batches

    async def _run_one(self, call: OpenCall, cancel: CancelToken) -> None:
        bound = self._tools.get(call.call.name)
        if bound is None:
            known = ", ".join(sorted(self._tools)) or "none"
            text = f"There is no tool named {call.call.name!r}. Known tools: {known}."
            await self._finish(call, ToolResult.error(text), "invalid", _HOST)
            return
        if call.call.broken is not None:
            text = f"The arguments are not usable JSON. You sent: {call.call.broken[:2000]}"
            await self._finish(call, ToolResult.error(text), "invalid", _HOST)
            return
        try:
            await self._judge_and_run(call, bound, call.call.decoded(), cancel)
        except Cancelled:
            await self._close_unrun(call)

    async def _judge_and_run(
        self, call: OpenCall, bound: BoundTool, arguments: dict[str, Any], cancel: CancelToken
    ) -> None:
        refusal = await self._refused(call, bound, arguments, cancel)
        if refusal is not None:
            await self._finish(call, ToolResult.error(refusal.text), refusal.outcome, _HOST)
            return
        hooks = [hook for hook in self._hooks.tool if hook.matches(bound.tool.name)]
        rewritten_by = ""
        for hook in hooks:
            view = ToolView(call.id, bound.tool.name, arguments)
            match await guarded(hook.enter(view), hook.by):
                case Stop(reason):
                    await self._blocked(call, bound, hook, reason)
                    return
                case Rewritten(changed):
                    rewritten_by = hook.by
                    await self._note_rewrite(call, hook, arguments, changed)
                    arguments = changed
                case _:
                    continue
        if rewritten_by:
            refusal = await self._refused(call, bound, arguments, cancel)
            if refusal is not None:
                await self._finish(call, ToolResult.error(refusal.text), refusal.outcome, _HOST)
                return
        cancel.check()
        await self._declare(call, bound, arguments, rewritten_by, cancel)
        result = await self._execute(call, bound, arguments, cancel)
        for hook in reversed(hooks):
            result = await self._exit(call, bound, arguments, hook, result)
        await self._finish(call, result, "error" if result.is_error else "ok", bound.by)

    async def _refused(
        self, call: OpenCall, bound: BoundTool, arguments: Mapping[str, Any], cancel: CancelToken
    ) -> Refused | None:
        match await self._consent.settle(call.id, bound, arguments, cancel):
            case Granted():
                return None
            case Refused() as refusal:
                return refusal

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
            arguments=raw if rewritten_by else None,
            rewritten_by=rewritten_by,
        )
        if bound.effects:
            await self._recorder.commit(intent, by=bound.by, cancel=cancel)
        else:
            await self._recorder.write(intent, by=bound.by, cancel=cancel)

    async def _execute(
        self, call: OpenCall, bound: BoundTool, arguments: dict[str, Any], cancel: CancelToken
    ) -> ToolResult:
        """Whatever a tool does, this returns a result."""
        name = bound.tool.name
        self._emit(ToolStarted(call=call.id, tool=name, arguments=arguments, at=self._now()))

        def progress(text: str) -> None:
            self._emit(ToolUpdated(call=call.id, text=text, at=self._now()))

        task = asyncio.ensure_future(bound.tool.execute(arguments, self._context(cancel, progress)))
        stop = cancel.on_cancel(task.cancel)
        await asyncio.wait({task})
        stop()
        if task.cancelled():
            return ToolResult.error("Stopped by the user before it finished.")
        failure = task.exception()
        if failure is not None:
            kind = type(failure).__name__
            return ToolResult.error(f"The tool {name} failed unexpectedly ({kind}): {failure}")
        return task.result()

    async def _exit(
        self,
        call: OpenCall,
        bound: BoundTool,
        arguments: dict[str, Any],
        hook: ToolHook,
        result: ToolResult,
    ) -> ToolResult:
        view = ToolView(call.id, bound.tool.name, arguments)
        changed = await guarded(hook.exit(view, result), hook.by)
        if isinstance(changed, Stop):
            return ToolResult.error(f"The result is withheld: {changed.reason}")
        if changed is None:
            return result
        note = Hook(
            point="post-tool",
            decision="rewrite",
            target=call.id,
            before=digest(msgspec.json.encode(result.content)),
            after=digest(msgspec.json.encode(changed.content)),
        )
        await self._recorder.write(note, by=hook.by, cancel=CancelToken())
        return changed

    async def _blocked(self, call: OpenCall, bound: BoundTool, hook: ToolHook, reason: str) -> None:
        note = Hook(point="pre-tool", decision="deny", target=call.id, reason=reason)
        await self._recorder.write(note, by=hook.by, cancel=CancelToken())
        self._emit(
            HookDecided(
                point="pre-tool", by=hook.by, decision="deny", reason=reason, at=self._now()
            )
        )
        text = f"Blocked by {hook.by.split(':')[-1]}: {reason}"
        await self._finish(call, ToolResult.error(text), "denied", hook.by)

    async def _note_rewrite(
        self, call: OpenCall, hook: ToolHook, before: dict[str, Any], after: dict[str, Any]
    ) -> None:
        note = Hook(
            point="pre-tool",
            decision="rewrite",
            target=call.id,
            before=digest(bytes(raw_json(before))),
            after=digest(bytes(raw_json(after))),
        )
        await self._recorder.write(note, by=hook.by, cancel=CancelToken())

    async def _finish(self, call: OpenCall, result: ToolResult, outcome: Outcome, by: str) -> None:
        content = tuple(_encodable(block) for block in result.content)
        entry = Result(
            call=call.id,
            tool=call.call.name,
            content=store_said(content, self._blobs),
            outcome=outcome,
            display=result.display,
            details=result.details,
        )
        await self._recorder.write(entry, by=by, cancel=CancelToken())
        text = result.display if result.display is not None else _readable(content)
        name = call.call.name
        self._emit(ToolEnded(call=call.id, tool=name, outcome=outcome, text=text, at=self._now()))

    async def _close_unrun(self, call: OpenCall) -> None:
        entry = Interrupted(call=call.id, tool=call.call.name, started=False, text=_NOT_RUN)
        await self._recorder.write(entry, by=_HOST, cancel=CancelToken())
        name = call.call.name
        self._emit(
            ToolEnded(call=call.id, tool=name, outcome="interrupted", text=_NOT_RUN, at=self._now())
        )

    def _now(self) -> str:
        return iso(self._clock.now_ms())


def _encodable(block: SaidBlock) -> SaidBlock:
    """File names and outputs can hold what JSON cannot: replace it, visibly."""
    if isinstance(block, Text):
        text, mended = clean_text(block.text)
        return Text(text) if mended else block
    return block


def _readable(content: tuple[SaidBlock, ...]) -> str:
    text = plain_text(content)
    return text or "".join(bytes(b.value).decode() for b in content if isinstance(b, Json))
