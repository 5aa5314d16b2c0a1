"""From a file to a component that can be started."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
from pathlib import Path

from wasmtime import Engine, WasmtimeError
from wasmtime.component import Component

from induscode.addons.wasm.cache import CompileCache
from induscode.addons.wasm.compiling import compiled
from induscode.addons.wasm.engine import engine_key, new_engine
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.limits import COMPONENT_BYTES
from induscode.addons.wasm.world import check

__all__ = ["loaded", "prepare", "read_component"]

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def read_component(path: Path) -> bytes:
    """Raises `WasmFault` for what is no regular file or too large, OSError as the system does."""
    with os.fdopen(os.open(path, _FLAGS), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise _refused("it is no regular file", "name the component's .wasm file")
        source = file.read(COMPONENT_BYTES + 1)
    if len(source) > COMPONENT_BYTES:
        raise _refused(f"it has more than {COMPONENT_BYTES:,} bytes", "build it smaller")
    return source


async def prepare(path: Path, cache: CompileCache) -> str:
    """Compile a component now, so that it is loaded quickly later; its sha256. Raises as
    `WasmAddon.open` does."""
    source = await asyncio.to_thread(read_component, path)
    await loaded(new_engine(), source, cache)
    return hashlib.sha256(source).hexdigest()


async def loaded(engine: Engine, source: bytes, cache: CompileCache | None) -> Component:
    """Compiled, or from the cache. Raises `WasmFault`. A cache that cannot be written is done
    without: the component is compiled again the next time."""
    component = await asyncio.to_thread(_kept, engine, source, cache)
    if component is None:
        code = await compiled(source)
        component = await asyncio.to_thread(_stored, engine, source, cache, code)
    check(engine, component)
    return component


def _name(source: bytes) -> str:
    return f"{hashlib.sha256(source).hexdigest()}-{engine_key()}"


def _kept(engine: Engine, source: bytes, cache: CompileCache | None) -> Component | None:
    code = None if cache is None else cache.load(_name(source))
    if code is None:
        return None
    try:
        return Component.deserialize(engine, code)
    except WasmtimeError:
        return None  # of an engine that calls itself the same and is not


def _stored(engine: Engine, source: bytes, cache: CompileCache | None, code: bytes) -> Component:
    try:
        component = Component.deserialize(engine, code)
    except WasmtimeError as error:
        raise _refused(f"it cannot be loaded: {error}", "reinstall induscode[wasm]") from None
    if cache is not None:
        try:
            cache.store(_name(source), code)
        except OSError:
            return component
    return component


def _refused(why: str, hint: str) -> WasmFault:
    return WasmFault(WasmFaultKind.REFUSED, why, hint=hint)
