"""Asking an addon: one answer, within a deadline where there is one, or why there is none.

Cancelling whoever asks passes through, and so do the errors that are not the addon's: the person
stopped the run, a budget ended, our own house is not in order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from msgspec import Struct

from induscode.errors import BudgetEnded, Cancelled, HostError
from induscode.feature.hosting.foreign import said

__all__ = ["HANDLER_SECONDS", "NOT_THEIRS", "Failed", "ask"]

HANDLER_SECONDS = 30.0
"""How long one handler or stage may take to answer."""

NOT_THEIRS = (BudgetEnded, Cancelled, HostError)
"""Errors that reach an addon's call from the host, and go back to it."""

T = TypeVar("T")


class Failed(Struct, frozen=True):
    """There is no answer. `reason` is a clause about the addon: "it failed: ..."."""

    reason: str
    error: BaseException | None = None


async def ask(work: Callable[[], Awaitable[T]], seconds: float | None) -> T | Failed:
    """What `work` comes to. One that takes too long is cancelled and not waited for: it may not
    listen. Without a deadline it runs in the asker's own task, and whoever runs that has one."""
    if seconds is None:
        return await _directly(work)
    task = asyncio.ensure_future(_awaited(work))
    task.add_done_callback(_heard)
    try:
        await asyncio.wait({task}, timeout=seconds)
    finally:
        late = not task.done()
        if late:
            task.cancel()
    if late:
        return Failed(f"it did not answer within {seconds:g} s")
    if task.cancelled():
        return Failed("it was cancelled")
    match task.exception():
        case None:
            return task.result()
        case error if isinstance(error, NOT_THEIRS):
            raise error
        case error:
            return Failed(f"it failed: {said(error)}", error)


class _NoAnswer(Exception):
    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.reason)
        self.failed = failed


async def _directly(work: Callable[[], Awaitable[T]]) -> T | Failed:
    try:
        return await _answer(work)
    except _NoAnswer as none:
        return none.failed


async def _answer(work: Callable[[], Awaitable[T]]) -> T:
    try:
        return await work()
    except NOT_THEIRS:
        raise
    except asyncio.CancelledError:
        asking = asyncio.current_task()
        if asking is not None and asking.cancelling():
            raise
        raise _NoAnswer(Failed("it was cancelled")) from None
    except Exception as error:
        raise _NoAnswer(Failed(f"it failed: {said(error)}", error)) from error


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()


def _heard(task: asyncio.Task[object]) -> None:
    """What nobody waits for any more is not reported as forgotten."""
    if not task.cancelled():
        task.exception()
