"""Text of strangers without what nobody sees: controls, reordering, characters that hide a message.

Joiners and the selectors of emoji stay: languages and pictures need them.
"""

from __future__ import annotations

import re
from html import unescape

from induscode.kernel.jsontext import clean_text

__all__ = ["one_line", "visible"]

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
_ENDS = re.compile(r"\r\n?|\u2028|\u2029")
_EMPHASIS = re.compile(r"</?(?:b|strong|em|i|mark|span|br)\b[^<>]{0,200}>", re.IGNORECASE)


def visible(text: str) -> str:
    return _HIDDEN.sub("", _ENDS.sub("\n", clean_text(text)[0]))


def one_line(text: str, most: int) -> str:
    """A field of a result: no tags of emphasis, no entities, one line, cut if it is longer."""
    line = " ".join(visible(unescape(_EMPHASIS.sub("", text))).split())
    return line if len(line) <= most else f"{line[: most - 3]}..."
