"""Time as a dependency."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from induscode.kernel.clock import FixedClock, SystemClock, iso


@given(st.integers(0, 4_102_444_800_000))
def test_a_moment_is_written_to_the_millisecond_and_reads_back(now_ms: int):
    text = iso(now_ms)
    assert text.endswith("Z")
    assert len(text) == 24
    moment = datetime.fromisoformat(text)
    assert round(moment.timestamp() * 1000) == now_ms
    assert moment.tzinfo == UTC


def test_written_moments_sort_as_the_moments_do():
    moments = [0, 1, 999, 1000, 59_999, 60_000, 1_750_000_000_000, 1_750_000_000_999]
    assert [iso(m) for m in moments] == sorted(iso(m) for m in moments)
    assert iso(1_750_000_000_000) == "2025-06-15T15:06:40.000Z"


def test_a_fixed_clock_moves_only_when_told_to():
    clock = FixedClock(1000)
    assert (clock.now_ms(), clock.now_ms(), clock.monotonic()) == (1000, 1000, 1.0)
    clock.advance(250)
    assert (clock.now_ms(), clock.monotonic()) == (1250, 1.25)


def test_the_systems_clock_does_not_go_back():
    clock = SystemClock()
    assert clock.monotonic() <= clock.monotonic()
    assert abs(clock.now_ms() - datetime.now(UTC).timestamp() * 1000) < 60_000
