"""The processes of one tool: what runs, what ended, and how far each was looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from induscode.kernel.tool import Progress, Spawned, ToolContext
from induscode.tools.bounded import keep_end
from induscode.tools.processes.asked import Asked
from induscode.tools.processes.limits import (
    LOOK_SECONDS,
    REMEMBERED,
    RUNNING_MOST,
    SHOWN_CHARACTERS,
)

__all__ = ["ProcessTable", "Tracked"]

_STREAMS = ("output", "errors")


class Tracked:
    """A process and how much of its output was shown."""

    def __init__(self, name: str, asked: Asked, spawned: Spawned, *, detached: bool) -> None:
        self.id = name
        self.asked = asked
        self.spawned = spawned
        self.detached = detached
        self._shown = [0] * len(spawned.outputs)
        self._reported = [0] * len(spawned.outputs)

    @property
    def state(self) -> str:
        """One sentence."""
        spawned = self.spawned
        if not spawned.exited:
            outlives = ", detached: it outlives the session" if self.detached else ""
            return f"{self.id} is running (pid {spawned.pid}{outlives})."
        ended = "was ended" if spawned.code is None else f"exited with code {spawned.code}"
        rest = "; what it started is still running" if spawned.running else ""
        return f"{self.id} {ended}{rest}."

    def details(self) -> dict[str, Any]:
        spawned = self.spawned
        return {
            "id": self.id,
            "pid": spawned.pid,
            "running": spawned.running,
            "exit_code": spawned.code,
            "files": [str(output.file) for output in spawned.outputs],
        }

    def look(self) -> str:
        """What it said since the last look, bounded, and where all of it is."""
        streams = enumerate(self.spawned.outputs)
        told = [part for at, _ in streams for part in self._stream(at)]
        return "\n".join(told or ["(no new output)", *self._files()])

    def _stream(self, at: int) -> list[str]:
        output = self.spawned.outputs[at]
        text, missing = output.since(self._shown[at])
        self._shown[at] += missing + len(text)
        if not text and not missing:
            return []
        shown = keep_end(text, SHOWN_CHARACTERS // len(self._shown))
        missing += len(text) - len(shown)
        lines = [f"[{_STREAMS[at]}]"] if len(self._shown) > 1 else []
        if missing:
            lines.append(f"[... {missing:,} characters before this are only in the file ...]")
        note = f"; {output.note}" if output.note else ""
        return [*lines, shown.removesuffix("\n"), f"[all of it: {output.file}{note}]"]

    def _files(self) -> list[str]:
        return [f"[all of it: {output.file}]" for output in self.spawned.outputs]

    async def attend(
        self, until: Callable[[], Awaitable[bool]], *, seconds: float, context: ToolContext
    ) -> bool:
        """Whether `until` came true in time, while something of the process was left. What it says
        meanwhile is shown to the person. Raises `Cancelled`."""
        return await context.cancel.run(self._attend(until, seconds, context.progress))

    async def _attend(
        self, until: Callable[[], Awaitable[bool]], seconds: float, progress: Progress
    ) -> bool:
        end = monotonic() + seconds
        while True:
            over = not self.spawned.running
            if over:
                await self.spawned.wait()
            self._report(progress)
            if await until():
                return True
            left = end - monotonic()
            if over or left <= 0:
                return False
            await self._pause(min(LOOK_SECONDS, left))

    async def _pause(self, seconds: float) -> None:
        if self.spawned.exited:
            await asyncio.sleep(seconds)
            return
        try:
            async with asyncio.timeout(seconds):
                await self.spawned.wait()
        except TimeoutError:
            return

    def _report(self, progress: Progress) -> None:
        for at, output in enumerate(self.spawned.outputs):
            start = max(self._reported[at], self._shown[at])
            text, missing = output.since(start)
            self._reported[at] = start + missing + len(text)
            if text:
                progress(text)


class ProcessTable:
    """Processes by the names that the model uses for them."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._count = 0
        self._known: dict[str, Tracked] = {}

    def problem(self) -> str:
        """Why another one cannot be started, "" when it can."""
        running = sum(tracked.spawned.running for tracked in self._known.values())
        if running < RUNNING_MOST:
            return ""
        return f"{running} processes are running, which is the most; stop one first."

    async def start(
        self, asked: Asked, context: ToolContext, *, apart: bool, detached: bool
    ) -> Tracked:
        """Raises OSError when it could not be started."""
        spawned = await context.shell.spawn(
            asked.command, cwd=asked.cwd, apart=apart, detached=detached
        )
        self._count += 1
        tracked = Tracked(f"{self._prefix}{self._count}", asked, spawned, detached=detached)
        self._known[tracked.id] = tracked
        ended = [each.id for each in self._known.values() if not each.spawned.running]
        for name in ended[: max(len(self._known) - REMEMBERED, 0)]:
            del self._known[name]
        return tracked

    def forget(self, tracked: Tracked) -> None:
        self._known.pop(tracked.id, None)

    def find(self, name: str | None) -> Tracked | str:
        """The process, or a sentence that says which ones there are."""
        if name is not None and name in self._known:
            return self._known[name]
        known = ", ".join(self._known) or "none"
        said = "The argument `id` is missing" if name is None else f"There is no process {name!r}"
        return f"{said}; the processes of this session are: {known}."

    def all(self) -> tuple[Tracked, ...]:
        return tuple(self._known.values())

    def listing(self) -> str:
        lines = [f"{tracked.state} {tracked.asked.command}" for tracked in self._known.values()]
        return "\n".join(lines) or "No process was started in this session."
