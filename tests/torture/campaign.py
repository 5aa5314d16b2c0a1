"""Many runs on all cores: progress while it lasts, figures at its end, evidence where it failed."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import monotonic

from tests.torture.audit import Tally
from tests.torture.scenario import Broken

__all__ = ["Job", "campaign", "fresh_root", "show"]


@dataclass(frozen=True)
class Job:
    """One run: a function of the module's top level that returns its figures or raises `Broken`."""

    name: str
    work: Callable[..., Tally]
    arguments: tuple[object, ...]


@contextmanager
def fresh_root(name: str) -> Iterator[Path]:
    """A directory for one run; it stays when the run fails."""
    root = Path(tempfile.mkdtemp(prefix=f"indus-torture-{name}-"))
    yield root
    shutil.rmtree(root)


def campaign(
    title: str, jobs: Sequence[Job], *, workers: int | None = None
) -> tuple[Tally, list[str]]:
    """Run all jobs; returns the figures of all, and one sentence for each that failed."""
    total, failures = Tally(), list[str]()
    start = monotonic()
    with ProcessPoolExecutor(
        workers or os.cpu_count(), mp_context=get_context("forkserver")
    ) as pool:
        running: dict[Future[Tally], Job] = {
            pool.submit(job.work, *job.arguments): job for job in jobs
        }
        for done, future in enumerate(as_completed(running), 1):
            try:
                total.add(future.result())
            except Broken as broken:
                failures.append(f"{running[future].name}: {broken}")
            _progress(title, done, len(jobs), total, len(failures), monotonic() - start)
    return total, failures


def _progress(title: str, done: int, of: int, total: Tally, failures: int, seconds: float) -> None:
    text = (
        f"{title}: {done}/{of} runs, {total.kills.total()} kills,"
        f" {total.acknowledged} acknowledged, {failures} failures, {seconds:.0f} s"
    )
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text}\x1b[K" + ("\n" if done == of else ""))
    elif done == of or done % max(1, of // 20) == 0:
        sys.stderr.write(text + "\n")
    with contextlib.suppress(BrokenPipeError):
        sys.stderr.flush()


def show(title: str, total: Tally, failures: Sequence[str], seconds: float) -> None:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(total.kills.items()))
    ends = ", ".join(f"{count} {kind}" for kind, count in sorted(total.outcomes.items()))
    rows = [
        ("processes", f"{total.runs}"),
        ("kills", f"{total.kills.total()}" + (f" ({kinds})" if kinds else "")),
        ("of them in the middle of a turn", f"{total.midway}"),
        ("blows that never fell", f"{total.missed or ''}"),
        ("faults injected", ends),
        ("acknowledged entries looked for", f"{total.acknowledged}"),
        ("torn tails cut off", f"{total.torn}"),
        ("sessions opened again", f"{total.reopened}"),
        ("calls told as interrupted", f"{total.interrupted}"),
        ("messages given while it worked", f"{total.steered or ''}"),
        ("side effects counted", f"{total.tokens}"),
        ("requests rebuilt exactly", f"{total.replayed}"),
        ("broken promises", f"{len(failures)}"),
        ("seconds", f"{seconds:.0f}"),
    ]
    width = max(len(name) for name, _ in rows)
    sys.stdout.write(f"{title}\n")
    for name, value in rows:
        if value:
            sys.stdout.write(f"  {name.ljust(width)}  {value}\n")
    for failure in failures:
        sys.stdout.write(f"\nBROKEN {failure}\n")
