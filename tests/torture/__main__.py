"""`python -m tests.torture [kills | faults | processes | rewind | all]`: campaigns in figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from time import monotonic

from tests.torture.audit import Tally
from tests.torture.campaign import campaign, show
from tests.torture.faults import WORKERS, every_fault
from tests.torture.kills import every_point, random_jobs
from tests.torture.processes import kill_many, show_processes
from tests.torture.rewinds import rewind_many, show_rewinds

_ACKNOWLEDGED_PER_KILL = 4
_MIDWAY = 0.4
_PROCESS_KILLS = 100
_PROCESSES_PER_KILL = 5


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument(
        "what", nargs="?", choices=("kills", "faults", "processes", "rewind", "all"), default="all"
    )
    parser.add_argument(
        "--count",
        type=int,
        default=1000,
        help="random kills (default 1000; of processes at most 100)",
    )
    parser.add_argument("--seed", type=int, default=1, help="what the random kills grow from")
    parser.add_argument("--every", type=int, default=1, help="only every n-th call or fault")
    options = parser.parse_args(argv)
    failures = 0
    if options.what in ("kills", "all"):
        failures += _random(options.count, options.seed)
        failures += _points(options.every)
    if options.what in ("faults", "all"):
        failures += _faults(options.every)
    if options.what in ("processes", "all"):
        failures += _processes(min(options.count, _PROCESS_KILLS), options.seed)
    if options.what in ("rewind", "all"):
        failures += _rewinds(options.count, options.seed)
    return 1 if failures else 0


def _random(count: int, seed: int) -> int:
    """Kills at random moments, as many as asked for: sessions are added until they all hit."""
    start = monotonic()
    total, failures = Tally(), list[str]()
    first = 0
    while total.kills.total() < count and not failures:
        jobs = random_jobs(count - total.kills.total(), seed, first)
        first += len(jobs)
        more, failures = campaign("random kills", jobs)
        total.add(more)
    failures += _too_tame(total)
    show(f"Random kills of a session of twenty turns, seed {seed}", total, failures, _since(start))
    return len(failures)


def _points(every: int) -> int:
    start = monotonic()
    total, failures = campaign("kills at each call", every_point(every))
    failures += _too_tame(total)
    show("A kill at each system call of a session of three turns", total, failures, _since(start))
    return len(failures)


def _faults(every: int) -> int:
    start = monotonic()
    total, failures = campaign("faults", every_fault(every), workers=WORKERS)
    failures += _missed(total, total.outcomes.total())
    show("Each write and sync failing, once and for good", total, failures, _since(start))
    return len(failures)


def _processes(count: int, seed: int) -> int:
    start = monotonic()
    figures, failures = kill_many(count, seed)
    if figures.ended < _PROCESSES_PER_KILL * figures.kills:
        failures.append(f"{figures.kills} kills met only {figures.ended} processes")
    show_processes(figures, failures, _since(start))
    return len(failures)


def _rewinds(count: int, seed: int) -> int:
    start = monotonic()
    total, failures = rewind_many(count, seed)
    if total["rewind"] < count:
        failures.append(f"{count} stories had only {total['rewind']} rewinds")
    show_rewinds(total, failures, count, _since(start))
    return len(failures)


def _too_tame(total: Tally) -> list[str]:
    """A campaign that hardly touched anything has shown nothing."""
    kills = total.kills.total()
    failures = _missed(total, kills)
    if total.acknowledged < _ACKNOWLEDGED_PER_KILL * kills:
        failures.append(f"{kills} kills put only {total.acknowledged} acknowledged entries at risk")
    if total.midway < _MIDWAY * kills:
        failures.append(f"only {total.midway} of {kills} kills fell in the middle of a turn")
    return failures


def _missed(total: Tally, blows: int) -> list[str]:
    return [f"{total.missed} of {blows} blows never fell"] if total.missed * 50 > blows else []


def _since(start: float) -> float:
    return monotonic() - start


if __name__ == "__main__":
    sys.exit(main())
