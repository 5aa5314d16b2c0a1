"""The bounds of delegation, each with a name."""

from __future__ import annotations

__all__ = [
    "ANSWER_CHARACTERS",
    "AT_ONCE",
    "LABEL_CHARACTERS",
    "LAST_WORDS_CHARACTERS",
    "MAX_DEPTH",
    "PROFILES",
    "SECONDS",
    "SECONDS_TO_STOP",
    "UPDATES",
    "UPDATE_CHARACTERS",
]

MAX_DEPTH = 2
"""Levels of delegates below the session that a person began. The last one cannot delegate."""

AT_ONCE = 4
"""Delegates of one session that work side by side; the others wait for their turn."""

SECONDS = 15 * 60.0
"""How long a delegate may work. While a person is asked, its time stands still."""

SECONDS_TO_STOP = 5.0
"""How long a delegate that was stopped may take to end in good order."""

ANSWER_CHARACTERS = 20_000
"""Of a delegate's answer that its parent reads; a longer one is kept in a file."""

LAST_WORDS_CHARACTERS = 2_000
"""Of what a delegate said last, when it came to no answer."""

LABEL_CHARACTERS = 160
"""Of who asks, in a question of a delegate."""

UPDATE_CHARACTERS = 120
"""Of one line about what a delegate does."""

UPDATES = 200
"""Lines about what one delegate does; its log has all of it."""

PROFILES = 100
"""Profiles there may be; files beyond are left out, and named."""
