"""Every limit of the tools, by name. What exceeds one is told, and kept in a file if possible."""

from __future__ import annotations

__all__ = [
    "COMMAND_SECONDS",
    "COMMAND_SECONDS_MOST",
    "DIFF_LINES",
    "FILE_BYTES",
    "IMAGE_BYTES",
    "IMAGE_SIDE",
    "LINE_CHARACTERS",
    "LISTED_NAMES",
    "OUTPUT_BYTES",
    "OUTPUT_END_BYTES",
    "PROGRESS_CHARACTERS",
    "PROGRESS_SECONDS",
    "READ_CHARACTERS",
    "READ_LINES",
    "READ_RESULT_CHARACTERS",
    "RESULT_CHARACTERS",
    "SECONDS_TO_CLOSE",
    "SECONDS_TO_DRAIN",
    "SECONDS_TO_END",
]

RESULT_CHARACTERS = 30_000
"""Text of one result that the model reads; the rest is spilled to a file."""

FILE_BYTES = 50 * 1024 * 1024
"""The largest file that is read."""

IMAGE_BYTES = 5 * 1024 * 1024
IMAGE_SIDE = 8_000
"""The largest picture that is shown to the model, in bytes and in pixels of a side."""

READ_LINES = 2_000
"""Lines of one `read` unless it asks for another number."""

LINE_CHARACTERS = 2_000
"""Longer lines are cut by `read`, and told so."""

LISTED_NAMES = 1_000
"""Names of one `ls`; how many there are is told."""

READ_CHARACTERS = 50_000
"""`read` stops at the line that would pass this, and says how to go on."""

READ_RESULT_CHARACTERS = READ_CHARACTERS + 2 * LINE_CHARACTERS
"""The bound around `read`: never reached, because `read` stops by itself on a whole line."""

COMMAND_SECONDS = 120.0
"""Time of a command unless it asks for another."""

COMMAND_SECONDS_MOST = 600.0
"""The longest time a command can ask for."""

SECONDS_TO_END = 2.0
"""Between the request to end and the kill."""

SECONDS_TO_CLOSE = 5.0
"""How long a killed process is waited for."""

SECONDS_TO_DRAIN = 0.25
"""How long output is waited for after a command ended and somebody outside its group holds it."""

OUTPUT_END_BYTES = 64 * 1024
"""A command's output kept in memory at each end; the middle is in the spill file."""

OUTPUT_BYTES = 256 * 1024 * 1024
"""A command that says more is ended, and told so."""

PROGRESS_SECONDS = 0.05
"""The least time between two reports of progress."""

PROGRESS_CHARACTERS = 16 * 1024
"""The most text of one report; of more, the end."""

DIFF_LINES = 400
"""The longest difference shown to a person."""
