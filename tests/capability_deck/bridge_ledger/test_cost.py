"""A long history is folded quickly: the live tool set waits for nobody."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable

import pytest

from induscode.capability_deck import BridgeEntry, BridgeOp, bridge_key, reduce_ledger
from induscode.capability_deck.bridge_ledger.events import BridgeVerdict, LedgerEvent, VerdictOp
from tests.capability_deck.bridge_ledger.samples import AT, tool

EVENTS = 100_000
TRIES = 5
# 100 ms are 18 times the floor; whoever measures coverage slows the fold down and the floor not.
TIMES_THE_FLOOR = 18 if sys.gettrace() is None else 50


def history() -> list[LedgerEvent]:
    """Enrolments, reconnects, verdicts and retirements of 500 tools, over and over."""
    tools = [tool(f"s{number % 20}", f"t{number}") for number in range(500)]
    keys = [bridge_key(f"bk_{number}") for number in range(500)]
    log: list[LedgerEvent] = []
    for seq in range(1, EVENTS + 1):
        which = seq % 500
        about, key = tools[which], keys[which]
        said = about.definition
        if seq % 10 == 3:
            log.append(BridgeEntry(BridgeOp.RETIRE, key, about.server, None, seq, AT))
        elif seq % 10 == 7:
            op = VerdictOp.APPROVE if seq % 20 == 7 else VerdictOp.QUARANTINE
            verdict = BridgeVerdict(
                op, key, about.server, said.name, said.digest, about.launch, said.body, "why",
                seq, AT,
            )  # fmt: skip
            log.append(verdict)
        else:
            log.append(BridgeEntry(BridgeOp.ENROLL, key, about.server, about, seq, AT))
    return log


def least(work: Callable[[], object]) -> float:
    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(TRIES))


@pytest.mark.timeout(120)
def test_a_hundred_thousand_events_fold_in_the_time_of_a_few_dictionaries() -> None:
    log = history()
    gc.collect()

    def floor() -> dict[int, LedgerEvent]:
        made: dict[int, LedgerEvent] = {}
        for event in log:
            made[event.seq] = event
        return made

    ratios: list[float] = []
    for _ in range(TRIES):
        ratios.append(least(lambda: reduce_ledger(log)) / least(floor))
        if ratios[-1] < TIMES_THE_FLOOR:
            return
    pytest.fail(f"{min(ratios):.1f} times the floor")
