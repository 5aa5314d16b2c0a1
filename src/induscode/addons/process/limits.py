"""Every limit of a subprocess addon, by name."""

from __future__ import annotations

from msgspec import Struct

from induscode.addons.sandbox import DEFAULT_TIMEOUT_MS

__all__ = ["PROTOCOL", "ProcessLimits"]

PROTOCOL = 1
"""The version of the protocol that this host speaks."""


class ProcessLimits(Struct, frozen=True):
    """What one addon may use. `frame_bytes` is the longest line in either direction. `queue_bytes`
    and `queue_length` bound what waits to be read by the addon, `host_calls` what it may ask of us
    at a time, `messages_a_second` what it may say unasked. `call_seconds` bounds events, stages and
    commands, `tool_seconds` its tools; `cancel_seconds` is how long it may take to answer a call
    that was cancelled before it counts as hung. `memory_bytes` is for each of its processes."""

    frame_bytes: int = 16 * 1024 * 1024
    queue_bytes: int = 32 * 1024 * 1024
    queue_length: int = 1_000
    host_calls: int = 16
    messages_a_second: int = 2_000
    handshake_seconds: float = 10.0
    call_seconds: float = DEFAULT_TIMEOUT_MS / 1000
    tool_seconds: float = 300.0
    cancel_seconds: float = 2.0
    close_seconds: float = 2.0
    stderr_bytes: int = 64 * 1024
    memory_bytes: int = 2 * 1024 * 1024 * 1024
    processes: int = 128
