"""A workspace and a home of their own, and `indus` as a process in them."""

import json
import os
import subprocess
import sys
from pathlib import Path

INDUS = [sys.executable, "-m", "induscode"]
BOUND = 20.0
"""How long anything may take before a test gives up; nothing waits this long when it works."""


class Place:
    def __init__(self, root: Path) -> None:
        self.workspace = root / "work"
        self.home = root / "home"
        self.workspace.mkdir()
        self.home.mkdir()

    def script(self, text: str, name: str = "answers.toml") -> str:
        (self.workspace / name).write_text(text, encoding="utf-8")
        return f"scripted/{name}"

    @property
    def environ(self) -> dict[str, str]:
        kept = {
            key: os.environ[key] for key in ("PATH", "COVERAGE_PROCESS_START") if key in os.environ
        }
        return kept | {
            "HOME": str(self.home),
            "INDUS_HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "NO_COLOR": "1",
        }

    def logs(self) -> list[Path]:
        return sorted((self.home / "sessions").glob("*/*.jsonl"))

    def entries(self) -> list[dict]:
        """All entries of the one session there is."""
        [log] = self.logs()
        return [json.loads(line) for line in log.read_text().splitlines()]

    def run(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*INDUS, *words],
            cwd=self.workspace,
            env=self.environ,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=BOUND,
            check=False,
        )

    def replays(self) -> bool:
        """Whether the log of the last session is whole and explains every request."""
        done = self.run("replay", "last")
        return done.returncode == 0
