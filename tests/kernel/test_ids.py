"""Identifiers sort by the time they were minted at."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from induscode.kernel.clock import FixedClock, SystemClock
from induscode.kernel.ids import ID_LENGTH, IdMint

ALPHABET = set("0123456789abcdefghjkmnpqrstvwxyz")


def test_ids_of_one_millisecond_sort_in_the_order_they_were_minted():
    mint = IdMint(FixedClock(1_750_000_000_000))
    made = [mint.mint() for _ in range(10_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


@given(st.lists(st.integers(-50, 1000), max_size=40))
def test_ids_never_go_back_even_when_the_clock_does(steps: list[int]):
    clock = FixedClock(1_000_000)
    mint = IdMint(clock)
    made = [mint.mint()]
    for step in steps:
        clock.advance(step)
        made.append(mint.mint())
    assert all(a < b for a, b in itertools.pairwise(made))


def test_an_id_has_26_characters_and_begins_with_its_time():
    early, late = IdMint(FixedClock(1_750_000_000_000)), IdMint(FixedClock(1_750_000_000_001))
    one, two = early.mint(), late.mint()
    assert len(one) == ID_LENGTH == 26
    assert set(one + two) <= ALPHABET
    assert one[:10] == "01jxt21q00"
    assert one[:10] < two[:10]


def test_ids_of_two_processes_differ_within_one_millisecond():
    clock = FixedClock(1_750_000_000_000)
    assert len({IdMint(clock).mint() for _ in range(1000)}) == 1000


def test_the_last_id_of_a_millisecond_is_followed_by_a_larger_one():
    mint = IdMint(FixedClock(5), entropy=b"\xff" * 10)
    assert mint.mint() < mint.mint() < mint.mint()


def test_a_real_clock_mints_ids_in_order():
    mint = IdMint(SystemClock())
    made = [mint.mint() for _ in range(1000)]
    assert made == sorted(set(made))
