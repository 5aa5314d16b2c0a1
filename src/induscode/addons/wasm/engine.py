"""The engine's settings: the same where a component is compiled and where it runs."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version

from wasmtime import Config, Engine

__all__ = ["engine_key", "new_engine"]

_REVISION = 1
"""Of the settings below and of what `growth.py` does to a component; a change makes it larger."""


def new_engine() -> Engine:
    """One engine for each component: its epoch is the component's clock (see `instance.py`)."""
    config = Config()
    config.consume_fuel = True
    config.epoch_interruption = True
    config.cranelift_nan_canonicalization = True  # the same answer on every machine
    config.wasm_relaxed_simd_deterministic = True
    config.wasm_memory64 = False  # `growth.py` knows 32-bit memories
    config.wasm_gc = False
    config.wasm_threads = True  # for the trap of `growth.py`; memories cannot be shared
    config.shared_memory = False
    return Engine(config)


def engine_key() -> str:
    """Names everything but the component itself that compiled code depends on."""
    about = f"wasmtime {version('wasmtime')} {platform.machine()} {platform.system()} {_REVISION}"
    return hashlib.sha256(about.encode()).hexdigest()[:16]
