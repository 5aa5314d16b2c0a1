"""The campaign of `python -m tests.torture processes`, in a small dose."""

from __future__ import annotations

import pytest

from tests.torture.processes import kill_many

KILLS = 4


@pytest.mark.timeout(240)
def test_no_process_survives_a_session_that_was_killed() -> None:
    figures, failures = kill_many(KILLS, seed=7)

    assert failures == []
    assert figures.kills == KILLS
    assert figures.ended >= 5 * KILLS
    assert figures.keepers >= 2 * KILLS
