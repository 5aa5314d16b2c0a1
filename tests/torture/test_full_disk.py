"""A session whose disk fills up, on a real small filesystem."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.torture.full_disk import command

REPOSITORY = Path(__file__).parents[2]


def fill(root: Path, kind: str) -> dict[str, Any]:
    """Fill a disk, free it, go on; what must always hold (`audit.py`) is checked on the way."""
    words = command(root, kind)
    done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.fail(f"run this as root: {shlex.join(words)}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("tmpfs", "cannot store session content"), ("ext4", "the session log cannot be written")],
)
def test_a_full_disk_ends_the_run_with_its_reason_and_space_lets_the_session_go_on(
    tmp_path: Path, kind: str, reason: str
) -> None:
    happened = fill(tmp_path, kind)

    full, again = happened["full"], happened["again"]
    assert happened["turn"] > 1
    assert (full["code"], full["out"]) == (1, "")
    assert f"indus: {reason}: No space left on device" in full["err"]
    assert "; free space" in full["err"] or "; nothing more is run" in full["err"]
    assert (again["code"], again["out"]) == (0, f"{happened['final']}\n")
