"""Every bound on what a server's tool may be and on what is kept of it, by name."""

from __future__ import annotations

__all__ = [
    "DEFINITION_BYTES",
    "LINE_BYTES",
    "LOCK_SECONDS",
    "NAME_CHARACTERS",
    "REASON_CHARACTERS",
    "TOOLS_MOST",
]

NAME_CHARACTERS = 64
"""Of `<server>__<tool>` as models call it: the shortest limit of the wires."""

DEFINITION_BYTES = 256 * 1024
"""Of a tool's name, description, schema and annotations together, in their canonical form."""

TOOLS_MOST = 1_000
"""Of one server; what it lists beyond them is refused."""

REASON_CHARACTERS = 500
"""Of why something is in quarantine."""

LINE_BYTES = 1024 * 1024
"""Of one event in the file. A longer line is damage and is not loaded. Escapes make a definition
that is within its bound longer, by a factor of three at the most."""

LOCK_SECONDS = 5.0
"""How long another process may write before it counts as stuck."""
