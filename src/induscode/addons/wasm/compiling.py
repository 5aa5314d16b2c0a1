"""Compiling a component beside us, in a process of its own.

A component is a stranger's file of up to 64 MB. One that takes for ever to compile, takes all
memory, or finds a mistake in the compiler (which then aborts its process) costs a process.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import msgspec

from induscode.addons.wasm.faults import WasmFault, WasmFaultKind

__all__ = ["COMPILE_SECONDS", "compiled"]

COMPILE_SECONDS = 180.0
_COMPILER = Path(__file__).with_name("compiler.py")
_SAID_BYTES = 300


async def compiled(component: bytes, *, seconds: float = COMPILE_SECONDS) -> bytes:
    """What the engine loads. Raises `WasmFault`. The process is gone when this returns, raises or
    is cancelled."""
    path = [entry for entry in sys.path if Path(entry).is_absolute()]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-S", "-X", "utf8", str(_COMPILER)),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        cwd="/",
        env={"LANG": "C.UTF-8"},
        start_new_session=True,  # an interrupt from the keyboard is ours to handle
    )
    try:
        async with asyncio.timeout(seconds):
            out, err = await process.communicate(msgspec.json.encode(path) + b"\n" + component)
    except TimeoutError:
        raise _refused(f"compiling it took more than {seconds:g} s") from None
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
    if process.returncode == 0:
        return out
    if process.returncode == 1:
        said = " ".join(err.decode(errors="replace").split())[:_SAID_BYTES]
        raise _refused(f"it cannot be compiled: {said}")
    raise _refused("the compiler broke down over it")


def _refused(why: str) -> WasmFault:
    return WasmFault(WasmFaultKind.REFUSED, why, hint="rebuild it for indus:addon@1.0.0")
