"""A session as it is played: one `indus` process per turn, over a home and a workspace of its own.

Whatever ends a process, the next one is what a person would type: the prompt again when the log
does not hold it, `indus -c -p` when the turn broke off, the next prompt when it is done.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Timer
from typing import Any, Self

import induscode
from induscode.kernel.content import Text
from induscode.session.blobs import BlobStore
from induscode.session.entries import Input, Response
from induscode.session.log import read_only
from induscode.session.reader import Scan
from induscode.session.storing import load_said
from tests.fakes.anthropic_server import AnthropicServer
from tests.torture.brain import Turn, brain

__all__ = [
    "BOUND",
    "INDUS",
    "SHIM",
    "Broken",
    "Ended",
    "Watcher",
    "World",
    "command_for",
    "replayed",
    "run",
    "steering",
    "talk_for",
]

INDUS = (sys.executable, "-m", "induscode")
SHIM = Path(__file__).with_name("shim.py")
BOUND = 60.0
"""Seconds that no process may take."""

_REQUESTS = 100_000
_STEERING = 2


class Broken(AssertionError):
    """A promise does not hold; the message says which, and where the evidence lies."""


@dataclass(frozen=True)
class Ended:
    """How one process ended, and what it told the outside before."""

    code: int
    out: bytes
    err: str

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL

    @property
    def events(self) -> list[dict[str, Any]]:
        """Whole lines only: what was cut by the kill told nobody anything."""
        if not self.out.startswith(b"{"):
            return []
        rows = [json.loads(line) for line in self.out.split(b"\n")[:-1]]
        return [_event(row) for row in rows]


def _event(row: dict[str, Any]) -> dict[str, Any]:
    """Of JSON-RPC, the event inside, or the answer to the steering message."""
    if "jsonrpc" not in row:
        return row
    steered = row.get("id") == _STEERING and "result" in row
    return row.get("params", {"type": "steered" if steered else "answer"})


@dataclass
class World:
    """Everything one session touches, and the model it talks to."""

    root: Path
    plan: Sequence[Turn]
    environ: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home = self.root / "home"
        self.workspace = self.root / "workspace"
        self.workspace.mkdir(parents=True, exist_ok=True)
        (self.workspace / "notes.txt").write_text("Some notes.\n" * 20)
        self.server = AnthropicServer([brain(self.plan)] * _REQUESTS)

    def __enter__(self) -> Self:
        self.server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.__exit__()

    @property
    def env(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path(induscode.__file__).parents[1]),
            "HOME": str(self.root),
            "INDUS_HOME": str(self.home),
            "ANTHROPIC_API_KEY": "no-key",
            "ANTHROPIC_BASE_URL": self.server.url,
            **self.environ,
        }

    @property
    def log_path(self) -> Path | None:
        found = sorted(self.home.glob("sessions/*/*.jsonl"))
        if len(found) > 1:
            raise Broken(f"one session became {len(found)}: {self.root}")
        return found[0] if found else None

    @property
    def journal(self) -> list[str]:
        try:
            return (self.workspace / "journal").read_text().splitlines()
        except FileNotFoundError:
            return []

    def save(self) -> Path:
        """A copy of everything so far, for `restore`. Paths stay the same: they are in the log."""
        saved = self.root / "saved"
        for folder in (self.home, self.workspace):
            if folder.exists():
                shutil.copytree(folder, saved / folder.name)
        self._saved_requests = len(self.server.requests)
        return saved

    def restore(self, saved: Path) -> None:
        for folder in (self.home, self.workspace):
            shutil.rmtree(folder, ignore_errors=True)
            if (saved / folder.name).exists():
                shutil.copytree(saved / folder.name, folder)
        del self.server.requests[self._saved_requests :]

    def scan(self) -> Scan:
        path = self.log_path
        return Scan([], [], 0, 0) if path is None else read_only(path)


def command_for(world: World, turn: Turn, *extra: str) -> list[str] | None:
    """What to type next for `turn`; None when it is done."""
    known = _known(world, turn)
    if known is None:
        return None
    words = ["-p", *([] if known else [turn.prompt]), "--mode", "full", *extra]
    return [*words, "-c"] if world.log_path is not None else words


def talk_for(world: World, turn: Turn) -> tuple[list[str], bytes] | None:
    """The same by JSON-RPC: the command, and the first line to send it."""
    known = _known(world, turn)
    if known is None:
        return None
    words = ["--rpc", "--mode", "full", *(["-c"] if world.log_path is not None else [])]
    if known:
        return words, rpc("continue", 1)
    return words, rpc("submit", 1, text=turn.prompt)


def rpc(method: str, number: int, **params: str) -> bytes:
    row = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(row).encode() + b"\n"


def steering(turn: Turn) -> bytes:
    return rpc("steer", _STEERING, text=f"[steer {turn.number}] and mind the gap")


def _known(world: World, turn: Turn) -> bool | None:
    """Whether the log holds the turn's prompt; None when it holds its last answer, too."""
    entries = world.scan().entries
    answered = (entry for entry in entries if isinstance(entry, Response))
    if any(block == Text(turn.final) for entry in answered for block in entry.content):
        return None
    inputs = [entry for entry in entries if isinstance(entry, Input)]
    heard = f"[turn {turn.number}]"
    return any(heard in text for entry in inputs for text in _texts(entry, world))


def _texts(entry: Input, world: World) -> list[str]:
    said = load_said(entry.content, BlobStore(world.home / "blobs"))
    return [block.text for block in said if isinstance(block, Text)]


Watcher = Callable[["subprocess.Popen[bytes]"], bytes]


def run(
    world: World,
    words: Sequence[str],
    *,
    before: Sequence[str] = (),
    program: Sequence[str] = INDUS,
    environ: Mapping[str, str] | None = None,
    watch: Watcher | None = None,
    first_line: bytes | None = None,
) -> Ended:
    """Run `indus` to its end, however it comes. `watch` may end it; it returns what it read."""
    with subprocess.Popen(
        [*before, *program, *words],
        cwd=world.workspace,
        env={**world.env, **(environ or {})},
        stdin=subprocess.DEVNULL if first_line is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    ) as process:
        hung = Event()
        guard = Timer(BOUND, lambda: (hung.set(), process.kill()))
        guard.start()
        if process.stdin is not None:
            process.stdin.write(first_line or b"")
        early = watch(process) if watch else b""
        out, err = process.communicate()
        guard.cancel()
        if hung.is_set():
            raise Broken(f"`indus {words}` hangs: {world.root}")
    return Ended(process.returncode, early + out, err.decode(errors="replace"))


def replayed(world: World) -> tuple[int, int]:
    """How many requests `indus replay` rebuilt exactly, of how many. Raises when it fails."""
    ended = run(world, ["replay", "last"])
    found = re.search(r"PASS  (\d+) of (\d+) requests", ended.out.decode())
    if ended.code != 0 or found is None:
        raise Broken(f"replay fails: {world.root}\n{ended.out.decode()[-2000:]}{ended.err}")
    return int(found[1]), int(found[2])
