"""A workspace with a script to deploy, and `indus` with a feature that offers it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.channels.place import BOUND, Place
from tests.features.sessions import SAY, entries

__all__ = ["DEPLOYER", "Yard"]

DEPLOYER = [sys.executable, "-m", "tests.features.deployer"]
ROOT = Path(__file__).parents[2]
SCRIPT = '#!/bin/sh\necho "deploying $*"\necho "careful" >&2\ntouch deployed\n'


class Yard(Place):
    """`granted` is what the feature may, one capability a line; "" for everything."""

    def __init__(self, root: Path, script: str = SCRIPT) -> None:
        super().__init__(root)
        self.granted = ""
        self.write("deploy.sh", script)

    @property
    def environ(self) -> dict[str, str]:
        paths = f"{ROOT / 'src'}:{ROOT}"
        return super().environ | {"PYTHONPATH": paths, "DEPLOYER_GRANTS": self.granted}

    def write(self, name: str, text: str) -> None:
        (self.workspace / name).write_text(text)
        (self.workspace / name).chmod(0o755)

    def indus(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*DEPLOYER, *words, "-m", self.script(SAY)],
            cwd=self.workspace, env=self.environ, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=BOUND, check=False,
        )  # fmt: skip

    def made(self, name: str) -> bool:
        return (self.workspace / name).exists()

    def ran(self) -> list[tuple[str, str]]:
        """What the log says of lines: the decision and its words."""
        hooks = [entry for entry in entries(self, "hook") if entry["point"] == "exec"]
        assert {entry["by"] for entry in hooks} <= {"user:deployer"}
        assert len({entry["target"] for entry in hooks}) <= 1
        return [(entry["decision"], entry["reason"]) for entry in hooks]
