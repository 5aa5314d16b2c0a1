"""The torture of `python -m tests.torture`, in small doses."""

from __future__ import annotations

import pytest

from tests.requirements import requirement
from tests.torture.campaign import campaign
from tests.torture.faults import WORKERS, every_fault
from tests.torture.kills import every_point, random_jobs

KILLS = 15

pytestmark = pytest.mark.timeout(240)  # about 15 s each on two cores of their own


@requirement("invariant.03.interrupted", "log.pitfall.14-resume-outcomes")
def test_a_session_killed_again_and_again_loses_nothing_and_runs_nothing_twice() -> None:
    jobs = [job for seed in (1, 2) for job in random_jobs(KILLS // 2 + 1, seed, turns=5)]

    total, failures = campaign("random kills", jobs)

    assert failures == []
    assert total.kills.total() >= KILLS - 3
    assert total.midway >= KILLS // 4
    assert total.acknowledged >= 5 * KILLS
    assert total.interrupted >= 1


@requirement("invariant.03.interrupted", "invariant.04.torn-tail")
def test_a_session_killed_at_a_system_call_opens_again_and_goes_on() -> None:
    total, failures = campaign("kills at calls", every_point(every=7, rest=False))

    assert failures == []
    assert total.missed == 0
    assert total.kills.total() >= 30
    assert total.midway >= 20
    assert total.acknowledged >= 300
    assert total.torn >= 5


@requirement("log.pitfall.16-failed-sync")
def test_a_disk_that_refuses_costs_nothing_that_was_acknowledged() -> None:
    jobs = every_fault(every=17, rest=False)

    total, failures = campaign("faults", jobs, workers=WORKERS)

    assert failures == []
    assert total.missed == 0
    assert total.outcomes["single, completed"] >= 2
    assert total.outcomes["lasting, ended with its reason"] >= 2
    assert total.outcomes["short, completed"] >= 2
