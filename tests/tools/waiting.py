"""Waiting, with a bound, for what another process does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

BOUND = 20.0


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(BOUND):
        while not condition():  # noqa: ASYNC110 - another process makes it true
            await asyncio.sleep(0.01)


async def until_gone(pid: int) -> None:
    await until(lambda: not _alive(pid))


async def until_written(path: Path) -> str:
    """The text of a file, once its line is complete."""
    await until(lambda: path.exists() and path.read_text().endswith("\n"))
    return path.read_text()


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
