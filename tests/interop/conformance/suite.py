"""The suite as a program: fetched, asked for its scenarios, run for one of them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
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
ENVIRON = {
    "NODE_NO_WARNINGS": "1",
    "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",  # logins are for a moment
}


class Result(NamedTuple):
    """`passed` of `checks` were right. `faults` says what must not be as it is, and is empty when
    the scenario passed; `remarks` says what should be otherwise."""

    run: Run
    passed: int
    checks: int
    faults: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


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
        shutil.rmtree(folder, ignore_errors=True)
        command = shlex.join([sys.executable, "-m", "tests.interop.conformance.client"])
        done = self._ran(
            *("client", "--command", command, "--scenario", run.scenario),
            *("--spec-version", run.version, "--output-dir", str(folder)),
        )
        checks = _checks(done.stderr + done.stdout)
        faults, remarks = _told(checks, "FAILURE"), _told(checks, "WARNING")
        passed = len(_told(checks, "SUCCESS"))
        total = passed + len(faults) + len(remarks)
        if done.returncode and not faults:
            faults = (f"our client ended with an error; see {folder.relative_to(ROOT)}",)
        if not total:
            faults = ("nothing was checked",)
        return Result(run, passed, total, faults, remarks)

    def _ran(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (*self._words, *words),
            cwd=ROOT,
            env={**os.environ, **ENVIRON},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )


def _checks(output: str) -> list[Mapping[str, Any]]:
    """The suite says where it put them."""
    found = re.search(r"^Results saved to (.*)$", output, re.MULTILINE)
    return [] if found is None else json.loads((Path(found[1]) / "checks.json").read_text())


def _told(checks: list[Mapping[str, Any]], status: str) -> tuple[str, ...]:
    return tuple(
        f"{each['id']}: {each.get('errorMessage') or each['description']}"
        for each in checks
        if each["status"] == status
    )
