"""Components as addons: what a loader makes of a `.wasm` file.

The engine is an optional part; it is imported when the first component is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from induscode.addons.contract import (
    AddonApi,
    AddonId,
    AddonManifest,
    LoaderError,
    LoaderErrorKind,
)
from induscode.addons.wasm.cache import CompileCache
from induscode.addons.wasm.contributions import record
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.host import WasmHost
from induscode.addons.wasm.limits import WasmLimits

if TYPE_CHECKING:
    from induscode.addons.wasm.addon import WasmAddon

__all__ = ["SUFFIX", "WasmLoader"]

SUFFIX = ".wasm"
INSTALL = "pip install 'induscode[wasm]'"


class WasmLoader:
    """`services` says what else a component is granted, besides the handles of the surface on which
    it registers: until then it is granted nothing. A component that was never compiled is compiled
    when it is loaded, which takes seconds for a large one: `prepare` does it before."""

    def __init__(
        self,
        *,
        services: Callable[[AddonId], WasmHost],
        cache: CompileCache | None = None,
        limits: WasmLimits | None = None,
    ) -> None:
        self._services = services
        self._cache = cache
        self._limits = limits

    async def load(self, path: Path) -> AddonManifest:
        """Raises `LoaderError`, and nothing else."""
        if path.suffix != SUFFIX:
            raise LoaderError.unsupported(path, "it is no WebAssembly component")
        addon = await self._opened(path)
        await addon.rest()

        async def register(api: AddonApi) -> None:
            granted = self._services(api.id)
            addon.host = msgspec.structs.replace(granted, handles=api.handles())
            record(addon, api)

        about = addon.registration
        name = None if about.id is None else AddonId(about.id)
        return AddonManifest(
            register, name, about.version, requests=about.requests(), close=addon.close
        )

    async def _opened(self, path: Path) -> WasmAddon:
        try:
            runtime = import_module("induscode.addons.wasm.addon")
        except ImportError as error:
            if error.name is None or not error.name.startswith("wasmtime"):
                raise
            kind = LoaderErrorKind.UNSUPPORTED
            raise LoaderError(
                kind, path, "WebAssembly components need the package wasmtime", hint=INSTALL
            ) from None
        try:
            return await runtime.WasmAddon.open(path, limits=self._limits, cache=self._cache)
        except OSError as error:
            kind = LoaderErrorKind.UNREADABLE
            said = error.strerror or str(error)
            raise LoaderError(kind, path, said, hint="make it readable") from None
        except WasmFault as fault:
            refused = fault.kind is WasmFaultKind.REFUSED
            kind = LoaderErrorKind.INVALID if refused else LoaderErrorKind.FAILED
            raise LoaderError(kind, path, fault.message, hint=fault.hint) from fault
