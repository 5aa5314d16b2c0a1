"""The size of the tree is no cost of a run that does not search it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.cli.home import Home, answer


def plant(root: Path, folders: int, files: int) -> None:
    for number in range(folders):
        folder = root / f"package{number}"
        folder.mkdir()
        for name in range(files):
            (folder / f"module{name}.py").touch()


def looks(home: Home, script: str) -> list[str]:
    """The system calls of one answer that name the workspace or list a directory of it."""
    trace = home.root / "trace.txt"
    watched = ["strace", "-f", "-qq", "-y", "-e", "trace=%file,getdents64", "-o", str(trace)]
    done = subprocess.run(
        [*watched, sys.executable, "-m", "induscode", "-p", "hi", "-m", script],
        cwd=home.work,
        env=home.environ(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    calls = re.sub(r"AT_FDCWD<[^>]*>", "", trace.read_text()).splitlines()
    return [call for call in calls if str(home.work) in call]


def test_a_first_answer_looks_at_as_much_of_a_large_tree_as_of_a_small_one(tmp_path: Path) -> None:
    homes: list[Home] = []
    for name in ("small", "large"):
        (tmp_path / name).mkdir()
        homes.append(Home(tmp_path / name))
    plant(homes[0].work, 1, 5)
    plant(homes[1].work, 100, 20)
    seen = [looks(home, home.script(answer("Hello."))) for home in homes]
    assert 0 < len(seen[0]) == len(seen[1])
    assert not [line for line in seen[1] if "package" in line]
