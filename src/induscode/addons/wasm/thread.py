"""A thread of one's own: does one thing after the other, and tells the event loop.

The way there and back is a good part of what a call of a component takes, so it is the shortest:
one queue, and one call back.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from _queue import SimpleQueue
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, Literal, TypeVar

__all__ = ["OwnThread"]

T = TypeVar("T")


class _Job(Generic[T]):
    """One thing to do. `answer` is for whoever waits, and may be cancelled; `over` is set in any
    case."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] | None = None
        self._is_over = False
        self.answer: asyncio.Future[T] = self._loop.create_future()

    def do(self) -> None:
        """In the thread."""
        with self:
            self._tell(self._done, self._work())

    def __enter__(self) -> None:
        """What is raised from here on is raised where the answer is waited for."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> Literal[True]:
        if error is not None:
            self._tell(self._failed, error)
        return True

    async def until_over(self) -> None:
        """Cancelling this does not help."""
        while not self._is_over:
            self._over = self._loop.create_future()
            with suppress(asyncio.CancelledError):
                await self._over

    def _tell(self, how: Callable[[Any], None], what: object) -> None:
        with suppress(RuntimeError):  # the loop was closed: nobody waits
            self._loop.call_soon_threadsafe(how, what)

    def _done(self, outcome: T) -> None:
        self._end()
        if not self.answer.done():
            self.answer.set_result(outcome)

    def _failed(self, error: BaseException) -> None:
        self._end()
        if not self.answer.done():
            self.answer.set_exception(error)

    def _end(self) -> None:
        self._is_over = True
        if self._over is not None and not self._over.done():
            self._over.set_result(None)


_Jobs = SimpleQueue[_Job[Any] | None]


class OwnThread:
    """Begun by the first thing to do; it ends with `close`, or with this object. It never keeps the
    program from ending."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: _Jobs = SimpleQueue()
        self._thread: threading.Thread | None = None
        weakref.finalize(self, self._jobs.put, None)

    async def run(self, work: Callable[[], T], interrupt: Callable[[], object]) -> T:
        """What it comes to. When the one who waits is cancelled, the work is interrupted and is
        over when this returns."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=_serve, args=(self._jobs,), name=self._name, daemon=True
            )
            self._thread.start()
        job = _Job(work)
        self._jobs.put(job)
        try:
            return await job.answer
        except asyncio.CancelledError:
            interrupt()
            await job.until_over()
            raise

    def close(self) -> None:
        """Once nothing runs."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()


def _serve(jobs: _Jobs) -> None:
    while True:
        job = jobs.get()
        if job is None:
            return
        job.do()
        del job
