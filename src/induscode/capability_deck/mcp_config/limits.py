"""Every bound on what a file may say of servers, by name."""

from __future__ import annotations

__all__ = [
    "CALL_SECONDS_MOST",
    "FILE_BYTES",
    "MILLISECONDS_LEAST",
    "PROBLEMS_MOST",
    "SECONDS_LEAST",
    "SERVERS_MOST",
    "SHOWN_CHARACTERS",
    "STARTUP_SECONDS_MOST",
]

FILE_BYTES = 256 * 1024
"""Of a file with servers; a longer one is not read."""

SERVERS_MOST = 100
"""Of one file."""

PROBLEMS_MOST = 50
"""Told of one file; further ones are counted."""

SHOWN_CHARACTERS = 80
"""Of a file's own words in a problem."""

SECONDS_LEAST = 0.1
STARTUP_SECONDS_MOST = 600.0
CALL_SECONDS_MOST = 86_400.0
"""What a server may set as its own deadlines."""

MILLISECONDS_LEAST = 1_000
"""Of `timeout`, which other agents count in milliseconds: less is seconds by mistake."""
