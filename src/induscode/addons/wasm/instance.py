"""A component that lives: its memory, its fuel, its deadline. Used in the component's thread only.

After a trap the engine lets nobody in again; whoever holds this makes a new one.
"""

from __future__ import annotations

from typing import Any

from wasmtime import Engine, Store, WasmtimeError
from wasmtime.component import Component, Func, Linker

from induscode.addons.wasm.faults import WasmFault, WasmFaultKind, fault_of
from induscode.addons.wasm.imports import Caller, define
from induscode.addons.wasm.limits import (
    CORE_INSTANCES,
    MEMORIES,
    TABLE_ELEMENTS,
    TABLES,
    WasmLimits,
)
from induscode.addons.wasm.running import Running
from induscode.errors import IndusError

__all__ = ["Instance"]


class Instance:
    """Raises as `call` does when the component's own start fails."""

    def __init__(
        self, engine: Engine, component: Component, caller: Caller, limits: WasmLimits
    ) -> None:
        self._linker = Linker(engine)
        define(self._linker, caller)
        self._store = Store(engine)
        self._store.set_limits(
            memory_size=limits.memory_bytes,
            memories=MEMORIES,
            tables=TABLES,
            table_elements=TABLE_ELEMENTS,
            instances=CORE_INSTANCES,
        )
        self._functions: dict[str, Func] = {}
        running = caller.running
        try:
            self._begin(running)
            self._instance = self._linker.instantiate(self._store, component)
        except WasmtimeError as error:
            self.close()
            raise _fault(running, error) from None

    def call(self, running: Running, name: str, *given: Any) -> Any:
        """Raises `WasmFault`, or the error of the host that ended the call."""
        try:
            self._begin(running)
            return self._function(name)(self._store, *given)
        except WasmtimeError as error:
            raise _fault(running, error) from None

    def close(self) -> None:
        self._store.close()
        self._linker.close()

    def _begin(self, running: Running) -> None:
        self._store.set_fuel(running.limits.fuel)
        self._store.set_epoch_deadline(1)
        if running.interrupted:
            raise WasmtimeError("wasm trap: interrupt")

    def _function(self, name: str) -> Func:
        found = self._functions.get(name)
        if found is None:
            found = self._instance.get_func(self._store, name)
            if found is None:
                raise WasmFault(WasmFaultKind.REFUSED, f"it does not export {name!r}")
            self._functions[name] = found
        return found


def _fault(running: Running, error: WasmtimeError) -> IndusError:
    return running.fault or fault_of(running.doing, str(error))
