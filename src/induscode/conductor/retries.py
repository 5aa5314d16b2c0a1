"""How often, and how patiently, a failed request is sent again."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Retries"]


class Retries(Struct, frozen=True):
    """Waits of `first`, twice that, four times that, ... seconds; no new attempt begins more than
    `total` seconds after the first. A provider that says how long to wait is obeyed for `wished`
    seconds instead."""

    attempts: int = 6
    first: float = 0.5
    total: float = 10.0
    wished: float = 120.0

    def delay(self, attempt: int, wish: float | None, spent: float) -> float | None:
        """Seconds to wait after a failed attempt, None when there is no other one. `wish` is the
        provider's own, `spent` the seconds since the first attempt began."""
        delay = self.first * 2 ** (attempt - 1) if wish is None else wish
        limit = self.total if wish is None else self.wished
        return None if attempt >= self.attempts or spent + delay > limit else delay
