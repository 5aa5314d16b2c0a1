"""What a component may call: only what it was granted, and what it hears when that fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from induscode.addons.acting import HostCalls, LogLevel
from induscode.addons.contract import ExecOutcome, FrameworkHandles
from induscode.addons.wasm import (
    Stopped,
    WasmAddon,
    WasmFault,
    WasmFaultKind,
    WasmGrant,
    WasmLimits,
)
from induscode.addons.wasm.engine import new_engine
from induscode.addons.wasm.running import Running
from induscode.errors import Cancelled, ServiceRefused, UserError
from tests.addons.wasm.parts import Calls, Ear, Misdeed, Opener

GRANTS = {
    Calls.STATE_GET: WasmGrant.STATE,
    Calls.STATE_SET: WasmGrant.STATE,
    Calls.STATE_REMOVE: WasmGrant.STATE,
    Calls.NOTIFY: WasmGrant.NOTIFY,
    Calls.SEND_MESSAGE: WasmGrant.SEND_MESSAGE,
    Calls.SET_MODEL: WasmGrant.SET_MODEL,
    Calls.SET_THINKING: WasmGrant.SET_THINKING,
    Calls.EXEC: WasmGrant.EXEC,
}


async def call(addon: WasmAddon, which: Calls, text: str = "hello") -> str:
    answer = await addon.handle(which, "turn:start", text)
    assert isinstance(answer, Stopped)
    return answer.reason


def sending(send: Callable[[str], Awaitable[None]]) -> HostCalls:
    return HostCalls(handles=FrameworkHandles(send_message=send))


def raising(error: BaseException) -> HostCalls:
    async def send(_text: str) -> None:
        raise error

    return sending(send)


@pytest.mark.parametrize(("which", "grant"), GRANTS.items())
async def test_a_call_without_its_grant_is_a_fault_that_names_the_grant(
    opener: Opener, which: Calls, grant: WasmGrant
) -> None:
    addon = await opener()
    with pytest.raises(WasmFault, match=f"called {grant}, which it was not granted") as fault:
        await call(addon, which)
    assert (fault.value.kind, fault.value.grant) == (WasmFaultKind.NOT_GRANTED, grant)


async def test_granted_calls_do_what_they_say(opener: Opener) -> None:
    ear = Ear()
    addon = await opener(host=ear.host())
    assert await call(addon, Calls.LOG, "look") == "0 "
    assert await call(addon, Calls.STATE_GET, "k") == "0 "
    assert await call(addon, Calls.STATE_SET, "value ü") == "0 "
    assert await call(addon, Calls.STATE_GET, "k") == "1 value ü"
    assert await call(addon, Calls.STATE_REMOVE) == "0 "
    assert await call(addon, Calls.STATE_GET, "k") == "0 "
    assert await call(addon, Calls.NOTIFY, "a") == "0 "
    assert await call(addon, Calls.SEND_MESSAGE, "b") == "0 "
    assert await call(addon, Calls.SET_MODEL, "c") == "0 "
    assert await call(addon, Calls.SET_THINKING, "d") == "0 "
    assert await call(addon, Calls.EXEC, "ls") == '0 {"stdout":"out","stderr":"","code":0}'
    assert ear.heard == [
        ("log", LogLevel.WARNING, "look"),
        ("notify", "a"),
        ("send", "b"),
        ("model", "c"),
        ("thinking", "d"),
        ("exec", "ls"),
    ]


async def test_a_line_for_the_log_needs_no_grant_and_is_cut(opener: Opener) -> None:
    ear = Ear()
    addon = await opener()
    assert await call(addon, Calls.LOG) == "0 "
    addon.host = HostCalls(log=ear.log)
    await call(addon, Calls.LOG, "x" * 5_000)
    assert [len(text) for _, _, text in ear.heard] == [2_000]


async def test_a_grant_counts_as_it_is_at_the_moment_of_the_call(opener: Opener) -> None:
    ear = Ear()
    addon = await opener(host=ear.host())
    assert await call(addon, Calls.EXEC)
    addon.host = HostCalls()
    with pytest.raises(WasmFault, match="exec"):
        await call(addon, Calls.EXEC)


async def test_a_grant_that_was_withdrawn_is_the_same_fault(opener: Opener) -> None:
    addon = await opener(host=raising(ServiceRefused("it was taken back")))
    with pytest.raises(WasmFault, match="taken back") as fault:
        await call(addon, Calls.SEND_MESSAGE)
    assert fault.value.kind is WasmFaultKind.NOT_GRANTED


async def test_a_call_that_fails_is_told_to_the_component(opener: Opener) -> None:
    addon = await opener(host=raising(UserError("no such model", hint="pick another")))
    assert await call(addon, Calls.SEND_MESSAGE) == "1 no such model; pick another"
    addon.host = raising(FileNotFoundError(2, "No such file or directory"))
    assert await call(addon, Calls.SEND_MESSAGE) == "2 No such file or directory"


async def test_a_mistake_of_the_host_is_called_that_and_reaches_no_other_component(
    opener: Opener,
) -> None:
    addon, other = await opener(host=raising(ZeroDivisionError("ours"))), await opener()
    with pytest.raises(WasmFault, match="ours") as fault:
        await call(addon, Calls.SEND_MESSAGE)
    assert fault.value.kind is WasmFaultKind.HOST_FAILED
    with pytest.raises(WasmFault, match="unreachable"):
        await other.handle(Misdeed.TRAP, "turn:start", "{}")


async def test_an_error_that_is_not_the_components_passes_through(opener: Opener) -> None:
    addon = await opener(host=raising(Cancelled("stopped by the user")))
    with pytest.raises(Cancelled):
        await call(addon, Calls.SEND_MESSAGE)


async def test_waiting_for_the_host_is_not_the_components_time(opener: Opener) -> None:
    async def slow(_command: str) -> ExecOutcome:
        await asyncio.sleep(0.3)
        return ExecOutcome("", "", 0)

    host = HostCalls(handles=FrameworkHandles(exec=slow))
    addon = await opener(host=host, limits=WasmLimits(seconds=0.15))
    assert (await call(addon, Calls.EXEC)).startswith("0 ")


async def test_host_calls_have_a_limit_of_their_own(opener: Opener) -> None:
    over: list[str] = []

    async def forever(text: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            over.append(text)

    addon = await opener(host=sending(forever), limits=WasmLimits(host_seconds=0.1))
    with pytest.raises(WasmFault, match="too long altogether") as fault:
        await call(addon, Calls.SEND_MESSAGE)
    assert fault.value.kind is WasmFaultKind.OUT_OF_TIME
    assert over == ["hello"]


async def test_cancelling_a_call_ends_the_host_call_that_it_waits_for(opener: Opener) -> None:
    begun, over = asyncio.Event(), asyncio.Event()

    async def forever(_text: str) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            over.set()

    addon = await opener(host=sending(forever))
    waiting = asyncio.create_task(call(addon, Calls.SEND_MESSAGE))
    await begun.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.wait_for(over.wait(), 5)


async def test_closing_ends_a_call_that_waits_for_the_host(opener: Opener) -> None:
    begun = asyncio.Event()

    async def forever(_text: str) -> None:
        begun.set()
        await asyncio.Event().wait()

    addon = await opener(host=sending(forever))
    waiting = asyncio.create_task(call(addon, Calls.SEND_MESSAGE))
    await begun.wait()
    await addon.close()
    with pytest.raises(WasmFault) as fault:
        await waiting
    assert fault.value.kind is WasmFaultKind.CLOSED


async def test_a_host_call_that_comes_after_the_interruption_is_not_waited_for() -> None:
    running = Running("turn:start", new_engine(), WasmLimits())
    running.interrupt()
    running.over()
    never = asyncio.Event()
    future = await asyncio.wait_for(asyncio.to_thread(running.waited, never.wait), 5)
    assert future.cancelled()


async def test_a_component_that_is_called_on_its_own_behalf_is_refused_and_not_deadlocked(
    opener: Opener,
) -> None:
    kinds: list[WasmFaultKind] = []

    async def send(_text: str) -> None:
        with pytest.raises(WasmFault) as fault:
            await addon.handle(Misdeed.STOP, "input:submit", "{}")
        kinds.append(fault.value.kind)

    addon = await opener(host=sending(send))
    await call(addon, Calls.SEND_MESSAGE)
    assert kinds == [WasmFaultKind.REENTERED]


async def test_a_text_for_the_host_has_a_limit(opener: Opener) -> None:
    addon = await opener(host=Ear().host())
    with pytest.raises(WasmFault, match="more than 1,048,576 bytes") as fault:
        await call(addon, Calls.SEND_MESSAGE, "x" * (1024 * 1024 + 1))
    assert fault.value.kind is WasmFaultKind.BAD_ANSWER


async def test_components_that_call_at_the_same_time_do_not_disturb_each_other(
    opener: Opener,
) -> None:
    ears = [Ear() for _ in range(4)]
    addons = [await opener(host=ear.host()) for ear in ears]

    async def busy(addon: WasmAddon, name: str) -> None:
        for n in range(50):
            await call(addon, Calls.STATE_SET, f"{name} {n}")
            assert await call(addon, Calls.STATE_GET, "k") == f"1 {name} {n}"

    await asyncio.gather(*(busy(addon, str(at)) for at, addon in enumerate(addons)))
