"""The help is a promise: changing it is a visible act.

To accept a change: COLUMNS=80 python -m induscode --help > tests/goldens/cli-help.txt
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from induscode.version import VERSION
from tests.requirements import requirement

GOLDEN = Path(__file__).resolve().parents[1] / "goldens" / "cli-help.txt"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": os.environ["PATH"], "COLUMNS": "80", "LANG": "C.UTF-8"}
    return subprocess.run(
        [sys.executable, "-m", "induscode", *words],
        env=environ, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip


@requirement("cli.flag.help-version")
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_the_help_is_as_agreed(flag: str) -> None:
    ran = run(flag)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == GOLDEN.read_text()


@requirement("cli.flag.help-version")
@pytest.mark.parametrize("flag", ["-v", "--version"])
def test_the_version_is_one_line(flag: str) -> None:
    ran = run(flag)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"indus {VERSION}\n", "")


def test_the_help_names_every_flag_that_it_takes_and_fits_a_screen() -> None:
    text = GOLDEN.read_text()
    for flag in (
        "--print", "--json", "--rpc", "--plain", "--cwd", "--continue", "--resume", "--fork",
        "--model", "--thinking", "--system", "--append-system", "--mode", "--allow", "--deny",
        "--profile", "--tools", "--no-tools", "--trust", "--max-steps", "--max-cost", "--version",
    ):  # fmt: skip
        assert flag in text
    assert max(len(line) for line in text.splitlines()) <= 80
