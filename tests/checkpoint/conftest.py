"""A stage of its own for each test."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checkpoint.scene import Stage, git


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A workspace that is no repository."""
    made = Stage(tmp_path)
    yield made
    made.close()


@pytest.fixture
def repository(stage: Stage) -> Stage:
    """The same as a repository: `tracked` is committed and old, `ignored/` is ignored."""
    work = stage.work
    (work / "tracked").write_bytes(b"as committed\n")
    (work / ".gitignore").write_text("ignored/\n")
    git(work, "init", "-q")
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "first")
    age(stage, "tracked", ".gitignore")
    (work / "ignored").mkdir()
    (work / "ignored" / "built").write_bytes(b"\0binary\xff")
    (work / "untracked").write_bytes(b"mine\n")
    return stage


def age(stage: Stage, *names: str) -> None:
    """Let git know these files for sure: they are older than its index."""
    for name in names:
        place = stage.work / name
        os.utime(place, ns=(10**18, 10**18))
    git(stage.work, "status")
