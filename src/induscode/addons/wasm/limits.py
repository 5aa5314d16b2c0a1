"""How much a component may use, and how much it may say. Every bound has a name."""

from __future__ import annotations

from msgspec import Struct

__all__ = [
    "ANSWER_BYTES",
    "CACHE_ENTRIES",
    "COMPONENT_BYTES",
    "CORE_INSTANCES",
    "MEMORIES",
    "TABLES",
    "TABLE_ELEMENTS",
    "WasmLimits",
]

COMPONENT_BYTES = 64 * 1024 * 1024
"""Of a component's file. One with an interpreter of Python inside has 18 MB."""

ANSWER_BYTES = 1024 * 1024
"""Of each text that a component hands to the host: answers, and arguments of host calls."""

MEMORIES = 4
TABLES = 32
TABLE_ELEMENTS = 100_000
CORE_INSTANCES = 256
"""Of one component. A guest in C has one memory; what stands in for WASI in one in JavaScript has
two of its own. One in Python comes as dozens of core instances."""

CACHE_ENTRIES = 64
"""Compiled components that are kept; the ones that were not used for longest are removed."""


class WasmLimits(Struct, frozen=True):
    """Of each call of a component.

    `fuel` is about the number of instructions, the same on every machine. `seconds` is the
    component's own time: waiting for the host does not count, and is bounded by `host_seconds`.
    `memory_bytes` holds for each of its memories, for as long as the component lives."""

    fuel: int = 10_000_000_000
    seconds: float = 5.0
    memory_bytes: int = 64 * 1024 * 1024
    host_calls: int = 1_000
    host_seconds: float = 150.0
