"""What watching costs where nothing can be changed: nothing."""

from __future__ import annotations

from pathlib import Path

from tests.boot.test_imports import imported
from tests.cli.home import answer


def test_a_run_that_only_reads_does_not_even_load_the_watch(tmp_path: Path) -> None:
    calls = answer("", ("bash", {"command": "ls"}), ("read", {"path": "s.toml"})) + answer("Done.")
    (tmp_path / "s.toml").write_text(calls)
    code = "from induscode.entry import main; assert main() == 0"
    found = imported(code, tmp_path, "-p", "hi", "-m", "scripted/s.toml")
    assert "induscode.boot.checkpoints" in found
    assert not {name for name in found if name.startswith("induscode.checkpoint.")}
