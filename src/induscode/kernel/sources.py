"""What runs, in one number: a digest over source files, names included."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

__all__ = ["sources_digest"]


def sources_digest(files: Iterable[Path]) -> str:
    """sha256 over the files in the order of their names."""
    total = hashlib.sha256()
    for file in sorted(files):
        source = file.read_bytes()
        total.update(f"{file.name}\0{len(source)}\0".encode())
        total.update(source)
    return total.hexdigest()
