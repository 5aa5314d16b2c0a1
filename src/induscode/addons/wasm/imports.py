"""The imported functions of the world, each of which asks for its grant before it does anything.

They run in the component's thread. None of them may raise but `WasmtimeError`: the library keeps
another exception in one place for all threads. What went wrong is left on the running call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol, TypeVar

import msgspec
from wasmtime import WasmtimeError
from wasmtime.component import Linker, Variant

from induscode.addons.acting import LOG_CHARACTERS, HostCalls, LogLevel
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.grants import WasmGrant
from induscode.addons.wasm.limits import ANSWER_BYTES
from induscode.addons.wasm.running import Running
from induscode.addons.wasm.world import IMPORTS
from induscode.errors import (
    BudgetEnded,
    Cancelled,
    HandleClosed,
    HostError,
    IndusError,
    ServiceRefused,
)

__all__ = ["Caller", "define"]

T = TypeVar("T")


class Caller(Protocol):
    """The component that calls: what it holds now, and the call in which it does."""

    @property
    def host(self) -> HostCalls: ...

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
        log = self._granted("log", self._caller.host.log or _nowhere, text)
        line = text if len(text) <= LOG_CHARACTERS else text[: LOG_CHARACTERS - 1] + "…"

        async def write() -> None:
            log(LogLevel(level), line)

        with suppress(_Refused, _Failed):  # there is no answer that could say so
            self._done("log", write)

    def _get(self, _store: object, key: str) -> Variant:
        state = self._granted(WasmGrant.STATE, self._caller.host.state, key)
        try:
            value = self._done(WasmGrant.STATE, lambda: state.get(key))
        except (_Refused, _Failed) as error:
            return Variant("failed", str(error))
        return Variant("absent") if value is None else Variant("present", value)

    def _set(self, _store: object, key: str, value: str | None) -> Variant:
        state = self._granted(WasmGrant.STATE, self._caller.host.state, key, value or "")
        return self._replied(WasmGrant.STATE, lambda: state.set(key, value))

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
            outcome = self._done(WasmGrant.EXEC, lambda: run(command))
        except (_Refused, _Failed) as error:
            return Variant("err", str(error))
        return Variant("ok", msgspec.json.encode(outcome).decode())

    def _told(
        self, grant: str, tell: Callable[[str], Awaitable[None]] | None, text: str
    ) -> Variant:
        granted = self._granted(grant, tell, text)
        return self._replied(grant, lambda: granted(text))

    def _replied(self, grant: str, work: Callable[[], Awaitable[None]]) -> Variant:
        try:
            self._done(grant, work)
        except _Refused as error:
            return Variant("refused", str(error))
        except _Failed as error:
            return Variant("failed", str(error))
        return Variant("done")

    def _granted(self, grant: str, function: T | None, *texts: str) -> T:
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

    def _done(self, grant: str, work: Callable[[], Awaitable[T]]) -> T:
        """Raises `_Refused` or `_Failed` to tell the component, `WasmtimeError` to end it."""
        running = self._caller.running
        future = running.waited(work)
        if future.cancelled():
            said = "was stopped" if running.interrupted else "took too long altogether"
            late = f"{running.doing}: its call of {grant} {said}"
            raise self._ended(WasmFault(WasmFaultKind.OUT_OF_TIME, late))
        match future.exception():
            case None:
                return future.result()
            case ServiceRefused() | HandleClosed() as error:
                raise self._ended(_not_granted(running.doing, grant, str(error)))
            case BudgetEnded() | Cancelled() | HostError() as error:
                raise self._ended(error)
            case IndusError() as error:
                raise _Refused(str(error))
            case OSError() as error:
                raise _Failed(error.strerror or str(error))
            case error:
                said = f"{running.doing}: {grant} failed in the host: {error!r}"
                raise self._ended(WasmFault(WasmFaultKind.HOST_FAILED, said))

    def _ended(self, fault: IndusError) -> WasmtimeError:
        """Ends the component's call with this fault."""
        running = self._caller.running
        running.fault = running.fault or fault
        return WasmtimeError(fault.message)


def _nowhere(_level: LogLevel, _text: str) -> None:
    """A line for the log that nobody keeps."""


def _not_granted(doing: str, grant: str, why: str = "") -> WasmFault:
    return WasmFault(
        WasmFaultKind.NOT_GRANTED,
        f"{doing}: it called {grant}, which it was not granted" + (f": {why}" if why else ""),
        hint=f"grant it {grant}, or remove the addon",
        grant=grant,
    )
