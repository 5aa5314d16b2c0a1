"""Components at rest: opened by their first call, held to what is known, and to a limit."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from induscode.addons.contract import CommandContext, FrameworkHandles, Gate, GateDecision
from induscode.addons.package import package_at
from induscode.addons.standing import look
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.limits import WasmLimits
from induscode.kernel.content import plain_text
from tests.addons.process.nursery import context
from tests.addons.standing.field import READ, TURN, Field
from tests.addons.wasm.parts import GUARD, HOSTILE, Misdeed
from tests.tools.waiting import until


async def test_a_component_at_rest_is_opened_by_its_first_call(field: Field) -> None:
    package = package_at(GUARD)
    placed = await field.placed(package)
    gate = placed.handler
    assert isinstance(gate, Gate)
    assert await gate.run(READ) == GateDecision(stop=False)
    typed = CommandContext("you", field.folder, FrameworkHandles())
    with pytest.raises(WasmFault, match="not granted"):
        await placed.recorded.commands[0].run(typed)
    result = await placed.tool.execute({"text": "a b"}, context(field.folder))
    assert "2" in plain_text(result.content)
    await placed.standing.close()
    with pytest.raises(WasmFault, match="it is closed"):
        await gate.run(READ)
    assert placed.standing.unconfined == ""
    assert field.faults == []


async def test_a_component_that_registers_something_else_than_approved_answers_nothing(
    field: Field,
) -> None:
    package = package_at(GUARD)
    offers = await look(package, field.footing())
    placed = await field.placed(package, offers=msgspec.structs.replace(offers, version="9"))
    for _ in range(2):
        with pytest.raises(WasmFault, match="something else than what was approved"):
            await placed.handler.run(READ)
    assert len(field.faults) == 1


async def test_the_fourth_crash_of_a_component_in_five_minutes_disables_it(field: Field) -> None:
    limits = WasmLimits(seconds=0.1)
    placed = await field.placed(package_at(HOSTILE), wasm_limits=limits)
    loop = placed.recorded.subscriptions[Misdeed.LOOP].handler
    fail, silent = (command.run for command in placed.recorded.commands)
    typed = CommandContext("", field.folder, FrameworkHandles())
    for _ in range(4):
        with pytest.raises(WasmFault, match="the dog ate it"):  # which is no crash
            await fail(typed)
        with pytest.raises(WasmFault, match="out of time"):
            await loop.run(TURN)
    with pytest.raises(WasmFault) as raised:
        await silent(typed)
    assert raised.value.kind is WasmFaultKind.DISABLED
    words = "it is disabled: it ended 4 times within 5 minutes, the last time because: "
    assert raised.value.message.startswith(words)
    assert len(field.faults) == 5
    assert words in field.faults[-1].message


async def test_what_is_no_component_is_refused_once_and_not_looked_at_again(field: Field) -> None:
    path = field.write("own/junk.wasm", "junk")
    package = package_at(path)
    placed = await field.placed(package, offers=await look(package_at(GUARD), field.footing()))
    for _ in range(6):
        with pytest.raises(WasmFault, match="no WebAssembly component"):
            await placed.handler.run(READ)
        path.unlink(missing_ok=True)
    assert len(field.faults) == 1


async def test_calls_that_are_cancelled_are_no_crashes(field: Field) -> None:
    placed = await field.placed(package_at(HOSTILE), wasm_limits=WasmLimits(seconds=60))
    loop = placed.recorded.subscriptions[Misdeed.LOOP].handler
    silent = placed.recorded.commands[1].run
    typed = CommandContext("", field.folder, FrameworkHandles())
    assert await silent(typed) is None
    for _ in range(5):
        running = asyncio.ensure_future(loop.run(TURN))
        done, _ = await asyncio.wait({running}, timeout=0.05)
        assert not done
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert await silent(typed) is None
    assert field.faults == []


async def test_opening_goes_on_when_whoever_waits_for_it_gives_up(field: Field) -> None:
    package = package_at(GUARD)
    offers = await look(package, field.footing())
    field.cache = field.folder / "empty"
    placed = await field.placed(package, offers=offers)
    first = asyncio.ensure_future(placed.handler.run(READ))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    await until(lambda: field.cache.is_dir() and any(field.cache.iterdir()))
    assert await placed.handler.run(READ) == GateDecision(stop=False)
    assert len(list(field.cache.iterdir())) == 1


async def test_closing_ends_an_opening(field: Field) -> None:
    package = package_at(GUARD)
    offers = await look(package, field.footing())
    field.cache = field.folder / "empty"
    placed = await field.placed(package, offers=offers)
    first = asyncio.ensure_future(placed.handler.run(READ))
    await asyncio.sleep(0)
    await placed.standing.close()
    with pytest.raises(WasmFault, match="it is closed"):
        await first
    assert not field.cache.exists()
