"""Every limit of processes, by name."""

from __future__ import annotations

__all__ = [
    "ANSWER_SECONDS",
    "BACKGROUND_FOLDER",
    "CAPTURE_BYTES",
    "KEPT_LINES",
    "KEPT_LINE_CHARACTERS",
    "LOOK_SECONDS",
    "READY_SECONDS",
    "READY_SECONDS_MOST",
    "REMEMBERED",
    "RUNNING_MOST",
    "SECONDS_AT_CLOSE",
    "SECONDS_TO_START",
    "SETTLE_SECONDS",
    "SHOWN_CHARACTERS",
    "STOP_SECONDS",
]

BACKGROUND_FOLDER = "background"
"""Where the output of background processes is kept, in the session's folder of spilled texts."""

KEPT_LINES = 2_000
"""Lines of a stream that stay in memory; the file has them all."""

KEPT_LINE_CHARACTERS = 2_000
"""A longer line is broken in memory; the file has it as it was."""

CAPTURE_BYTES = 256 * 1024 * 1024
"""The largest file of one stream; what comes later stays in memory only, and that is told."""

SHOWN_CHARACTERS = 12_000
"""The most output of one look; of more, the end."""

RUNNING_MOST = 32
"""Processes that may run at a time, for each table."""

REMEMBERED = 100
"""Processes that a table remembers; the oldest that ended are forgotten first."""

SETTLE_SECONDS = 0.25
"""How long a start without conditions is watched, so that a command that fails at once is told."""

READY_SECONDS = 30.0
"""How long conditions and endings are waited for unless the call says otherwise."""

READY_SECONDS_MOST = 600.0
"""The longest time that a call can wait."""

ANSWER_SECONDS = 2.0
"""How long one look at a port or an address may take."""

LOOK_SECONDS = 0.05
"""Between two looks at a process that is waited for."""

STOP_SECONDS = 3.0
"""Between the request to end and the kill, when a process is stopped."""

SECONDS_AT_CLOSE = 1.0
"""The same when the session closes."""

SECONDS_TO_START = 20.0
"""How long a command may take to begin; more than this means that its keeper does not answer."""
