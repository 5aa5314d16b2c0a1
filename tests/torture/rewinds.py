"""Stories of an agent, a person and rewinds, many of them: every tree as the model says."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tests.checkpoint.story import Wrong, tell
from tests.torture.campaign import fresh_root

__all__ = ["rewind_many", "show_rewinds"]


def rewind_many(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """As many stories; returns how often what happened, and a sentence for each that went wrong."""
    total, failures = Counter[str](), list[str]()
    seeds = [seed * 1_000_000 + number for number in range(count)]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("forkserver")) as pool:
        for found in pool.map(_story, seeds):
            if isinstance(found, str):
                failures.append(found)
            else:
                total.update(found)
    return total, failures


def _story(seed: int) -> dict[str, int] | str:
    try:
        with fresh_root("rewind") as root:
            return tell(root / "story", seed)
    except Wrong as wrong:
        return str(wrong)


def show_rewinds(
    total: Counter[str], failures: Sequence[str], stories: int, seconds: float
) -> None:
    say = sys.stdout.write
    say(f"Stories of edits, commands, people and rewinds: {stories} in {seconds:.0f} s\n")
    for name, count in total.items():
        say(f"  {name.ljust(10)}  {count}\n")
    say(f"  {'wrong'.ljust(10)}  {len(failures)}\n")
    for failure in failures:
        say(f"\nBROKEN {failure}\n")
