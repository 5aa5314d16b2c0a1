"""Text on its way to a terminal: colour only where somebody looks, nothing that takes control.

Whatever a model, a tool or a file says is shown as text: escape sequences, 8-bit controls and
characters that reorder or hide text become visible marks. `safe` is for reading, `exact` for what
somebody is asked to allow.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import TextIO

__all__ = ["Ink", "exact", "safe", "safe_json", "write_line"]

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
# Printable by the book, and yet nothing to see: fillers, a blank of Braille, variation selectors.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, [*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
)
_C0_CONTROLS = 0x20
_THEIR_PICTURES = 0x2400
_CODES = {"dim": "2", "bold": "1", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def safe(text: str) -> str:
    """The text with everything invisible or commanding made visible; tabs and newlines stay."""
    return _HIDDEN.sub(lambda found: _mark(found.group()), text.replace("\r\n", "\n"))


def exact(text: str) -> str:
    """The text with every character visible that is not plainly so: what `safe` marks, and also
    tabs, carriage returns, spaces of other kinds and unassigned characters. Newlines stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c == "\n" or (c.isprintable() and c not in _BLANK) else _mark(c) for c in text
    )


def safe_json(text: str) -> str:
    """A JSON text with what `safe` marks as escapes of JSON: to a program it says the same."""
    return _HIDDEN.sub(lambda found: _escaped(found.group()), text)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _mark(character: str) -> str:
    code = ord(character)
    if code < _C0_CONTROLS:
        return chr(_THEIR_PICTURES + code)
    return f"<U+{code:04X}>"


class Ink:
    """Colours for one stream: none in a pipe, none when NO_COLOR is set."""

    def __init__(self, stream: TextIO, environ: Mapping[str, str]) -> None:
        self._on = stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"

    def __call__(self, text: str, *styles: str) -> str:
        if not self._on or not styles:
            return text
        codes = ";".join(_CODES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"


def write_line(text: str, stream: TextIO | None = None) -> None:
    """One line, flushed, to standard error unless said otherwise."""
    out = stream or sys.stderr
    out.write(text + "\n")
    out.flush()
