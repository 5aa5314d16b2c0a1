"""What counts as the workspace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from induscode.boot.places import workspace_of
from tests.requirements import requirement


@requirement("invariant.08.workspace-is-git-top")
def test_the_workspace_is_the_git_top_level_or_the_directory_itself(tmp_path: Path) -> None:
    deep = tmp_path / "repo" / "a" / "b"
    deep.mkdir(parents=True)
    assert workspace_of(deep) == deep
    (tmp_path / "repo" / ".git").mkdir()
    (tmp_path / "link").symlink_to(deep)
    assert workspace_of(deep) == tmp_path / "repo"
    assert workspace_of(tmp_path / "link") == tmp_path / "repo"


def test_a_worktree_whose_git_is_a_file_counts(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    (tmp_path / "a").mkdir()
    assert workspace_of(tmp_path / "a") == tmp_path


def test_a_git_directory_that_a_stranger_put_above_us_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (tmp_path / ".git").mkdir()
    real = os.lstat

    def a_strangers(path: str | Path) -> os.stat_result:
        found = real(path)
        fields = list(found)
        fields[4] = found.st_uid + 4242
        return os.stat_result(fields)

    assert workspace_of(mine) == tmp_path
    monkeypatch.setattr(os, "lstat", a_strangers)
    monkeypatch.setattr(os.path, "realpath", str)
    assert workspace_of(mine) == mine
