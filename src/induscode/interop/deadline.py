"""Deadlines of requests that stand still while the person thinks."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from contextvars import Context, copy_context
from typing import Any, TypeVar

__all__ = ["Pause", "finished", "first_of"]

T = TypeVar("T")
_SECONDS_TO_STOP = 2.0


class Pause:
    """Entered while a person is asked; may be entered again meanwhile. `total` is for how long it
    was, up to now. What they are asked belongs to the requests that are under way: with the last of
    them it is withdrawn, whether or not the server says so; it runs in the context of the only one,
    so that whoever is asked can know whose request it is."""

    def __init__(self) -> None:
        self._depth = 0
        self._since = 0.0
        self._before = 0.0
        self._under_way: list[Context] = []
        self._questions: set[asyncio.Future[Any]] = set()
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> None:
        if self._depth == 0:
            self._since = self._loop.time()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._before += self._loop.time() - self._since

    @property
    def total(self) -> float:
        return self._before + (self._loop.time() - self._since if self._depth else 0.0)

    @property
    def questions(self) -> int:
        """How many the person has not answered yet."""
        return len(self._questions)

    @contextmanager
    def request(self) -> Generator[None]:
        """Around each request of ours."""
        context = copy_context()
        self._under_way.append(context)
        try:
            yield
        finally:
            self._under_way.remove(context)
            if not self._under_way:
                for question in self._questions:
                    question.cancel()

    async def asked(self, question: Coroutine[Any, Any, T]) -> T | None:
        """What the person said, None when the question was withdrawn."""
        only = self._under_way[0].copy() if len(self._under_way) == 1 else None
        asking = self._loop.create_task(question, context=only)
        self._questions.add(asking)
        try:
            with self:
                await asyncio.wait((asking,))
        finally:
            self._questions.discard(asking)
            asking.cancel()
        return None if asking.cancelled() else asking.result()


async def finished(
    work: Coroutine[Any, Any, T], seconds: float, pause: Pause
) -> asyncio.Task[T] | None:
    """The task, which is done, or None when it was not in time: then it was stopped. Cancelled, it
    is stopped too."""
    with pause.request():
        return await _finished(work, seconds, pause)


async def _finished(
    work: Coroutine[Any, Any, T], seconds: float, pause: Pause
) -> asyncio.Task[T] | None:
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    began, paused = loop.time(), pause.total
    left = seconds
    try:
        while left > 0 and not task.done():
            await asyncio.wait((task,), timeout=left)
            left = began + seconds + pause.total - paused - loop.time()
    finally:
        # Stopping tells the server; a connection that takes no words must not hold us.
        if not task.done():
            task.cancel()
            await asyncio.wait((task,), timeout=_SECONDS_TO_STOP)
    return task if task.done() and not task.cancelled() else None


async def first_of(*events: asyncio.Event, seconds: float | None = None) -> None:
    """Until one of them is set, or the time is over."""
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
