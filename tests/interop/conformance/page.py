"""Results in words: a line for the terminal, a page for the documentation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib.metadata import version

from tests.interop.conformance.scenarios import ERAS, NOT_OURS
from tests.interop.conformance.suite import HERE, Result

__all__ = ["page", "shown", "suite_version"]

_PAGE = """\
# MCP conformance

The MCP project has a [conformance suite](https://github.com/modelcontextprotocol/conformance). Its
client scenarios start a server, let our client visit it, and check everything that was said.
`make conformance` runs them; `make conformance PAGE=1` writes this page.

{intro}

{passed}
{remarks}
## Not about us

{skipped}
"""


def shown(result: Result) -> str:
    word = "FAILED" if result.faults else "passed"
    line = f"{word}  {result.run.scenario} ({result.run.version}): {_amount(result)}\n"
    told = (*result.faults, *result.remarks)
    return line + "".join(f"        {each}\n" for each in told)


def page(results: Sequence[Result]) -> str:
    passed = sum(not each.faults for each in results)
    intro = (
        f"Version {suite_version()} of the suite, version {version('mcp')} of the SDK.\n"
        f"{passed} of {len(results)} runs passed; a cell is the number of checks that were right."
    )
    found = {(each.run.scenario, each.run.version): each for each in results}
    versions = [*sorted({each.run.version for each in results} - set(ERAS)), *ERAS]
    rows = [
        [f"`{name}`", *(_cell(found.get((name, each))) for each in versions)]
        for name in dict.fromkeys(each.run.scenario for each in results)
    ]
    skipped = [[f"`{name}`", why] for name, why in NOT_OURS.items()]
    return _PAGE.format(
        intro=intro,
        passed=_table(["scenario", *versions], rows),
        remarks=_remarks(results),
        skipped=_table(["scenario", "why it is not run"], skipped),
    )


def suite_version() -> str:
    packages = json.loads((HERE / "package.json").read_text())["dependencies"]
    return packages["@modelcontextprotocol/conformance"]


def _cell(result: Result | None) -> str:
    if result is None:
        return ""
    word = "**failed**, " if result.faults else ""
    return f"{word}{_amount(result)}"


def _remarks(results: Sequence[Result]) -> str:
    """What should be otherwise, and need not be."""
    told = dict.fromkeys(
        f"- `{each.run.scenario}`: {remark}" for each in results for remark in each.remarks
    )
    return "".join(f"{line}\n" for line in ["", *told]) if told else ""


def _amount(result: Result) -> str:
    whole = result.passed == result.checks
    return str(result.checks) if whole else f"{result.passed} of {result.checks}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
