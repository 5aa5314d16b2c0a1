"""Every bound of the services, by name."""

from __future__ import annotations

__all__ = [
    "BODY_CHARACTERS",
    "CHOICES_MOST",
    "COMMENTS_MOST",
    "COMMENT_CHARACTERS",
    "ITEMS_MOST",
    "ITEM_BYTES",
    "LOCK_SECONDS",
    "STATE_BYTES",
    "STATE_FILES",
    "TITLE_CHARACTERS",
]

LOCK_SECONDS = 10.0
"""How long another process that is writing is waited for."""

STATE_BYTES = 16 * 1024 * 1024
"""All files of one feature's state together."""

STATE_FILES = 256

CHOICES_MOST = 100
"""Of a model or an effort, by one feature in one session."""

TITLE_CHARACTERS = 200
BODY_CHARACTERS = 20_000
COMMENT_CHARACTERS = 4_000

COMMENTS_MOST = 200
"""Of one work item."""

ITEM_BYTES = 1024 * 1024
"""Of one work item's file."""

ITEMS_MOST = 2_000
"""In one workspace."""
