"""Every limit of the searches, by name. What exceeds one is told."""

from __future__ import annotations

__all__ = [
    "ALTERNATIVES",
    "CONTEXT_LINES",
    "ERROR_BYTES",
    "FOUND_NAMES",
    "FOUND_NAMES_MOST",
    "GLOB_CHARACTERS",
    "LINE_CHARACTERS",
    "MATCHES",
    "MATCHES_MOST",
    "NAMES_CHECKED",
    "OUTPUT_BYTES",
    "PATTERN_CHARACTERS",
    "SEARCH_SECONDS",
    "SIMILAR_NAMES",
]

MATCHES = 100
"""Matching lines of one `grep`, or its files where it lists those, unless it asks."""

MATCHES_MOST = 2_000
"""The most that a `grep` can ask for."""

CONTEXT_LINES = 50
"""The most lines around each match."""

FOUND_NAMES = 30
"""Names of one `find` unless it asks for another number. Each costs a question to the guard."""

FOUND_NAMES_MOST = 2_000
"""The most that a `find` can ask for."""

NAMES_CHECKED = 5_000
"""Names that one `find` asks the guard about, where many may not be shown."""

LINE_CHARACTERS = 500
"""Of a longer line, `grep` shows this much around the match, and says so."""

SEARCH_SECONDS = 30.0
"""A search that takes longer is ended; what it found by then is shown, and told so."""

OUTPUT_BYTES = 64 * 1024 * 1024
"""A search that finds more is ended, and told so. Holds one monstrous match too."""

ERROR_BYTES = 16 * 1024
"""What is kept of ripgrep's complaints."""

PATTERN_CHARACTERS = 10_000
"""The longest pattern; the system takes no argument that is much longer."""

GLOB_CHARACTERS = 1_000
"""The longest glob, and the longest thing that is looked for by name."""

ALTERNATIVES = 100
"""How many globs the braces of one may stand for."""

SIMILAR_NAMES = 3
"""Names that are offered when nothing is found."""
