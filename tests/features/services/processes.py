"""Other processes, started at the same time and waited for with a bound."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any

__all__ = ["BOUND", "at_once"]

BOUND = 45.0


def at_once(work: Callable[..., None], *calls: tuple[Any, ...]) -> None:
    """Each call in a fresh process of its own, all together; every one must end well."""
    context = multiprocessing.get_context("spawn")
    running = [context.Process(target=work, args=call) for call in calls]
    for process in running:
        process.start()
    for process in running:
        process.join(BOUND)
    codes = [process.exitcode for process in running]
    for process in running:
        process.kill()
        process.join()
        process.close()
    assert codes == [0] * len(calls)
