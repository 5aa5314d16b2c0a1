"""What a run may still use, delegates and requests on their way included."""

from __future__ import annotations

import pytest

from induscode.conductor.budget import Purse
from induscode.conductor.ports import Budget
from induscode.errors import BudgetEnded
from induscode.kernel.model import Usage
from induscode.session.delegation import Delegated, used_by_delegate
from induscode.session.totals import Totals


class Books:
    """What a log would say."""

    def __init__(self) -> None:
        self.totals = Totals()
        self.abroad = Totals()

    def purse(self, budget: Budget, above: Budget | None = None) -> Purse:
        return Purse(budget, lambda: self.totals, lambda: self.abroad, lambda: above or Budget())


def test_two_requests_on_their_way_do_not_both_take_what_is_left() -> None:
    purses: list[Purse] = []

    def abroad() -> Totals:
        return purses[0].spent().plus(purses[1].spent())

    above = Purse(Budget(max_steps=3, max_cost=1.0), Totals, abroad, Budget)
    purses += [Purse(Budget(), Totals, Totals, above.left) for _ in range(2)]
    for purse in (above, *purses):
        purse.begin()
    purses[0].reserve(0.6)
    with pytest.raises(BudgetEnded, match=r"would cost about 0\.6"):
        purses[1].reserve(0.6)
    purses[1].reserve(0.3)
    assert above.left() == Budget(1, pytest.approx(0.1))
    purses[0].settle()
    assert above.left().max_steps == 2


def test_what_is_left_is_never_more_than_what_is_left_above() -> None:
    books = Books()
    purse = books.purse(Budget(max_steps=10, max_cost=5.0), Budget(max_steps=2, max_cost=9.0))
    purse.begin()
    assert purse.left() == Budget(2, 5.0)
    assert books.purse(Budget()).left() == Budget()


def test_a_run_counts_from_its_beginning_and_running_delegates_count() -> None:
    books = Books()
    books.totals = Totals(steps=7, cost=7.0)
    purse = books.purse(Budget(max_steps=2))
    purse.begin()
    purse.reserve(0.0)
    purse.settle()
    books.abroad = Totals(steps=2)
    with pytest.raises(BudgetEnded, match="stopped after 2 steps"):
        purse.reserve(0.0)
    purse.begin()


def test_totals_survive_the_way_through_details() -> None:
    used = Totals(3, Usage(1, 2, 3, 4, 5), 0.25, 1, 2)
    became = Delegated("01s", "scout", "late", used)
    assert used_by_delegate(became.details()) == used
    assert used.plus(used).since(used) == used
    assert (used.price, Totals(1, cost=0.5).price, Totals().price) == (None, 0.5, None)


@pytest.mark.parametrize(
    "details",
    [
        None,
        {},
        {"delegate": "x"},
        {"delegate": {"session": "s", "agent": "a", "ended": "won", "used": {}}},
        {"delegate": {"session": "s", "agent": "a", "ended": "done", "used": {"cost": -1.0}}},
    ],
)
def test_details_that_say_something_else_count_nothing(details: dict[str, object] | None) -> None:
    assert used_by_delegate(details) == Totals()
