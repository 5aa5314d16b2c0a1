"""kill -9: at random moments of a long session, and at each system call of a short one."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from tests.torture.audit import Audit, Tally
from tests.torture.brain import SHORT, Turn, long_plan
from tests.torture.campaign import Job, fresh_root
from tests.torture.scenario import (
    SHIM,
    Broken,
    Ended,
    Watcher,
    World,
    command_for,
    run,
    steering,
    talk_for,
)
from tests.torture.tracing import TOUCHING, Point, kill_at, points, read_trace, witness

__all__ = [
    "Torn",
    "every_point",
    "play_with_blows",
    "random_jobs",
    "random_session",
    "traced",
    "warm_up",
]

KILLS_PER_SESSION = 30
_GROUP = 8
_TURN_SECONDS = 0.15
_START_SECONDS = 0.5


@dataclass(frozen=True)
class Torn:
    """Die in the middle of the `count`-th write to the log, half of it being in the file."""

    count: int

    def __str__(self) -> str:
        return f"torn write {self.count}"


Blow = Point | Torn


# At random


def random_jobs(count: int, seed: int, first: int = 0, turns: int = 20) -> list[Job]:
    """Sessions with up to `count` kills in all; `first` tells later ones from earlier ones."""
    sessions, rest = divmod(count, KILLS_PER_SESSION)
    wanted = [KILLS_PER_SESSION] * sessions + ([rest] if rest else [])
    return [
        Job(f"seed {seed}, session {at}", random_session, (f"{seed}/{at}", kills, turns))
        for at, kills in enumerate(wanted, first)
    ]


def random_session(seed: str, kills: int, turns: int) -> Tally:
    """Play all turns to the end, with at most `kills` kills on the way; not every one hits."""
    rng = Random(seed)
    tally = Tally()
    with fresh_root("kill") as root, World(root, long_plan(turns)) as world:
        audit = Audit(world, tally)
        for left, turn in zip(range(len(world.plan), 0, -1), world.plan, strict=True):
            due = kills - tally.kills.total()
            _killed_turn(world, turn, audit, rng, quota=-(-due // left))
        audit.finish()
    return tally


def _killed_turn(world: World, turn: Turn, audit: Audit, rng: Random, quota: int) -> None:
    while (start := _start(world, turn)) is not None:
        before = world.scan().end
        kind, ended = _strike(start, rng) if quota > 0 else ("", start())
        found = audit.check(ended)
        audit.check_replay(found)
        if ended.killed:
            quota -= 1
            audit.killed(kind, midway=found.end > before and command_for(world, turn) is not None)
        elif ended.code != 0:
            raise Broken(f"turn {turn.number} ends with {ended.code}: {world.root}\n{ended.err}")


Start = Callable[..., Ended]


def _start(world: World, turn: Turn) -> Start | None:
    """How the next process for `turn` is run, with what a blow adds to it; None when it is done."""
    if not turn.steered:
        words = command_for(world, turn, "--json")
        return None if words is None else partial(run, world, words)
    talk = talk_for(world, turn)
    if talk is None:
        return None
    words, first_line = talk

    def start(*, watch: Watcher | None = None, **more: Any) -> Ended:
        listening = _steer(turn, watch)
        return run(world, words, first_line=first_line, watch=listening, **more)

    return start


def _steer(turn: Turn, then: Watcher | None) -> Watcher:
    """Say something while the first tool runs, then go on with `then`."""

    def watch(process: subprocess.Popen[bytes]) -> bytes:
        read = b""
        while line := _line(process):
            read += line
            if b'"tool_start"' in line and process.stdin is not None:
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.write(steering(turn))
                break
            if b'"type":"result"' in line:
                break
        return read + (then(process) if then else b"")

    return watch


def _strike(start: Start, rng: Random) -> tuple[str, Ended]:
    match rng.randrange(10):
        case 0:
            return "at start", start(watch=_after(rng.uniform(0, _START_SECONDS)))
        case 1 | 2:
            return "torn write", start(**_torn(Torn(rng.randint(1, 8))))
        case 3 | 4 | 5:
            return "after an event", start(watch=_after_lines(rng.randint(1, 12)))
        case _:
            delay = rng.uniform(0, _TURN_SECONDS)
            return "in a turn", start(watch=_after(delay, first_line=True))


def _torn(torn: Torn) -> dict[str, Any]:
    shim = (sys.executable, str(SHIM))
    return {"program": shim, "environ": {"INDUS_WRONG": f"torn:{torn.count}"}}


def _line(process: subprocess.Popen[bytes]) -> bytes:
    return process.stdout.readline() if process.stdout is not None else b""


def _after(seconds: float, *, first_line: bool = False) -> Watcher:
    def watch(process: subprocess.Popen[bytes]) -> bytes:
        read = _line(process) if first_line else b""
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        return read

    return watch


def _after_lines(count: int) -> Watcher:
    def watch(process: subprocess.Popen[bytes]) -> bytes:
        read = b""
        for _ in range(count):
            line = _line(process)
            if not line:
                return read
            read += line
            if b'"type":"result"' in line:
                break
        process.kill()
        return read

    return watch


# At every call


def every_point(every: int = 1, *, rest: bool = True) -> list[Job]:
    """A kill at each system call of the three turns, in each write, and at each call of a process
    that finds a torn tail. Without `rest`, only the turn that was struck is played to its end."""
    warm_up()
    with fresh_root("trace") as root, World(root, SHORT) as world:
        blows: list[tuple[int, tuple[Blow, ...]]] = []
        for turn in world.plan:
            found = traced(world, turn)
            writes = sum(point.name == "pwrite64" for point in found)
            blows += [(turn.number, (point,)) for point in found]
            blows += [(turn.number, (Torn(count + 1),)) for count in range(writes)]
    with fresh_root("trace") as root, World(root, SHORT) as world:
        tear = Torn(3)
        words = command_for(world, SHORT[0], "--json")
        if words is None or not run(world, words, **_torn(tear)).killed:
            raise Broken("the first turn was not torn")
        blows += [(1, (tear, point)) for point in traced(world, SHORT[0])]
    chosen = blows[::every]
    groups = {turn.number: [blow for at, blow in chosen if at == turn.number] for turn in SHORT}
    return [
        Job(f"turn {number}", play_with_blows, (number, group[at : at + _GROUP], rest))
        for number, group in groups.items()
        for at in range(0, len(group), _GROUP)
    ]


def warm_up() -> None:
    """Let Python write its caches, so that system calls count the same from now on."""
    with fresh_root("warm") as root, World(root, SHORT) as world:
        for turn in world.plan:
            _play(world, turn, Audit(world, Tally()), ())


def traced(world: World, turn: Turn) -> list[Point]:
    """Every call with which the next process plays `turn` to its end."""
    words = command_for(world, turn, "--json")
    file = world.root / "trace"
    ended = run(world, words or [], before=witness(file, *TOUCHING))
    if ended.code != 0:
        raise Broken(f"turn {turn.number} fails without any harm done: {ended.err}")
    return points(turn.number, read_trace(file))


def play_with_blows(number: int, attempts: Sequence[Sequence[Blow]], rest: bool) -> Tally:
    """Play three turns, once for each attempt: the processes of turn `number` get its blows, one
    each. The turns before it are played once and then restored."""
    tally = Tally()
    with fresh_root("point") as root, World(root, SHORT) as world:
        audit = Audit(world, tally)
        for turn in world.plan[: number - 1]:
            _play(world, turn, audit, ())
        saved = world.save()
        for blows in attempts:
            world.restore(saved)
            mine = audit.fork()
            try:
                _play(world, world.plan[number - 1], mine, blows)
                for turn in world.plan[number:] if rest else ():
                    _play(world, turn, mine, ())
                mine.finish(by_command=rest)
            except Broken as broken:
                raise Broken(f"{' then '.join(map(str, blows))}: {broken}") from None
    return tally


def _play(world: World, turn: Turn, audit: Audit, blows: Sequence[Blow]) -> None:
    left = list(blows)
    while (words := command_for(world, turn, "--json")) is not None:
        before = world.scan().end
        blow = left.pop(0) if left else None
        ended = _struck(world, words, blow)
        found = audit.check(ended)
        audit.check_replay(found)
        if ended.killed:
            kind = "torn write" if isinstance(blow, Torn) else "at a system call"
            audit.killed(kind, midway=found.end > before and command_for(world, turn) is not None)
        elif ended.code != 0:
            raise Broken(f"turn {turn.number} ends with {ended.code}: {world.root}\n{ended.err}")
        elif blow is not None:
            audit.missed()


def _struck(world: World, words: Sequence[str], blow: Blow | None) -> Ended:
    match blow:
        case None:
            return run(world, words)
        case Torn():
            return run(world, words, **_torn(blow))
        case Point():
            return run(world, words, before=kill_at(blow))
