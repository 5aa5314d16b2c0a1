"""A workspace with a log and a real watch over it, driven step by step."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from induscode.checkpoint.contents import ContentStore
from induscode.checkpoint.points import Point
from induscode.checkpoint.rewind import Done, Scope, rewind
from induscode.checkpoint.watch import Checkpoints, Scene
from induscode.kernel.clock import SystemClock
from induscode.kernel.content import Text
from induscode.kernel.ids import IdMint
from induscode.kernel.tool import ToolKind
from induscode.policy.environment import child_environment
from induscode.policy.subject import CallView, CommandSubject, NoSubject
from induscode.session.entries import Checkpoint, Input, SessionStart
from induscode.session.log import SessionLog

BOUND = 20.0
ENVIRON = child_environment({"PATH": os.environ["PATH"], "HOME": "/nonexistent"})


def git(folder: Path, *words: str) -> str:
    own = {
        "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
        "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
    }  # fmt: skip
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **own},
        capture_output=True,
        text=True,
        check=True,
        timeout=BOUND,
    )
    return done.stdout


@dataclass
class Stage:
    """One session in `home`, at work in `work`."""

    folder: Path
    told: list[str] = field(default_factory=list)
    session: str = "s"
    path: str = ""

    def __post_init__(self) -> None:
        self.work = self.folder / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        self.store = ContentStore(self.folder / "home" / "checkpoints" / "key")
        clock = SystemClock()
        path = self.folder / "home" / "sessions" / f"{self.session}.jsonl"
        if path.exists():
            self.log, _ = SessionLog.open(path, clock, IdMint(clock))
        else:
            self.log = SessionLog.create(path, clock, IdMint(clock))
            self.log.append(
                SessionStart(format=1, session="s", workspace=str(self.work), cwd="", indus="")
            )
        self.watch = Checkpoints(
            Scene(
                workspace=self.work,
                home=self.work,
                session=self.session,
                store=self.store,
                environ={**ENVIRON, "PATH": self.path} if self.path else ENVIRON,
                tell=self.told.append,
            )
        )

    def say(self, text: str = "go on") -> Input:
        (entry,) = self.log.append(Input([Text(text)]), by="person")
        assert isinstance(entry, Input)
        return entry

    def here(self) -> Point:
        """This very moment."""
        return Point(self.log.head, self.log.entries[-1].seq)

    def shell(self, script: str) -> list[Checkpoint]:
        view = CallView("bash", ToolKind.SHELL, {}, CommandSubject(script, self.work))
        return self.step(view, lambda: bash(self.work, script))

    def foreign(self, deed: Callable[[], None]) -> list[Checkpoint]:
        return self.step(CallView("theirs", ToolKind.FOREIGN, {}, NoSubject()), deed)

    def write(self, path: str, data: bytes) -> list[Checkpoint]:
        """As `write` does it: records first, then puts the file there."""
        place = self.work / path

        def deed() -> None:
            self.watch.record(place, place.read_bytes() if place.is_file() else None)
            place.parent.mkdir(parents=True, exist_ok=True)
            mode = place.stat().st_mode & 0o7777 if place.is_file() else None
            beside = place.with_name(place.name + ".new")
            beside.write_bytes(data)
            if mode is not None:
                beside.chmod(mode)
            beside.replace(place)

        return self.step(CallView("write", ToolKind.WRITE, {}, NoSubject()), deed)

    def step(self, view: CallView, deed: Callable[[], None]) -> list[Checkpoint]:
        async def whole() -> list[Checkpoint]:
            step = await self.watch.begin("call/0", view)
            deed()
            return await step.end()

        made = asyncio.run(whole())
        self.log.append(*made)
        return made

    def rewind(self, point: Point, scope: Scope = "files") -> Done:
        return rewind(self.log, point, scope, self.work, self.store)

    def close(self) -> None:
        asyncio.run(self.watch.close())
        self.log.close()


def bash(folder: Path, script: str) -> None:
    subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        capture_output=True,
        check=False,
        timeout=BOUND,
    )
