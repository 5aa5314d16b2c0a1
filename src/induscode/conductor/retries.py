"""How often, and how patiently, a failed request is sent again."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Retries"]


class Retries(Struct, frozen=True):
    """Waits of `first`, twice that, four times that, ... seconds; no new attempt begins more than
    `total` seconds after the first."""

    attempts: int = 6
    first: float = 0.5
    total: float = 10.0

    def delay(self, attempt: int, wish: float | None) -> float:
        """Seconds to wait after a failed attempt; `wish` is the provider's own."""
        return wish if wish is not None else self.first * 2 ** (attempt - 1)
