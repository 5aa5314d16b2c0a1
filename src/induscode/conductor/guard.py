"""Hearing code that is not ours: whatever it does, the loop goes on, and the gate stays shut."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from induscode.conductor.hooks import Stop
from induscode.errors import Cancelled
from induscode.kernel.cancel import CancelToken

__all__ = ["guarded"]

T = TypeVar("T")


async def guarded(
    work: Coroutine[Any, Any, T], by: str, *, deadline: float, cancel: CancelToken
) -> T | Stop:
    """What `work` decides; a hook that raises or does not answer in time has said stop. It is
    stopped itself, and `Cancelled` is raised, when `cancel` is used."""
    task = asyncio.ensure_future(work)
    forget = cancel.on_cancel(task.cancel)
    try:
        done, _ = await asyncio.wait({task}, timeout=deadline)
    finally:
        forget()
        task.cancel()
    if not done:
        return Stop(f"{by} did not answer within {deadline:g} s", "failed")
    if task.cancelled():
        if cancel.cancelled:
            raise Cancelled(cancel.reason)
        return Stop(f"{by} was cancelled", "failed")
    failure = task.exception()
    if failure is not None:
        return Stop(f"{by} failed: {failure}", "failed")
    return task.result()
