"""How much is looked at and kept. What is beyond a limit is named, never passed over in silence."""

from __future__ import annotations

__all__ = [
    "DEPTH",
    "FILES_PER_ENTRY",
    "FILE_BYTES",
    "FOLDER_FILES",
    "HELD_BYTES",
    "LEFT_OUT",
    "NAMED",
    "SESSION_BYTES",
    "SYNC_EACH",
    "UNSETTLED_NS",
    "WORKSPACE_FILES",
]

FILE_BYTES = 32 * 1024 * 1024
"""The largest file of which a copy is kept."""

HELD_BYTES = 256 * 1024 * 1024
"""All copies together that are held while a session runs, in case that a command changes them."""

SESSION_BYTES = 1024 * 1024 * 1024
"""All that one session keeps of what its steps changed."""

FOLDER_FILES = 5_000
"""A folder without any file that git tracks is left out when it holds more than this."""

WORKSPACE_FILES = 200_000
"""A workspace with more files is not watched at all."""

LEFT_OUT = frozenset({"node_modules", ".venv", ".tox", ".nox", "bower_components"})
"""Folders of what a package manager fetched: left out wherever git tracks nothing in them."""

DEPTH = 200
"""Folders nested deeper are left out."""

UNSETTLED_NS = 50_000_000
"""A file changed this shortly before it was looked at may change again without its times telling:
clocks of file systems tick every few milliseconds. Its content is compared instead."""

SYNC_EACH = 64
"""Up to so many files are synced one by one; more are synced by one call for everything."""

FILES_PER_ENTRY = 10_000
"""A step that changed more paths is recorded in several entries, none of them too long a line."""

NAMED = 10
"""So many paths are named in one sentence."""
