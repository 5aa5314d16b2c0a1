"""Characters that nobody sees are counted; what people write is not."""

from __future__ import annotations

import pytest

from induscode.briefing.invisible import invisible_characters


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("plain", 0),
        ("naïve café, 日本語, עברית", 0),
        ("zero\u200bwidth", 1),
        ("\u202eright to left\u202c", 2),
        ("join\u200der \u200cnon", 2),
        ("\u200d\u200c\u200d\u200c", 4),
        ("é\u200dx", 1),
        ("x\u200cé", 1),
        ("tags \U000e0041\U000e0042", 2),
        ("soft\u00adhyphen word\u2060joiner \ufeffmark filler\u3164", 4),
        ("👩\u200d💻 ❤\ufe0f ⚠\ufe0f ❤\ufe0f\u200d🔥", 0),
        ("\u0645\u06cc\u200c\u062e\u0648 क्\u200dष", 0),
        ("😀\ufe01\ufe02\U000e0101", 2),
        ("\x1b\x07", 0),
    ],
)
def test_invisible_characters_are_counted(text: str, number: int) -> None:
    assert invisible_characters(text) == number
