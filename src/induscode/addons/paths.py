"""Paths as people, manifests and addons write them, made comparable in exactly one place.

Nothing here looks at the file system.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["INVISIBLE_CODE_POINTS", "expand_path", "resolve_path", "scrub_invisible"]

INVISIBLE_CODE_POINTS: tuple[int, ...] = (
    0x00A0,  # no-break space
    0x2000,  # en quad
    0x2001,  # em quad
    0x2002,  # en space
    0x2003,  # em space
    0x2004,  # three-per-em space
    0x2005,  # four-per-em space
    0x2006,  # six-per-em space
    0x2007,  # figure space
    0x2008,  # punctuation space
    0x2009,  # thin space
    0x200A,  # hair space
    0x200B,  # zero-width space
    0x200C,  # zero-width non-joiner
    0x200D,  # zero-width joiner
    0x200E,  # left-to-right mark
    0x200F,  # right-to-left mark
    0x202F,  # narrow no-break space
    0x205F,  # medium mathematical space
    0x2060,  # word joiner
    0x3000,  # ideographic space
    0xFEFF,  # byte order mark
)
_DROPPED: dict[int, None] = dict.fromkeys(INVISIBLE_CODE_POINTS)
_ASCII_SPACE = " \t\n\r\v\f"


def scrub_invisible(raw: str) -> str:
    """Without the code points of the list, wherever they stand, and without ASCII white space at
    both ends. Everything else stays."""
    return raw.translate(_DROPPED).strip(_ASCII_SPACE)


def expand_path(raw: str, home: Path | None = None) -> str:
    """Scrubbed, and with a leading `~` or `~/` put as the home directory: `home`, else `$HOME`.
    Without either, the text stays as it is."""
    text = scrub_invisible(raw)
    if text != "~" and not text.startswith("~/"):
        return text
    place = str(home) if home is not None else os.environ.get("HOME", "")
    return str(Path(place) / text[2:]) if place else text


def resolve_path(raw: str, base: Path | None = None, home: Path | None = None) -> Path:
    """Scrubbed, expanded, and anchored at `base` (else at the working directory) unless it is
    absolute. `..` stays: who decides by the path normalises it."""
    path = Path(expand_path(raw, home))
    return path if path.is_absolute() else (base if base is not None else Path.cwd()) / path
