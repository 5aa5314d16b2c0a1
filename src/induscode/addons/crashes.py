"""How often an addon may end by itself before it is left alone."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["CRASHES_MOST", "CRASH_SECONDS", "MEND", "Crashes"]

CRASHES_MOST = 3
CRASH_SECONDS = 300.0
"""One crash more than this within so many seconds, and the addon is not started again."""

MEND = "mend it, and start a new session"


class Crashes:
    """Counts the ends of one addon that nobody asked for."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._at: list[float] = []

    def another(self, why: str) -> str | None:
        """One more, for this reason. The sentence that disables it, when it was one too many."""
        now = self._now()
        self._at = [*(at for at in self._at if now - at < CRASH_SECONDS), now]
        if len(self._at) <= CRASHES_MOST:
            return None
        return (
            f"it is disabled: it ended {len(self._at)} times within {CRASH_SECONDS / 60:g} "
            f"minutes, the last time because: {why}"
        )
