"""One call of a component while it runs in its thread: its clock, its calls of the host, its end.

The event loop's side starts the clock, may interrupt, and does the work of host calls; the thread's
side waits for that work. The engine's epoch stops the component between any two of its
instructions; a flag covers the moment before the component's deadline is set.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from wasmtime import Engine

from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.limits import WasmLimits
from induscode.errors import IndusError

__all__ = ["Running"]

T = TypeVar("T")


class Running:
    """`doing` is for messages. `fault` is why a host call ended it: it stands before whatever the
    engine says about how the call ended."""

    def __init__(self, doing: str, engine: Engine, limits: WasmLimits) -> None:
        self.doing = doing
        self.limits = limits
        self.fault: IndusError | None = None
        self.interrupted = False
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._calls = 0
        self._host_seconds = 0.0
        self._host_since: float | None = None
        self._pending: concurrent.futures.Future[Any] | None = None
        self._started = time.monotonic()
        self._timer = self._loop.call_later(limits.seconds, self._look)

    # The event loop's side.

    def _look(self) -> None:
        """At the clock: waiting for the host does not count."""
        now = time.monotonic()
        since = self._host_since
        waited = self._host_seconds + (0.0 if since is None else now - since)
        left = self.limits.seconds - (now - self._started - waited)
        if left <= 0:
            self.interrupt()
        else:
            self._timer = self._loop.call_later(max(left, 0.01), self._look)

    def interrupt(self, fault: WasmFault | None = None) -> None:
        """Ends the call soon, with this fault: else it is out of time, or whoever made it has
        gone."""
        self.fault = self.fault or fault
        self.interrupted = True
        self._engine.increment_epoch()
        pending = self._pending
        if pending is not None:
            pending.cancel()

    def over(self) -> None:
        self._timer.cancel()

    # The thread's side.

    def counted(self) -> WasmFault | None:
        """The fault of a component that calls the host too often in one call."""
        self._calls += 1
        if self._calls <= self.limits.host_calls:
            return None
        said = f"{self.doing}: it called the host more than {self.limits.host_calls} times"
        return WasmFault(WasmFaultKind.TOO_MANY_CALLS, said)

    def waited(self, work: Callable[[], Awaitable[T]]) -> concurrent.futures.Future[T]:
        """The work, done on the event loop: over when this returns, and cancelled when the call was
        interrupted or host calls took too long altogether."""

        async def awaited() -> T:
            return await work()

        began = self._host_since = time.monotonic()
        pending = self._pending = asyncio.run_coroutine_threadsafe(awaited(), self._loop)
        if self.interrupted:
            pending.cancel()
        concurrent.futures.wait([pending], self.limits.host_seconds - self._host_seconds)
        pending.cancel()
        self._pending = None
        self._host_seconds += time.monotonic() - began
        self._host_since = None
        return pending
