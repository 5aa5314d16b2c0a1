"""The host's own producers, with the digest of what runs: what `indus why` shows for them."""

from __future__ import annotations

import hashlib
from pathlib import Path

__all__ = ["host_digests"]

_SOURCES = {
    "builtin:briefing": ("boot/prompt.py",),
    "builtin:conductor": ("conductor/*.py",),
    "builtin:policy": ("policy/*.py",),
    "builtin:session": ("session/*.py",),
}


def host_digests() -> dict[str, str]:
    """sha256 over the sources of each part of the host, names included."""
    root = Path(__file__).parent.parent
    digests: dict[str, str] = {}
    for name, patterns in _SOURCES.items():
        total = hashlib.sha256()
        for pattern in patterns:
            for file in sorted(root.glob(pattern)):
                source = file.read_bytes()
                total.update(f"{file.name}\0{len(source)}\0".encode())
                total.update(source)
        digests[name] = total.hexdigest()
    return digests
