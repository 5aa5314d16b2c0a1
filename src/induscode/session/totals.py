"""What a session used, in sums that can be added and subtracted."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from induscode.kernel.model import Usage

__all__ = ["Totals"]

_Count = Annotated[int, Meta(ge=0)]
_Price = Annotated[float, Meta(ge=0)]


class Totals(Struct, frozen=True):
    """Sums over a session; the difference of two is what happened between. `unpriced` counts
    answers without a known price, `refused` calls that nobody was there to allow."""

    steps: _Count = 0
    usage: Usage = Usage()
    cost: _Price = 0.0
    unpriced: _Count = 0
    refused: _Count = 0

    def since(self, before: Totals) -> Totals:
        return Totals(
            steps=self.steps - before.steps,
            usage=self.usage - before.usage,
            cost=self.cost - before.cost,
            unpriced=self.unpriced - before.unpriced,
            refused=self.refused - before.refused,
        )

    def plus(self, other: Totals) -> Totals:
        return Totals(
            steps=self.steps + other.steps,
            usage=self.usage + other.usage,
            cost=self.cost + other.cost,
            unpriced=self.unpriced + other.unpriced,
            refused=self.refused + other.refused,
        )

    @property
    def price(self) -> float | None:
        """In USD; None where the price of some answer is not known, or there was none."""
        return None if self.unpriced or not self.steps else self.cost
