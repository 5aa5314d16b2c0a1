"""Who runs the background tasks of features: started, bounded, started again, cancelled, reported.

A task gets new handles for each run, and they end with the run: what goes on after it (a stray
asyncio task, a kept handle) is refused, and so is whatever ran before the session was rewritten.
A fault of a task is a diagnostic of its feature and nothing else.

Grants are looked at before every start and, while a task runs, every `TASK_CHECK_SECONDS`: when one
that the task needs was withdrawn, its handles are taken back and it is told to end. (The services
and sinks themselves refuse at once: they ask at every use.) A task shares the session's event loop:
one that computes without awaiting holds it up, and nothing here can stop that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context
from threading import Lock
from typing import Literal, assert_never

from induscode.feature.background import TaskActivation
from induscode.feature.hosting.draft import DraftTask
from induscode.feature.hosting.installed import FeatureRegistry, InstalledFeature
from induscode.feature.hosting.task_run import CutOff, Done, Failed, Stopped, TaskRun
from induscode.feature.limits import (
    RESTART_SECONDS,
    RESTARTS_MOST,
    SHUTDOWN_SECONDS,
    TASK_CHECK_SECONDS,
    TASKS_MOST,
)

__all__ = ["Supervisor", "TaskState"]

TaskState = Literal["waiting", "running", "restarting", "done", "failed", "cancelled", "refused"]
"""`waiting`: registered, and not asked for yet, or waits for room; `refused`: without its grant."""

Sleep = Callable[[float], Awaitable[object]]


class Supervisor:
    """All tasks of one session. `start`, `resume`, `pause` and `close` are called in its event
    loop; `start_task` and `states` from anywhere."""

    def __init__(
        self,
        registry: FeatureRegistry,
        *,
        sleep: Sleep = asyncio.sleep,
        check_seconds: float = TASK_CHECK_SECONDS,
    ) -> None:
        """`sleep` is how it waits before it starts a failed task again."""
        self._minded = {
            (feature.id, task.contribution.id): _Minded(feature, task)
            for feature, task in registry.tasks()
        }
        self._sleep = sleep
        self._check_seconds = check_seconds
        self._slots = asyncio.Semaphore(TASKS_MOST)
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context = Context()
        self._held: list[_Minded] = []
        self._admits = False
        self._closed = False

    def states(self) -> dict[tuple[str, str], TaskState]:
        return {key: minded.state for key, minded in self._minded.items()}

    def start(self) -> None:
        """Start what lives as long as the session, every feature's first task before any other's
        second. Does nothing a second time."""
        if self._loop is not None or self._closed:
            return
        self._loop, self._context = asyncio.get_running_loop(), copy_context()
        self._held = sorted(
            (one for one in self._minded.values() if one.lives_with_session),
            key=lambda one: one.rank,
        )
        self.resume()

    def resume(self) -> None:
        """Start anew, with fresh handles, what `pause` ended and lives as long as the session."""
        if self._loop is None or self._closed:
            return
        self._admits, held, self._held = True, self._held, []
        for minded in held:
            minded.asked = True
            self._launch(minded)

    def start_task(self, feature_id: str, task_id: str) -> bool:
        """Start an on-demand task. False when it is unknown, not on demand, running already or
        refused, when as many run as may, and while the session is rewritten or closed."""
        minded = self._minded.get((feature_id, task_id))
        if minded is None or minded.lives_with_session or self._loop is None:
            return False
        with self._lock:
            active = sum(one.active for one in self._minded.values())
            if minded.active or not self._admits or active >= TASKS_MOST:
                return False
            if self._refused(minded):
                return False
            minded.asked = True
        try:
            self._loop.call_soon_threadsafe(self._launch, minded, context=self._context)
        except RuntimeError:  # the loop was closed in the meantime
            minded.asked = False
            return False
        return True

    async def pause(self, reason: str) -> None:
        """All tasks have ended when this returns, and what they held refuses: the session may be
        rewritten. On-demand tasks stay ended; call `resume` for the others."""
        interrupted = [one for one in self._minded.values() if one.active]
        self._held += [one for one in interrupted if one.lives_with_session]
        await self._stop(reason)
        for minded in self._held:
            minded.state = "waiting"

    async def close(self) -> None:
        """The end of the session: every task is told to end, waited for, cut off. Takes no longer
        than `SHUTDOWN_SECONDS`; does nothing a second time."""
        self._closed = True
        await self._stop("the session ended")
        for minded in self._held:
            minded.state = "cancelled"

    async def _stop(self, reason: str) -> None:
        with self._lock:
            self._admits = False
        active = [one for one in self._minded.values() if one.active]
        try:
            await asyncio.gather(*(self._ended(minded, reason) for minded in active))
        finally:
            for minded in active:
                minded.abandon()

    async def _ended(self, minded: _Minded, reason: str) -> None:
        minded.asked, watcher = False, minded.watcher
        if watcher is None:
            minded.state = "cancelled"
            return
        if minded.run is None:
            watcher.cancel()
        else:
            await self._wound_down(minded, minded.run, reason)
        await asyncio.wait({watcher})

    async def _wound_down(self, minded: _Minded, run: TaskRun, reason: str) -> None:
        seconds = minded.task.contribution.shutdown.seconds
        if not run.cancel(reason):
            minded.note("what listens to its cancellation failed")
        if not await run.ended(min(max(seconds, 0.0), SHUTDOWN_SECONDS)):
            run.cut_off()

    def _launch(self, minded: _Minded) -> None:
        asked, minded.asked = minded.asked, False
        if not asked or not self._admits or minded.watcher or self._loop is None:
            return
        minded.state = "waiting"
        context = self._context.copy()
        minded.watcher = self._loop.create_task(self._watch(minded), context=context)

    async def _watch(self, minded: _Minded) -> None:
        try:
            await self._keep(minded)
        except asyncio.CancelledError:
            minded.state = "cancelled"
            raise
        finally:
            minded.watcher = None

    async def _keep(self, minded: _Minded) -> None:
        """Run it, and again after a failure, as often as its policy and the bound permit."""
        policy = minded.task.contribution.restart
        pause = max(policy.seconds, 0.0)
        for left in range(min(max(policy.attempts, 0), RESTARTS_MOST), -1, -1):
            async with self._slots:
                again = await self._once(minded)
            if not again or left <= 0:
                return
            minded.state = "restarting"
            await self._sleep(min(pause, RESTART_SECONDS))
            pause *= 2

    async def _once(self, minded: _Minded) -> bool:
        """One run, from its grants to its end; whether it failed and may be tried again."""
        if self._refused(minded):
            return False
        run = minded.begin(self._context.copy())
        try:
            while not await run.ended(self._check_seconds):
                if self._refused(minded):
                    run.refuse()
                    await self._wound_down(minded, run, "its grant was withdrawn")
                    await run.ended(SHUTDOWN_SECONDS)
                    self._settle(minded, run)
                    minded.state = "refused"
                    return False
            return self._settle(minded, run)
        finally:
            minded.abandon()

    def _settle(self, minded: _Minded, run: TaskRun) -> bool:
        """Note how it ended; whether it failed by itself."""
        outcome = run.outcome()
        match outcome:
            case Done():
                minded.state = "done"
            case Stopped():
                minded.state = "cancelled"
            case Failed(why=why):
                minded.state = "failed"
                minded.note(why)
                return not run.told
            case CutOff():
                minded.state = "cancelled"
                minded.note("it did not end when it was told to, and was cut off")
            case _:
                assert_never(outcome)
        return False

    def _refused(self, minded: _Minded) -> bool:
        lacking = minded.feature.lacks(minded.task.needs)
        if lacking is None:
            return False
        minded.state = "refused"
        minded.note(f"it needs {lacking}")
        return True


class _Minded:
    """One task, and who is watching over it now. Its state is the feature's to report."""

    def __init__(self, feature: InstalledFeature, task: DraftTask) -> None:
        self.feature = feature
        self.task = task
        self.rank = len(feature.task_states)
        self.asked = False
        self.watcher: asyncio.Task[None] | None = None
        self.run: TaskRun | None = None
        self.state = "waiting"

    @property
    def state(self) -> TaskState:
        return self._state

    @state.setter
    def state(self, state: TaskState) -> None:
        self._state: TaskState = state
        self.feature.task_states[self.task.contribution.id] = state

    @property
    def active(self) -> bool:
        return self.asked or self.watcher is not None

    @property
    def lives_with_session(self) -> bool:
        return self.task.contribution.activation is TaskActivation.SESSION_LIFETIME

    def begin(self, context: Context) -> TaskRun:
        self.state = "running"
        self.run = TaskRun(self.task.contribution.task, self.feature.ports.lend(), context)
        return self.run

    def abandon(self) -> None:
        """Whatever still runs is cut off."""
        if self.run is not None:
            self.run.cut_off()
            self.run = None

    def note(self, message: str) -> None:
        self.feature.record.note(f"task {self.task.contribution.id}: {message}", "task")
