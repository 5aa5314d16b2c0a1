"""One run of a background task: handles of its own, and an end that it cannot put off."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Generator
from contextlib import suppress
from contextvars import Context
from threading import Event, Thread
from types import CoroutineType, coroutine
from typing import Any

from msgspec import Struct

from induscode.feature.background import FeatureTask, FeatureTaskContext
from induscode.feature.hosting.foreign import said
from induscode.feature.hosting.handles import Handles
from induscode.feature.lending import Errand
from induscode.kernel.cancel import CancelToken

__all__ = ["CutOff", "Done", "Failed", "Outcome", "Stopped", "TaskRun"]


class Done(Struct, frozen=True, tag="done"):
    """It ended by itself, and well."""


class Failed(Struct, frozen=True, tag="failed"):
    """It raised, or is not what a task is."""

    why: str


class Stopped(Struct, frozen=True, tag="stopped"):
    """It was told to end, and did."""


class CutOff(Struct, frozen=True, tag="cut-off"):
    """It was told to end, did not, and is not run any further."""


Outcome = Done | Failed | Stopped | CutOff


class TaskRun:
    """Begins when it is made. Its handles are taken back when it is over, however it ended."""

    def __init__(self, task: FeatureTask, handles: Handles, context: Context) -> None:
        """`context` is this run's own."""
        self._handles = handles
        self._token = CancelToken()
        self._errand = Errand()
        self._cut = False
        self.told = False
        context.run(self._errand.begin)
        running = asyncio.get_running_loop()
        self._work = running.create_task(self._run(task), context=context)
        self._work.add_done_callback(_looked_at)

    async def ended(self, seconds: float) -> bool:
        """Whether it is over within that time."""
        await asyncio.wait({self._work}, timeout=seconds)
        return self._work.done()

    def cancel(self, reason: str) -> bool:
        """Tell it to end, by its token and as asyncio does, once. Its handles stay good meanwhile,
        so that it can put its things in order. False when something of the feature that listens to
        the token raised."""
        if self.told:
            return True
        self.told = True
        self._work.cancel()
        heard = False
        with suppress(Exception, SystemExit):
            self._token.cancel(reason)
            heard = True
        return heard

    def refuse(self) -> None:
        """It may still run, and can do nothing with what it was given."""
        self._errand.over = True
        self._handles.take_back()

    def cut_off(self) -> None:
        """It is resumed once more, with `GeneratorExit`, and then never again."""
        self.refuse()
        self._cut = self._cut or not self._work.done()
        self._work.cancel()

    def outcome(self) -> Outcome:
        """How it ended; it must be over."""
        if self._cut:
            return CutOff()
        failure = None if self._work.cancelled() else self._work.exception()
        if failure is not None:
            return Failed(
                str(failure) if type(failure) is _NoTask else f"it failed: {said(failure)}"
            )
        if self.told:
            return Stopped()
        return Failed("it cancelled itself") if self._work.cancelled() else Done()

    async def _run(self, task: FeatureTask) -> None:
        given = self._handles
        context = FeatureTaskContext(
            cancellation=self._token,
            notify=given.notify,
            alerts=given.alerts,
            diagnostics=given.diagnostics,
            services=given.services,
        )
        try:
            answer = await _driven(_begun(task, context), lambda: self._cut)
        except SystemExit as error:
            raise _NoTask(f"it failed: {said(error)}") from None  # asyncio would end the program
        finally:
            self.refuse()
        if answer is not None:
            raise _NoTask(f"it returned {type(answer).__name__}, and a task returns nothing")


class _NoTask(Exception):
    """What a task may not do, in words."""


def _looked_at(work: asyncio.Task[None]) -> None:
    """A failure that nobody asks about any more is no loose end."""
    if not work.cancelled():
        work.exception()


def _begun(task: FeatureTask, context: FeatureTaskContext) -> Coroutine[Any, Any, object]:
    run = task.run
    if not inspect.iscoroutinefunction(run):
        raise _NoTask("its run is no coroutine function")  # calling it would hold up the session
    return run(context)


@coroutine
def _driven(
    work: Coroutine[Any, Any, object], cut: Callable[[], bool]
) -> Generator[Any, Any, object]:
    """`await work`, except that once `cut` answers yes it is closed instead of told: a coroutine
    that swallows cancellation is left where it stands, and the asyncio task around it ends."""
    failure: BaseException | None = None
    while True:
        try:
            awaited = work.send(None) if failure is None else work.throw(failure)
        except StopIteration as end:
            return end.value
        try:
            yield awaited
            failure = None
        except BaseException as error:
            if cut():
                _closed(work)
                raise
            failure = error


def _closed(work: Coroutine[Any, Any, object]) -> None:
    chain: list[CoroutineType[Any, Any, object]] = []
    awaited: Any = work
    while inspect.iscoroutine(awaited):
        chain.append(awaited)
        awaited = awaited.cr_await
    with suppress(Exception, SystemExit):
        work.close()
    stubborn = [one for one in chain if inspect.getcoroutinestate(one) != inspect.CORO_CLOSED]
    if stubborn:
        Thread(target=_kept, args=(stubborn,), daemon=True).start()


def _kept(stubborn: list[CoroutineType[Any, Any, object]]) -> None:
    """Those that do not even heed being closed. To collect one is to run it again, at the end of
    the program too, where it could loop for ever; what a thread holds that never ends, is not
    collected."""
    for_ever = Event()
    while stubborn:
        for_ever.wait()
