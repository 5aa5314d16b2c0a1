"""Measure everything and say whether the budgets hold."""

from __future__ import annotations

import argparse
import sys

from bench.addons import measure_addons
from bench.deck import measure_deck
from bench.delegate import measure_delegate
from bench.exchange import measure_answer, measure_calls, measure_version
from bench.fleet import measure_mcp
from bench.log import measure_append, measure_resume
from bench.report import show
from bench.search import measure_search


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m bench")
    words.add_argument("--rounds", type=int, default=10, help="interleaved runs of each")
    names = (
        "version",
        "answer",
        "calls",
        "append",
        "resume",
        "search",
        "deck",
        "delegate",
        "addons",
        "mcp",
    )
    words.add_argument("--only", choices=names)
    asked = words.parse_args()
    parts = {
        "version": lambda: measure_version(asked.rounds * 2),
        "answer": lambda: measure_answer(asked.rounds),
        "calls": lambda: measure_calls(max(3, asked.rounds // 2)),
        "append": measure_append,
        "resume": measure_resume,
        "deck": lambda: measure_deck(asked.rounds),
        "delegate": lambda: measure_delegate(max(3, asked.rounds // 2)),
        "addons": lambda: measure_addons(asked.rounds),
        "mcp": lambda: measure_mcp(max(3, asked.rounds // 2)),
        "search": lambda: measure_search(asked.rounds * 3),
    }
    good = True
    for name, measure in parts.items():
        if asked.only in (None, name):
            good = show(measure()) and good
    print("every budget holds" if good else "a budget is exceeded")
    return 0 if good else 1


sys.exit(main())
