"""Components as addons: what a loader makes of a `.wasm` file.

The engine is an optional part; it is imported when the first component is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from induscode.addons.acting import HostCalls
from induscode.addons.contract import (
    AddonApi,
    AddonId,
    AddonManifest,
    LoaderError,
    LoaderErrorKind,
)
from induscode.addons.recording import record
from induscode.addons.wasm.cache import CompileCache
from induscode.addons.wasm.contributions import ComponentRuntime
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.limits import WasmLimits
from induscode.addons.wasm.resting import ComponentFile, open_component

if TYPE_CHECKING:
    from induscode.addons.wasm.addon import WasmAddon

__all__ = ["SUFFIX", "WasmLoader", "opened"]

SUFFIX = ".wasm"
_KINDS = {
    WasmFaultKind.REFUSED: LoaderErrorKind.INVALID,
    WasmFaultKind.UNREADABLE: LoaderErrorKind.UNREADABLE,
    WasmFaultKind.NO_ENGINE: LoaderErrorKind.UNSUPPORTED,
}


async def opened(file: ComponentFile) -> WasmAddon:
    """With nothing granted. Raises `LoaderError`, and nothing else."""
    try:
        return await open_component(file, HostCalls())
    except WasmFault as fault:
        kind = _KINDS.get(fault.kind, LoaderErrorKind.FAILED)
        raise LoaderError(kind, file.path, fault.message, hint=fault.hint) from fault


class WasmLoader:
    """`services` says what else a component is granted, besides the handles of the surface on which
    it registers: until then it is granted nothing. A component that was never compiled is compiled
    when it is loaded, which takes seconds for a large one: `prepare` does it before."""

    def __init__(
        self,
        *,
        services: Callable[[AddonId], HostCalls],
        cache: CompileCache | None = None,
        limits: WasmLimits | None = None,
    ) -> None:
        self._services = services
        self._cache = cache
        self._limits = limits or WasmLimits()

    async def load(self, path: Path) -> AddonManifest:
        """Raises `LoaderError`, and nothing else."""
        if path.suffix != SUFFIX:
            raise LoaderError.unsupported(path, "it is no WebAssembly component")
        addon = await opened(ComponentFile(path, self._cache, self._limits))
        await addon.rest()
        about = addon.registration

        async def register(api: AddonApi) -> None:
            granted = self._services(api.id)
            addon.host = msgspec.structs.replace(granted, handles=api.handles())
            runtime = ComponentRuntime(addon)
            record(lambda: runtime, about, api)

        name = None if about.id is None else AddonId(about.id)
        version = about.version or None
        return AddonManifest(register, name, version, requests=about.requests(), close=addon.close)
