"""Every bound on a server, by name."""

from __future__ import annotations

from msgspec import Struct

__all__ = [
    "BLOCKS_MOST",
    "IMAGES_MOST",
    "LISTED_MOST",
    "MESSAGE_CHARACTERS",
    "PAGES_MOST",
    "QUESTIONS_MOST",
    "FleetLimits",
]

PAGES_MOST = 100
"""Of one list; a server that always names a next page is not followed for ever."""

LISTED_MOST = 10_000
"""Prompts, resources or tools of one server that are listed at all."""

BLOCKS_MOST = 200
"""Parts of one result; how many were left out is told."""

IMAGES_MOST = 20
"""Pictures of one result."""

QUESTIONS_MOST = 100
"""Of a server to us at once: the person is not asked more, and one that reads no answers is not
heard with more."""

MESSAGE_CHARACTERS = 500
"""Of a server's own words in a fault or in its progress."""


class FleetLimits(Struct, frozen=True):
    """`startup_seconds` and `call_seconds` count where a server's row says nothing. The tools of a
    server wait `prompts_seconds` for the list of its prompts, and no longer. A server has
    `close_seconds` to end by itself, and as many after it was asked. `frame_bytes` bounds one
    message; `stderr_bytes` is what is kept of its complaints.

    After a failure the next attempt waits `backoff_seconds`, twice as long each time up to
    `backoff_seconds_most`; after `attempts` in a row the server counts as failed. One that served
    for `steady_seconds` starts anew."""

    startup_seconds: float = 30.0
    call_seconds: float = 120.0
    prompts_seconds: float = 5.0
    close_seconds: float = 2.0
    frame_bytes: int = 16 * 1024 * 1024
    stderr_bytes: int = 64 * 1024
    backoff_seconds: float = 0.5
    backoff_seconds_most: float = 60.0
    attempts: int = 8
    steady_seconds: float = 30.0
