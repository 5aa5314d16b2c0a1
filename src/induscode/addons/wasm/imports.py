"""The imported functions of the world, each of which asks for its grant before it does anything.

They run in the component's thread. None of them may raise but `WasmtimeError`: the library keeps
another exception in one place for all threads. What went wrong is left on the running call.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

import msgspec
from wasmtime import WasmtimeError
from wasmtime.component import Linker, Variant

from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.host import LogLevel, WasmGrant, WasmHost
from induscode.addons.wasm.limits import ANSWER_BYTES, LOG_CHARACTERS
from induscode.addons.wasm.running import Running
from induscode.addons.wasm.world import IMPORTS
from induscode.errors import HandleClosed, IndusError, ServiceRefused

__all__ = ["Caller", "define"]

T = TypeVar("T")


class Caller(Protocol):
    """The component that calls: what it holds now, and the call in which it does."""

    @property
    def host(self) -> WasmHost: ...

    @property
    def running(self) -> Running: ...


class _Refused(Exception):
    """The host will not."""


class _Failed(Exception):
    """The host could not."""


def define(linker: Linker, caller: Caller) -> None:
    """Give the linker every function of the world."""
    functions = _Functions(caller)
    with linker.root() as root:
        for interface, names in IMPORTS.items():
            with root.add_instance(interface) as instance:
                for name in names:
                    instance.add_func(name, functions.named(name))


class _Functions:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def named(self, name: str) -> Callable[..., object]:
        known: dict[str, Callable[..., object]] = {
            "write": self._write,
            "get": self._get,
            "set": self._set,
            "notify": self._notify,
            "send-message": self._send_message,
            "set-model": self._set_model,
            "set-thinking": self._set_thinking,
            "exec": self._exec,
        }
        return known[name]

    def _write(self, _store: object, level: str, text: str) -> None:
        log = self._granted(WasmGrant.LOG, self._caller.host.log, text)
        line = text if len(text) <= LOG_CHARACTERS else text[: LOG_CHARACTERS - 1] + "…"

        async def write() -> None:
            log(LogLevel(level), line)

        try:
            self._done(WasmGrant.LOG, write())
        except (_Refused, _Failed):
            return  # there is no way to tell it: a log has no answer

    def _get(self, _store: object, key: str) -> Variant:
        state = self._granted(WasmGrant.STATE, self._caller.host.state, key)
        try:
            value = self._done(WasmGrant.STATE, state.get(key))
        except (_Refused, _Failed) as error:
            return Variant("failed", str(error))
        return Variant("absent") if value is None else Variant("present", value)

    def _set(self, _store: object, key: str, value: str | None) -> Variant:
        state = self._granted(WasmGrant.STATE, self._caller.host.state, key, value or "")
        return self._replied(WasmGrant.STATE, state.set(key, value))

    def _notify(self, _store: object, text: str) -> Variant:
        return self._told(WasmGrant.NOTIFY, self._caller.host.notify, text)

    def _send_message(self, _store: object, text: str) -> Variant:
        return self._told(WasmGrant.SEND_MESSAGE, self._caller.host.handles.send_message, text)

    def _set_model(self, _store: object, model: str) -> Variant:
        return self._told(WasmGrant.SET_MODEL, self._caller.host.handles.set_model, model)

    def _set_thinking(self, _store: object, level: str) -> Variant:
        return self._told(WasmGrant.SET_THINKING, self._caller.host.handles.set_thinking, level)

    def _exec(self, _store: object, command: str) -> Variant:
        run = self._granted(WasmGrant.EXEC, self._caller.host.handles.exec, command)
        try:
            outcome = self._done(WasmGrant.EXEC, run(command))
        except (_Refused, _Failed) as error:
            return Variant("err", str(error))
        return Variant("ok", msgspec.json.encode(outcome).decode())

    def _told(
        self, grant: WasmGrant, tell: Callable[[str], Awaitable[None]] | None, text: str
    ) -> Variant:
        return self._replied(grant, self._granted(grant, tell, text)(text))

    def _replied(self, grant: WasmGrant, work: Awaitable[None]) -> Variant:
        try:
            self._done(grant, work)
        except _Refused as error:
            return Variant("refused", str(error))
        except _Failed as error:
            return Variant("failed", str(error))
        return Variant("done")

    def _granted(self, grant: WasmGrant, function: T | None, *texts: str) -> T:
        running = self._caller.running
        many = running.counted()
        if many is not None:
            raise self._ended(many)
        if function is None:
            raise self._ended(_not_granted(running.doing, grant))
        if sum(len(text.encode()) for text in texts) > ANSWER_BYTES:
            said = f"{running.doing}: it gave {grant} more than {ANSWER_BYTES:,} bytes"
            raise self._ended(WasmFault(WasmFaultKind.BAD_ANSWER, said))
        return function

    def _done(self, grant: WasmGrant, work: Awaitable[T]) -> T:
        """Raises `_Refused` or `_Failed` for the component to be told, `WasmtimeError` to end it."""
        running = self._caller.running

        async def awaited() -> T:
            return await work

        try:
            return running.waited(awaited())
        except (ServiceRefused, HandleClosed) as error:
            raise self._ended(_not_granted(running.doing, grant, str(error))) from None
        except IndusError as error:
            raise _Refused(str(error)) from None
        except TimeoutError:
            said = f"{running.doing}: its calls of the host took too long altogether"
            raise self._ended(WasmFault(WasmFaultKind.OUT_OF_TIME, said)) from None
        except OSError as error:
            raise _Failed(error.strerror or str(error)) from None
        except concurrent.futures.CancelledError:
            said = f"{running.doing}: it was stopped while it called {grant}"
            raise self._ended(WasmFault(WasmFaultKind.OUT_OF_TIME, said)) from None
        except Exception as error:  # noqa: BLE001 - no exception may cross the engine
            said = f"{running.doing}: {grant} failed in the host: {error!r}"
            raise self._ended(WasmFault(WasmFaultKind.HOST_FAILED, said)) from None

    def _ended(self, fault: WasmFault) -> WasmtimeError:
        """Ends the component's call with this fault."""
        self._caller.running.fault = fault
        return WasmtimeError(fault.message)


def _not_granted(doing: str, grant: WasmGrant, why: str = "") -> WasmFault:
    return WasmFault(
        WasmFaultKind.NOT_GRANTED,
        f"{doing}: it called {grant}, which it was not granted" + (f": {why}" if why else ""),
        hint=f"grant it {grant}, or remove the addon",
        grant=grant,
    )
