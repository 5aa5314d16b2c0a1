"""An event loop in a thread of its own, so that the terminal can have the main thread.

Signals and readline belong to the main thread, and a person may think about a question for as long
as they like; what runs backstage (streams, servers, timers) must not wait for them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Self, TypeVar

__all__ = ["Backstage"]

T = TypeVar("T")
_SECONDS_TO_END = 5.0


class Backstage:
    """Lives as long as its `with` block; whatever still runs then is cancelled."""

    def __init__(self) -> None:
        self._ready: Future[asyncio.AbstractEventLoop] = Future()
        self._over: asyncio.Event | None = None
        # A daemon: a tool that cannot be stopped must not keep the process from ending.
        self._thread = threading.Thread(target=self._live, name="backstage", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._loop = self._ready.result()
        return self

    def __exit__(self, *_: object) -> None:
        if self._over is not None:
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(_SECONDS_TO_END)

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin `work` there; its outcome is in the future."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def soon(self, call: Callable[[], object]) -> None:
        """Call there what is not safe to call from here."""
        self._loop.call_soon_threadsafe(call)

    def _live(self) -> None:
        asyncio.run(self._wait_for_the_end())

    async def _wait_for_the_end(self) -> None:
        self._over = asyncio.Event()
        self._ready.set_result(asyncio.get_running_loop())
        await self._over.wait()
