"""One turn as something to iterate over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from induscode.errors import IndusError
from induscode.kernel.events import Event, Fault, RunResult

__all__ = ["Run", "RunFailed"]


class RunFailed(IndusError):
    """A turn ended with another exit code than 0, and `check=True` was asked for."""

    def __init__(self, result: RunResult, reason: str) -> None:
        super().__init__(reason or f"the run ended with exit code {result.exit}")
        self.result = result
        self.exit_code = result.exit


class Run(AsyncIterator[Event]):
    """The events of one turn, ending with its `RunResult`.

    The turn begins with the first event asked for. Letting go of a run before its end (leaving the
    `async for`, `aclose`, cancelling the task that waits here) stops the turn; its log stays valid.
    """

    def __init__(
        self,
        begin: Callable[[Run], asyncio.Task[RunResult]],
        stop: Callable[[], None],
        *,
        check: bool,
    ) -> None:
        self._begin = begin
        self._stop = stop
        self._check = check
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._turn: asyncio.Task[RunResult] | None = None
        self._reason = ""
        self._over = False

    def __aiter__(self) -> Run:
        return self

    async def __anext__(self) -> Event:
        if self._over:
            raise StopAsyncIteration
        if self._turn is None:
            events = self._events  # not through self: a turn must not keep its run alive
            self._turn = self._begin(self)
            self._turn.add_done_callback(lambda _: events.put_nowait(None))
        try:
            event = await self._events.get()
        except asyncio.CancelledError:
            self._let_go()
            raise
        if event is None:
            self._over = True
            return self._ended(self._turn)
        if isinstance(event, Fault):
            self._reason = event.message
        return event

    async def aclose(self) -> None:
        """Stop the turn if it still runs, and wait for its end."""
        self._let_go()
        if self._turn is not None:
            await asyncio.wait({self._turn})

    def feed(self, event: Event) -> None:
        """For the agent. The result is told by the turn's own end."""
        if not isinstance(event, RunResult):
            self._events.put_nowait(event)

    def _ended(self, turn: asyncio.Task[RunResult]) -> RunResult:
        result = turn.result()
        if self._check and result.exit:
            raise RunFailed(result, self._reason)
        return result

    def _let_go(self) -> None:
        if not self._over:
            self._over = True
            self._stop()

    def __del__(self) -> None:
        if self._turn is not None:
            self._let_go()
