"""A component at rest: opened by its first call, and not any more once it crashed too often.

Importing this does not import the engine.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from induscode.addons.acting import HostCalls
from induscode.addons.crashes import MEND, Crashes
from induscode.addons.offers import Offers
from induscode.addons.wasm.cache import CompileCache
from induscode.addons.wasm.decisions import Outcome, ToolAnswer
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.limits import WasmLimits

if TYPE_CHECKING:
    from induscode.addons.wasm.addon import WasmAddon

__all__ = ["INSTALL", "ComponentFile", "RestingComponent", "open_component"]

INSTALL = "pip install 'induscode[wasm]'"
_NO_CRASH = frozenset(
    {
        WasmFaultKind.CLOSED,
        WasmFaultKind.NOT_GRANTED,
        WasmFaultKind.HOST_FAILED,
        WasmFaultKind.NO_ENGINE,
        WasmFaultKind.UNREADABLE,
    }
)

T = TypeVar("T")


class ComponentFile(Struct, frozen=True):
    """Where the component is, what is kept of compiling it, and how much it may use."""

    path: Path
    cache: CompileCache | None = None
    limits: WasmLimits = WasmLimits()


async def open_component(file: ComponentFile, calls: HostCalls) -> WasmAddon:
    """Open it, with the engine. Raises `WasmFault`."""
    try:
        runtime = import_module("induscode.addons.wasm.addon")
    except ImportError as error:
        if error.name is None or not error.name.startswith("wasmtime"):
            raise
        message = "WebAssembly components need the package wasmtime"
        raise WasmFault(WasmFaultKind.NO_ENGINE, message, hint=INSTALL) from None
    try:
        return await runtime.WasmAddon.open(
            file.path, limits=file.limits, host=calls, cache=file.cache
        )
    except OSError as error:
        said = error.strerror or str(error)
        raise WasmFault(WasmFaultKind.UNREADABLE, said, hint="make it readable") from None


class RestingComponent:
    """A `contributions.Component`. What it registers when it is opened must be what was `approved`.
    Opening goes on when whoever waits for it is cancelled: compiling may take its time. `told`
    hears of each crash, and of its being disabled."""

    def __init__(
        self,
        file: ComponentFile,
        approved: Offers,
        calls: HostCalls,
        told: Callable[[WasmFault], None] = lambda _: None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._file = file
        self._approved = approved
        self._calls = calls
        self._told = told
        self._crashes = Crashes(now)
        self._addon: WasmAddon | None = None
        self._opening: asyncio.Task[WasmAddon] | None = None
        self._over: WasmFault | None = None

    async def handle(self, handler: int, event: str, payload: str) -> Outcome:
        return await self._asked(lambda addon: addon.handle(handler, event, payload))

    async def enter(self, handler: int, tool: str, call_id: str, args: str) -> Outcome:
        return await self._asked(lambda addon: addon.enter(handler, tool, call_id, args))

    async def leave(
        self, handler: int, tool: str, call_id: str, args: str, answer: str, error: str = ""
    ) -> Outcome:
        given = (handler, tool, call_id, args, answer, error)
        return await self._asked(lambda addon: addon.leave(*given))

    async def command(self, name: str, args: str, cwd: str) -> str | None:
        return await self._asked(lambda addon: addon.command(name, args, cwd))

    async def call_tool(self, name: str, call_id: str, args: str) -> ToolAnswer:
        return await self._asked(lambda addon: addon.call_tool(name, call_id, args))

    async def close(self) -> None:
        """Ends a call that runs, and the component. A later call is refused."""
        if self._over is None:
            self._over = _closed()
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait({self._opening})
        if self._addon is not None:
            await self._addon.close()

    async def _asked(self, call: Callable[[WasmAddon], Awaitable[T]]) -> T:
        addon = self._addon
        if addon is None or self._over is not None:
            addon = await self._opened()
        try:
            return await call(addon)
        except WasmFault as fault:
            if fault.fatal:
                self._crashed(fault)
            raise

    async def _opened(self) -> WasmAddon:
        if self._over is not None:
            raise self._over.with_traceback(None)
        if self._opening is None or (self._addon is None and self._opening.done()):
            self._opening = asyncio.ensure_future(self._open())
            self._opening.add_done_callback(_heard)
        await asyncio.wait({self._opening})
        if self._opening.cancelled():  # by `close`
            raise self._over or _closed()
        return self._opening.result()

    async def _open(self) -> WasmAddon:
        try:
            addon = await open_component(self._file, self._calls)
        except WasmFault as fault:
            if fault.kind is WasmFaultKind.REFUSED:  # looking at it again would cost as much again
                self._over = fault
            self._crashed(fault)
            raise
        if not addon.registration.same(self._approved):
            await addon.close()
            self._over = WasmFault(
                WasmFaultKind.BAD_ANSWER,
                "it registers something else than what was approved",
                hint="look at what it asks for now, and approve it anew",
            )
            self._told(self._over)
            raise self._over
        self._addon = addon
        return addon

    def _crashed(self, fault: WasmFault) -> None:
        if fault.kind in _NO_CRASH:
            return
        disabled = self._crashes.another(fault.message)
        self._told(fault)
        if disabled is not None and self._over is None:
            self._over = WasmFault(WasmFaultKind.DISABLED, disabled, hint=MEND)
            self._told(self._over)


def _closed() -> WasmFault:
    return WasmFault(WasmFaultKind.CLOSED, "it is closed")


def _heard(opening: asyncio.Task[WasmAddon]) -> None:
    """What nobody waits for any more is not reported as forgotten."""
    if not opening.cancelled():
        opening.exception()
