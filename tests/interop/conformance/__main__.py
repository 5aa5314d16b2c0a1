"""`python -m tests.interop.conformance [SCENARIO ...]`: a line for each run; 1 when one failed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.interop.conformance.page import page, shown
from tests.interop.conformance.scenarios import runs
from tests.interop.conformance.suite import Suite

WORKERS = 2


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.interop.conformance")
    parser.add_argument("scenarios", nargs="*", help="names, or beginnings of them (default: all)")
    parser.add_argument("--report", type=Path, help="also write the results as this page")
    options = parser.parse_args(argv)
    if options.report and options.scenarios:
        parser.error("a page is about all scenarios")
    try:
        suite = Suite(fetch=True)
    except FileNotFoundError as error:
        sys.stderr.write(f"The conformance suite is not there: {error}\n")
        return 2
    wanted = tuple(options.scenarios) or ("",)
    chosen = [each for each in runs(suite.listing()) if each.scenario.startswith(wanted)]
    results = []
    with ThreadPoolExecutor(WORKERS) as pool:
        for result in pool.map(suite.result, chosen):
            results.append(result)
            sys.stdout.write(shown(result))
            sys.stdout.flush()
    if options.report is not None:
        options.report.write_text(page(results))
    failed = sum(bool(each.faults) for each in results)
    sys.stdout.write(f"\n{len(results) - failed} of {len(results)} runs passed.\n")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
