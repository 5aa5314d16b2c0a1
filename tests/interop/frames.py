"""`python -m tests.interop.frames`: a campaign of malformed frames, in figures.

A fleet of one hostile server is flooded again and again. After each flood a good call must work, at
once or after a reconnect; all that goes wrong must be a fault with a kind.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from induscode.capability_deck.contract import ToolOutcome
from induscode.capability_deck.mcp_config.servers import ServerConfig, Transport
from induscode.interop.fleet import Fleet
from induscode.interop.standing import ServerState
from tests.interop.harbour import SECONDS, SERVERS, Harbour, free_port, local, remote, said, until

__all__ = ["Tally", "campaign"]

PER_FLOOD = 500
TASKS_MOST = 200
TRIES = 20
MEGABYTES_MOST = 200
HOW = ("stdio", "http", "sse")


@dataclass
class Tally:
    """What came of it. `problems` is what must not be."""

    frames: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    connects: int = 0
    tasks: int = 0
    megabytes: float = 0.0
    problems: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        return [
            f"{self.frames} frames, {self.connects} connects",
            f"at most {self.tasks} tasks, {self.megabytes:.0f} MB more",
            *(f"  {count:6} {name}" for name, count in self.outcomes.most_common()),
            *(f"PROBLEM {problem}" for problem in self.problems),
        ]


async def campaign(folder: Path, count: int, seed: int, how: str) -> Tally:
    """Ends early at the first problem."""
    tally, harbour = Tally(), Harbour(folder)
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: tally.problems.append(f"escaped: {context}")
    )
    try:
        server = await _server(harbour, seed, how)
        fleet = await harbour.fleet(server, attempts=10**6, backoff_seconds_most=0.1)
        grown = _megabytes()
        while tally.frames < count and not tally.problems:
            await _round(fleet, server.name, min(PER_FLOOD, count - tally.frames), tally)
            tally.megabytes = max(tally.megabytes, _megabytes() - grown)
            tally.connects += sum(each.state is ServerState.CONNECTING for each in harbour.news)
            harbour.news.clear()
        if tally.tasks > TASKS_MOST:
            tally.problems.append(f"{tally.tasks} tasks at once")
        if tally.megabytes > MEGABYTES_MOST:
            tally.problems.append(f"{tally.megabytes:.0f} MB more than at first")
    finally:
        await harbour.close()
    return tally


async def _server(harbour: Harbour, seed: int, how: str) -> ServerConfig:
    if how == "stdio":
        program = str(SERVERS / "hostile.py")
        return local("hostile", sys.executable, "-S", program, str(seed), call_seconds=20.0)
    port, site = free_port(), str(SERVERS / "hostile_site.py")
    await harbour.serve_words((sys.executable, site, how, str(port), str(seed)), port)
    # The SDK passes over answers that are none here: whoever asked waits for as long as they may.
    return remote(f"http://127.0.0.1:{port}/x", Transport(how), call_seconds=2.0)


async def _round(fleet: Fleet, server: str, count: int, tally: Tally) -> None:
    flood = await _run(fleet, f"{server}__flood", {"count": count}, tally)
    tally.outcomes[_kind(flood)] += 1
    tally.frames += count
    tally.tasks = max(tally.tasks, len(asyncio.all_tasks()))
    for _ in range(TRIES):
        answer = await _run(fleet, f"{server}__ping", {}, tally)
        if said(answer) == "pong":
            return
        tally.outcomes["ping: " + _kind(answer)] += 1
    tally.problems.append(f"good calls are answered: {said(answer)[:300]}")


async def _run(fleet: Fleet, name: str, arguments: dict[str, int], tally: Tally) -> Any:
    """Of a server that may be connecting, and at times lists something else."""
    try:
        async with asyncio.timeout(2 * SECONDS):
            await until(lambda: any(name == row["name"] for row in fleet.descriptors()))
            return await fleet.run(name, arguments)
    except TimeoutError:
        tally.problems.append(f"{name}: {fleet.standings()[0].clause()}")
        return ToolOutcome("")
    except Exception as error:  # noqa: BLE001 - nothing at all may be raised
        tally.problems.append(f"raised: {error!r}")
        return ToolOutcome("")


def _kind(outcome: Any) -> str:
    """Short enough to be counted."""
    text = said(outcome)
    return ("error: " if outcome.is_error else "answer: ") + text.partition("\n")[0][:90]


def _megabytes() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m tests.interop.frames", description=__doc__)
    words.add_argument("--count", type=int, default=100_000)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--over", choices=HOW, default="stdio")
    asked = words.parse_args()
    began = monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tally = asyncio.run(campaign(Path(folder), asked.count, asked.seed, asked.over))
    lines = (*tally.lines(), f"{monotonic() - began:.1f} s", "")
    sys.stdout.write("\n".join(lines))
    return 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
