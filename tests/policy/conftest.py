from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A small repository with a neighbour whose name begins like its own."""
    root = Path(os.path.realpath(tmp_path)) / "repo"
    for place in ("src/deep/a.py", "README.md", ".env", ".git/config", "docs/guide.md"):
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text("text\n")
    twin = root.with_name("repo-evil")
    twin.mkdir()
    (twin / "secret").write_text("secret\n")
    return root
