"""A call that crosses into a component and back, warm. `make bench` is where milliseconds count."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from induscode.addons.wasm import Unchanged
from tests.addons.wasm.parts import GUARD, Opener

CALLS = 500
HOPS = 6
"""Crossings to a thread and back that one call may take: it takes one, and some work."""


async def least(call: Callable[[], Awaitable[object]]) -> float:
    """The least time of many, in seconds."""
    took = float("inf")
    for _ in range(CALLS):
        began = time.perf_counter()
        await call()
        took = min(took, time.perf_counter() - began)
    return took


async def test_an_interceptor_costs_little_more_than_the_way_to_its_thread(opener: Opener) -> None:
    addon = await opener(GUARD)

    async def enter() -> None:
        answer = await addon.enter(0, "bash", "c1", '{"command": "ls -la"}')
        assert answer == Unchanged()

    async def hop() -> None:
        await asyncio.to_thread(int)

    assert await least(enter) < HOPS * await least(hop)
