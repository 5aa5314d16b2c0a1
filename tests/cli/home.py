"""The command as a person runs it: a real process, a home and a workspace of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CANARY = "sk-canary-9f2c41d7e8"
"""The key of every run here. It must never appear anywhere."""

BOUND = 40.0


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str
    seconds: float = 0.0

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def result(self) -> dict[str, Any]:
        return self.events[-1]

    @property
    def complaints(self) -> list[str]:
        """What standard error says, but for attempts that are followed by another."""
        lines = [line for line in self.err.splitlines() if line.startswith("indus: ")]
        return [line for line in lines if "trying again in" not in line]


@dataclass
class Home:
    root: Path
    url: str = "http://127.0.0.1:9"
    key: str = CANARY
    extra: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.work.mkdir()
        self.indus.mkdir()

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def indus(self) -> Path:
        return self.root / "home"

    def environ(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if k == "PATH" or k.startswith("COVERAGE")}
        own = {"HOME": str(self.root), "INDUS_HOME": str(self.indus), "LANG": "C.UTF-8"}
        key = {"ANTHROPIC_API_KEY": self.key} if self.key else {}
        return {**kept, **own, **key, "ANTHROPIC_BASE_URL": self.url, **self.extra}

    def run(self, *words: str, stdin: str = "", cwd: Path | None = None) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "induscode", *words],
            cwd=cwd or self.work,
            env=self.environ(),
            input=stdin.encode(),
            capture_output=True,
            timeout=BOUND,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """The same, running; the caller waits for it."""
        return subprocess.Popen(
            [sys.executable, "-m", "induscode", *words],
            cwd=self.work,
            env=self.environ(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def config(self, text: str) -> Path:
        file = self.indus / "config.toml"
        file.write_text(text)
        return file

    def script(self, text: str, name: str = "script.toml") -> str:
        """A scripted model, as `-m` takes it."""
        (self.root / name).write_text(text)
        return f"scripted/{self.root / name}"

    def script_after(self, text: str) -> str:
        """A scripted model that goes on with the last session: the answers given count as steps."""
        given = len(self.entries("response"))
        return self.script(answer("This was said before.") * given + text)

    def logs(self) -> list[Path]:
        """The logs there are, oldest first."""
        return sorted(self.indus.glob("sessions/*/*.jsonl"), key=lambda p: p.stat().st_mtime_ns)

    def entries(self, type_: str = "", log: Path | None = None) -> list[dict[str, Any]]:
        """What `log` holds; without one, the newest session that a person began: its delegates'
        last writes fall into the same tick of the file system's clock."""
        begun = (own for own in reversed(self.logs()) if not _delegated(own))
        lines = (log or next(begun)).read_text().splitlines()
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
        return [row for row in rows if not type_ or row["type"] == type_]


def _delegated(log: Path) -> bool:
    with log.open() as lines:
        return "delegator" in json.loads(next(lines, "{}"))


def answer(text: str = "Hello.", *calls: tuple[str, Mapping[str, Any]]) -> str:
    """One answer of a script; JSON strings are TOML strings."""
    lines = ["[[answer]]", f"text = {json.dumps(text)}"]
    for name, arguments in calls:
        written = json.dumps(json.dumps(arguments))
        lines += ["[[answer.call]]", f'name = "{name}"', f"arguments_json = {written}"]
    return "\n".join(lines) + "\n"
