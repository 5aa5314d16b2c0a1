"""The limits of `read` for large files and notebooks."""

from __future__ import annotations

__all__ = [
    "CHUNK_BYTES",
    "EDGE_BYTES",
    "LINE_BYTES",
    "OUTPUT_CHARACTERS",
    "PICTURES",
    "PICTURES_BYTES",
    "SCANNED_BYTES",
]

CHUNK_BYTES = 1024 * 1024
"""What is read of a large file at once."""

SCANNED_BYTES = 4 * 1024 * 1024 * 1024
"""How far into a large file lines are looked for; a few seconds."""

LINE_BYTES = 64 * 1024
"""What is kept of one line of a large file; `read` shows less of it."""

EDGE_BYTES = 16 * 1024
"""What is looked at on both sides of the lines shown, for a secret that lies across the edge."""

OUTPUT_CHARACTERS = 4_000
"""Text of one output of a notebook's cell; of more, the beginning and the end."""

PICTURES = 5
"""Pictures shown of one notebook; the others are named."""

PICTURES_BYTES = 5 * 1024 * 1024
"""Bytes of all pictures shown of one notebook."""
