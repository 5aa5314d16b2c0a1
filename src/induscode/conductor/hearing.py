"""Hearing one hook of a feature: its grant, its deadline, its failure policy, its closed decisions.

Three ways to have no decision are told apart: `failed` (it raised, took too long or answered
something else), `not-started` (its grant is gone, or it cannot run). A guard denies then; an
observer is reported and passed over. Whoever stops listening stops the hook.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import suppress
from threading import Thread
from types import NoneType
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from induscode.conductor.hooks import Stop
from induscode.feature.capability import AnyCapability
from induscode.feature.hook import FailurePolicy
from induscode.feature.hook_views import Continue, DenyWithSyntheticError, EmitDiagnosticRecord
from induscode.feature.hosting.draft import DraftHook
from induscode.feature.hosting.foreign import said
from induscode.feature.hosting.installed import InstalledFeature
from induscode.feature.limits import HOOK_SECONDS
from induscode.kernel.jsontext import clean_text
from induscode.policy.aliases import means, tool_name

__all__ = ["Ear"]


class Ear:
    """One hook, as the conductor hears it. `takes` are the decisions that its point knows."""

    def __init__(
        self, feature: InstalledFeature, draft: DraftHook, method: str, takes: tuple[type, ...]
    ) -> None:
        self.by = feature.id
        self.band = draft.declaration.band
        self.tools = frozenset(map(tool_name, draft.declaration.tools))
        self._feature = feature
        self._draft = draft
        self._method = method
        self._takes = takes

    def matches(self, tool: str) -> bool:
        return not self.tools or any(means(each, tool_name(tool)) for each in self.tools)

    async def hear(self, event: object) -> Any:
        """A decision of `takes`, `Continue`, or `Stop` with how it came to that."""
        if lacking := self._feature.lacks(self._draft.needs):
            return self._without("not-started", lacking)
        seconds = min(self._draft.declaration.seconds, HOOK_SECONDS)
        asking = asyncio.ensure_future(self._asked(event))
        try:
            done, _ = await asyncio.wait({asking}, timeout=seconds)
        finally:
            asking.cancel()  # it is over, took too long, or nobody waits any more
        if not done:
            return self._without("failed", f"it did not answer within {seconds:g} s")
        if asking.cancelled():
            return self._without("failed", "it was cancelled")
        if failure := asking.exception():
            return self._without("failed", f"it failed: {said(failure)}")
        return self._understood(asking.result())

    def lacks(self, capability: AnyCapability) -> str | None:
        """Why its feature may not use that now, None when it may."""
        return self._feature.lacks((capability,))

    async def _asked(self, event: object) -> object:
        function = cast(
            "Callable[[object], object]", getattr(self._draft.contribution.hook, self._method)
        )
        if inspect.iscoroutinefunction(function):
            return await cast("Awaitable[object]", function(event))
        return await _in_thread(function, event)

    def _understood(self, decision: object) -> Any:
        match decision:
            case None if NoneType in self._takes:
                return Continue()
            case DenyWithSyntheticError(message=message) if DenyWithSyntheticError in self._takes:
                return Stop(_text(message))
            case EmitDiagnosticRecord(diagnostic=diagnostic):
                self._feature.record.heard(_text(diagnostic.message))
                return decision
            case Continue():
                return decision
            case Struct() if type(decision) in self._takes:
                return self._read(decision)
            case _:
                kind = type(decision).__name__
                return self._without("failed", f"it answered with {kind}, which is no decision")

    def _read(self, decision: Struct) -> Any:
        """A copy of the decision that is what its type says: nothing checked it before, and its
        maker may still hold what is in it."""
        try:
            return msgspec.convert(msgspec.to_builtins(decision), type(decision))
        except (TypeError, ValueError, RecursionError) as error:
            kind = type(decision).__name__
            return self._without("failed", f"its {kind} cannot be read: {said(error)}")

    def _without(self, how: Literal["failed", "not-started"], reason: str) -> Stop | Continue:
        name = self._draft.declaration.name
        self._feature.record.note(f"hook {name}: {reason}", "hook")
        if self._draft.declaration.failure is FailurePolicy.REPORT:
            return Continue()
        return Stop(_text(f"{name}: {reason}"), how)


def _text(message: object) -> str:
    return clean_text(str(message))[0][:_REASON]


_REASON = 2_000


async def _in_thread(function: Callable[[object], object], event: object) -> object:
    """A plain function must not hold up the loop, nor the end of the program."""
    answer = _Answer()

    def run() -> None:
        with answer:
            answer.outcome = function(event)

    Thread(target=run, daemon=True).start()
    return await answer.awaited


class _Answer:
    """What a function in a thread comes to: entered there, awaited in the loop."""

    def __init__(self) -> None:
        self.outcome: object = None
        self._loop = asyncio.get_running_loop()
        self.awaited: asyncio.Future[object] = self._loop.create_future()

    def __enter__(self) -> None:
        """The thread begins."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> bool:
        with suppress(RuntimeError):  # the loop is gone: nobody waits any more
            self._loop.call_soon_threadsafe(self._tell, error)
        return True

    def _tell(self, error: BaseException | None) -> None:
        if self.awaited.done():
            return
        if error is None:
            self.awaited.set_result(self.outcome)
        else:
            self.awaited.set_exception(RuntimeError(said(error)))
