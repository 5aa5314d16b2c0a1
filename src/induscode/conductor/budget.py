"""What a run may still use: its own budget, within what is left of the budget above it.

Counted are the session itself, its delegates, also while they run, and a request that is on its
way: two delegates side by side do not both spend what is left.
"""

from __future__ import annotations

from collections.abc import Callable

from induscode.conductor.ports import Budget, ModelSetting
from induscode.errors import BudgetEnded
from induscode.kernel.model import Usage
from induscode.session.totals import Totals

__all__ = ["Purse", "next_cost"]


class Purse:
    """The budget of one run after the other. `totals` is what the session's log says, `abroad` what
    delegates used that it does not know of yet, `above` what is left to whoever sent it."""

    def __init__(
        self,
        budget: Budget,
        totals: Callable[[], Totals],
        abroad: Callable[[], Totals],
        above: Callable[[], Budget],
    ) -> None:
        self._budget = budget
        self._totals = totals
        self._abroad = abroad
        self._above = above
        self._before = Totals()
        self._awaited = Totals()

    def begin(self) -> None:
        """A run begins: what was used before does not count."""
        self._before = self._totals()
        self._awaited = Totals()

    def spent(self) -> Totals:
        """All that the session has used until now."""
        return self._totals().plus(self._abroad()).plus(self._awaited)

    def left(self) -> Budget:
        used = self.spent().since(self._before)
        steps, cost = self._budget.max_steps, self._budget.max_cost
        own = Budget(
            None if steps is None else steps - used.steps,
            None if cost is None else cost - used.cost,
        )
        return own.within(self._above())

    def reserve(self, expected: float) -> None:
        """Take what the next request will cost. Raises `BudgetEnded` when it is not there."""
        used = self.spent().since(self._before)
        left = self.left()
        if left.max_steps is not None and left.max_steps <= 0:
            raise BudgetEnded(
                f"stopped after {used.steps} steps",
                hint="raise --max-steps, or continue the session",
            )
        if left.max_cost is not None and expected > left.max_cost:
            raise BudgetEnded(
                f"stopped after spending {used.cost:.4f} USD: the next request would cost about"
                f" {expected:.4f}",
                hint="raise --max-cost, or continue the session",
            )
        self._awaited = Totals(steps=1, cost=expected)

    def settle(self) -> None:
        """The request is over; what it used is in the log."""
        self._awaited = Totals()


def next_cost(last: Usage | None, setting: ModelSetting) -> float:
    """A careful guess at the next request: what the last one read and wrote is read again, from the
    cache; the same is written again. Before the first one: nothing is known."""
    if last is None:
        return 0.0
    again = last.input + last.cache_read + last.cache_write
    guess = Usage(input=last.output, cache_read=again, output=last.output)
    return setting.price(guess) or 0.0
