"""The suite as a program: fetched, asked for its scenarios, run for one of them."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.interop.conformance.scenarios import Run
from tests.interop.npm import install, node

__all__ = ["HERE", "PLACE", "Result", "Suite"]

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PLACE = ROOT / "build" / "conformance"
SECONDS = 120.0


class Result(NamedTuple):
    """`passed` of `checks` were right; `faults` says what was not, and is empty when all was."""

    run: Run
    passed: int
    checks: int
    faults: tuple[str, ...]


class Suite:
    """Raises FileNotFoundError, with a reason, when it is not there and cannot be fetched."""

    def __init__(self, *, fetch: bool) -> None:
        program = PLACE / "node_modules" / ".bin" / "conformance"
        why = install(HERE, PLACE) if fetch else ""
        runner = node()
        if why or runner is None or not program.exists():
            raise FileNotFoundError(why or "it is not installed: run `make conformance`")
        self._words = (str(runner), str(program))

    def listing(self) -> str:
        return self._ran("list", "--client").stdout

    def result(self, run: Run) -> Result:
        """Of one run of our client."""
        folder = PLACE / "results" / f"{run.scenario.replace('/', '-')}-{run.version}"
        command = shlex.join([sys.executable, "-m", "tests.interop.conformance.client"])
        done = self._ran(
            *("client", "--command", command, "--scenario", run.scenario),
            *("--spec-version", run.version, "--output-dir", str(folder)),
        )
        (folder / "output.txt").write_text(done.stdout + done.stderr)
        checks = _checks(folder, done.stderr + done.stdout)
        judged = [each for each in checks if each["status"] in ("SUCCESS", "FAILURE", "WARNING")]
        faults = [
            f"{each['id']}: {each.get('errorMessage') or each['description']}"
            for each in judged
            if each["status"] != "SUCCESS"
        ]
        if done.returncode and not faults:
            faults = [f"our client ended with an error; see {folder.relative_to(ROOT)}"]
        if not judged:
            faults = ["nothing was checked"]
        return Result(run, len(judged) - len(faults), len(judged), tuple(faults))

    def _ran(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (*self._words, *words),
            cwd=ROOT,
            env={**os.environ, "NODE_NO_WARNINGS": "1"},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )


def _checks(folder: Path, output: str) -> list[Mapping[str, Any]]:
    """The suite says where it put them."""
    found = re.search(r"^Results saved to (.*)$", output, re.MULTILINE)
    if found is None:
        return []
    return json.loads((Path(found[1]) / "checks.json").read_text())
