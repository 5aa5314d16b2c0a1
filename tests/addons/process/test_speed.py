"""A warm call of a program and back. `make bench` is where milliseconds count."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable

from induscode.addons.contract import HookEvent
from tests.addons.process.nursery import CALL, Nursery

CALLS = 300
TRIPS = 10
"""Lines to a bare program and back that one gate may take: it takes one, and some work."""

GATE = """
from indus_addon import Addon

addon = Addon("gate")

@addon.on("tool:before", gate=True)
def judge(payload):
    return None

addon.run()
"""
ECHO = "import sys\nfor line in sys.stdin.buffer:\n    sys.stdout.buffer.write(line)\n"
ECHO += "    sys.stdout.buffer.flush()\n"


async def least(call: Callable[[], Awaitable[object]]) -> float:
    """The least time of many, in seconds."""
    took = float("inf")
    for _ in range(CALLS):
        began = time.perf_counter()
        await call()
        took = min(took, time.perf_counter() - began)
    return took


async def test_a_warm_gate_costs_little_more_than_a_line_to_a_program_and_back(
    nursery: Nursery,
) -> None:
    addon = await nursery.addon(nursery.write("gate.py", GATE))
    pipe = asyncio.subprocess.PIPE
    echo = await asyncio.create_subprocess_exec(sys.executable, "-c", ECHO, stdin=pipe, stdout=pipe)
    assert echo.stdin is not None
    assert echo.stdout is not None
    writes, reads = echo.stdin, echo.stdout

    async def gate() -> None:
        assert (await addon.gate(0, HookEvent.TOOL_BEFORE, CALL)).stop is False

    async def trip() -> None:
        writes.write(b"x" * 200 + b"\n")
        await reads.readline()

    try:
        assert await least(gate) < TRIPS * await least(trip)
    finally:
        writes.close()
        await echo.wait()
