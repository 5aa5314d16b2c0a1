"""Characters that nobody sees and a model reads: the place where instructions are hidden.

A text is kept as its file has it; whoever loads it says how many of these it holds. What a script
or a picture needs is not counted: one joiner between two letters that are not ASCII, one selector
after a character.
"""

from __future__ import annotations

import re

__all__ = ["invisible_characters"]

_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_ALWAYS = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e00ff"
)
_SEEN = f"[^\x00-\x7f\u200c\u200d{_ALWAYS}]"
_INVISIBLE = re.compile(
    f"[{_ALWAYS}]"
    f"|(?<=[{_SELECTORS}])[{_SELECTORS}]"
    f"|[\u200c\u200d](?!{_SEEN})"
    f"|(?<!{_SEEN})[\u200c\u200d]"
)


def invisible_characters(text: str) -> int:
    """How many characters of `text` show nothing: zero-width, direction marks, fillers, tags."""
    return 0 if text.isascii() else len(_INVISIBLE.findall(text))
