"""The host's own producers, with the digest of what runs: what `indus why` shows for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from induscode.kernel.sources import sources_digest

__all__ = ["host_digests"]

_SOURCES = {
    "builtin:briefing": (
        "boot/prompt.py",
        "boot/materials.py",
        "boot/file_joins.py",
        "briefing/*.py",
    ),
    "builtin:checkpoint": ("boot/checkpoints.py", "checkpoint/*.py"),
    "builtin:conductor": ("conductor/*.py",),
    "builtin:policy": ("policy/*.py",),
    "builtin:session": ("session/*.py",),
}


@cache
def host_digests() -> Mapping[str, str]:
    """sha256 over the sources of each part of the host, names included."""
    root = Path(__file__).parent.parent
    return {
        name: sources_digest(file for pattern in patterns for file in root.glob(pattern))
        for name, patterns in _SOURCES.items()
    }
