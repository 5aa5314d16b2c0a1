"""Tier 2: addons that are WebAssembly components, in the world `indus:addon@1.0.0`.

Start reading at `addons/wit/addon.wit`, then `addon.py` (a component as the host sees it),
`instance.py`, `imports.py` (what it may call), `sources.py` (from a file to a component),
`resting.py` (one that is opened when it is first called). Must not: know a session; give a
component anything that is not in its world. Importing this package imports none of its modules, and
so not the engine; its names come when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from induscode.addons.wasm.addon import WasmAddon
    from induscode.addons.wasm.cache import CompileCache
    from induscode.addons.wasm.decisions import Changed, Outcome, Stopped, ToolAnswer, Unchanged
    from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
    from induscode.addons.wasm.grants import WasmGrant
    from induscode.addons.wasm.limits import WasmLimits
    from induscode.addons.wasm.loader import WasmLoader
    from induscode.addons.wasm.sources import prepare

__all__ = [
    "Changed",
    "CompileCache",
    "Outcome",
    "Stopped",
    "ToolAnswer",
    "Unchanged",
    "WasmAddon",
    "WasmFault",
    "WasmFaultKind",
    "WasmGrant",
    "WasmLimits",
    "WasmLoader",
    "prepare",
]

_MODULES = {
    "addon": "WasmAddon",
    "cache": "CompileCache",
    "decisions": "Changed Outcome Stopped ToolAnswer Unchanged",
    "faults": "WasmFault WasmFaultKind",
    "grants": "WasmGrant",
    "limits": "WasmLimits",
    "loader": "WasmLoader",
    "sources": "prepare",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
