"""Components that take too much: each is stopped, named, and started anew."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace

import pytest
from wasmtime import wat2wasm
from wasmtime.component import Component

from induscode.addons.wasm import Stopped, WasmFault, WasmFaultKind, WasmLimits
from induscode.addons.wasm.engine import new_engine
from induscode.addons.wasm.instance import Instance
from induscode.addons.wasm.running import Running
from tests.addons.wasm.parts import MB, Ear, Misdeed, Opener

SMALL = WasmLimits(memory_bytes=8 * MB)


@pytest.mark.parametrize(
    ("misdeed", "limits", "kind", "words"),
    [
        (Misdeed.LOOP, WasmLimits(fuel=10_000_000), WasmFaultKind.OUT_OF_FUEL, "out of fuel"),
        (Misdeed.LOOP, WasmLimits(seconds=0.1), WasmFaultKind.OUT_OF_TIME, "out of time"),
        (Misdeed.GROW, SMALL, WasmFaultKind.OUT_OF_MEMORY, "out of memory"),
        (Misdeed.GROW_AT_ONCE, SMALL, WasmFaultKind.OUT_OF_MEMORY, "out of memory"),
        (Misdeed.TRAP, SMALL, WasmFaultKind.TRAP, "unreachable"),
        (Misdeed.RECURSE, SMALL, WasmFaultKind.TRAP, "it trapped"),
        (Misdeed.LONG_ANSWER, SMALL, WasmFaultKind.BAD_ANSWER, "more than 1,048,576 bytes"),
        (Misdeed.BAD_UTF8, SMALL, WasmFaultKind.BAD_ANSWER, "utf-8"),
        (Misdeed.OUTSIDE, SMALL, WasmFaultKind.BAD_ANSWER, "out of bounds"),
        (Misdeed.FLOOD, SMALL, WasmFaultKind.TOO_MANY_CALLS, "more than 1000 times"),
    ],
)
async def test_each_misdeed_is_a_fault_of_its_own_kind_and_the_next_call_works(
    opener: Opener, misdeed: Misdeed, limits: WasmLimits, kind: WasmFaultKind, words: str
) -> None:
    addon = await opener(limits=limits)
    with pytest.raises(WasmFault, match=words) as fault:
        await addon.handle(misdeed, "turn:start", "{}")
    assert fault.value.kind is kind
    assert fault.value.message.startswith("turn:start: ")
    assert await addon.handle(Misdeed.STOP, "turn:start", "{}") == Stopped("no")


async def test_the_deadline_is_kept_though_the_component_never_looks_up(opener: Opener) -> None:
    addon = await opener(limits=WasmLimits(fuel=2**62, seconds=0.2))
    began = time.monotonic()
    with pytest.raises(WasmFault, match="out of time"):
        await addon.handle(Misdeed.LOOP, "turn:start", "{}")
    assert 0.2 <= time.monotonic() - began < 5


async def test_the_event_loop_runs_on_while_a_component_loops(opener: Opener) -> None:
    addon = await opener(limits=WasmLimits(seconds=0.3))
    looping = asyncio.create_task(addon.handle(Misdeed.LOOP, "turn:start", "{}"))
    turns = 0
    while not looping.done():
        await asyncio.sleep(0)
        turns += 1
    assert isinstance(looping.exception(), WasmFault)
    assert turns > 100


async def test_a_component_that_is_larger_than_its_memory_is_not_opened(opener: Opener) -> None:
    with pytest.raises(WasmFault) as fault:
        await opener(limits=WasmLimits(memory_bytes=65536))
    assert fault.value.kind is WasmFaultKind.OUT_OF_MEMORY


@pytest.mark.parametrize(
    "text",
    [
        "(core module $m (memory 1))" + "(core instance (instantiate $m))" * 5,
        "(core module $m (table 1 funcref))" + "(core instance (instantiate $m))" * 33,
        "(core module $m)" + "(core instance (instantiate $m))" * 257,
        "(core module $m (table 100001 funcref)) (core instance (instantiate $m))",
    ],
    ids=["memories", "tables", "instances", "elements"],
)
async def test_a_component_of_too_many_parts_is_not_started(text: str) -> None:
    engine, limits = new_engine(), WasmLimits()
    running = Running("start", engine, limits)
    caller = SimpleNamespace(running=running, host=None)
    many = Component(engine, wat2wasm(f"(component {text})"))
    with pytest.raises(WasmFault) as fault:
        Instance(engine, many, caller, limits)
    running.over()
    assert fault.value.kind is WasmFaultKind.OUT_OF_MEMORY


async def test_a_component_forgets_after_a_fault_and_only_then(opener: Opener) -> None:
    addon = await opener(limits=SMALL)

    async def count() -> object:
        return await addon.handle(Misdeed.COUNT, "turn:start", "{}")

    assert [await count(), await count()] == [Stopped("0"), Stopped("1")]
    with pytest.raises(WasmFault):
        await addon.handle(Misdeed.TRAP, "turn:start", "{}")
    assert await count() == Stopped("0")
    await addon.rest()
    assert await count() == Stopped("0")


async def test_fuel_is_counted_for_each_call_by_itself(opener: Opener) -> None:
    addon = await opener(limits=WasmLimits(fuel=100_000))
    for _ in range(200):
        await addon.handle(Misdeed.STOP, "turn:start", "{}")


async def test_a_cancelled_call_stops_the_component_at_once(opener: Opener) -> None:
    addon = await opener(limits=WasmLimits(fuel=2**62, seconds=60))
    call = asyncio.create_task(addon.handle(Misdeed.LOOP, "turn:start", "{}"))
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await addon.handle(Misdeed.STOP, "turn:start", "{}") == Stopped("no")


async def test_closing_stops_a_call_that_runs_and_those_that_wait(opener: Opener) -> None:
    addon = await opener(limits=WasmLimits(fuel=2**62, seconds=60))
    calls = [asyncio.create_task(addon.handle(Misdeed.LOOP, "turn:start", "{}")) for _ in range(3)]
    await asyncio.sleep(0)
    await addon.close()
    await addon.close()
    done = await asyncio.gather(*calls, return_exceptions=True)
    kinds = [each.kind for each in done if isinstance(each, WasmFault)]
    assert kinds == [WasmFaultKind.CLOSED] * 3


async def test_calls_come_one_after_the_other(opener: Opener) -> None:
    addon = await opener(host=Ear().host())
    calls = [addon.handle(Misdeed.COUNT, "turn:start", "{}") for _ in range(5)]
    assert await asyncio.gather(*calls) == [Stopped(str(n)) for n in range(5)]


async def test_one_that_loops_does_not_hold_up_another(opener: Opener) -> None:
    slow, quick = await opener(limits=WasmLimits(seconds=30, fuel=2**62)), await opener()
    looping = asyncio.create_task(slow.handle(Misdeed.LOOP, "turn:start", "{}"))
    await asyncio.sleep(0)
    assert await quick.handle(Misdeed.STOP, "turn:start", "{}") == Stopped("no")
    assert not looping.done()
    looping.cancel()
    await asyncio.wait({looping})
