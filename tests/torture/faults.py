"""A disk that refuses: each write and sync of a session fails once, or from then on.

A run that meets a fault either completes or ends with exit 1 and a line that says what to do; while
the log is down nothing with a side effect starts; and afterwards the session is whole.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tests.torture.audit import Audit, Tally
from tests.torture.brain import SHORT, Turn
from tests.torture.campaign import Job, fresh_root
from tests.torture.kills import traced, warm_up
from tests.torture.scenario import SHIM, Broken, Ended, World, command_for, run
from tests.torture.tracing import Point, Syscall, fail_at, read_trace

__all__ = ["WORKERS", "Fault", "Short", "every_fault", "play_with_faults"]

_ERRORS = {"pwrite64": ("EIO", "ENOSPC"), "fdatasync": ("EIO",), "fsync": ("EIO",)}
_HELPFUL = ("cannot be", "cannot store")
_GROUP = 4

WORKERS = 8
"""More than there are cores: a run whose disk fails for good spends its time waiting."""


@dataclass(frozen=True)
class Fault:
    point: Point
    error: str
    for_good: bool

    def __str__(self) -> str:
        return f"{self.error} {'from' if self.for_good else 'at'} {self.point}"


@dataclass(frozen=True)
class Short:
    """The write takes half of its bytes and says so."""

    point: Point

    def __str__(self) -> str:
        return f"a short count at {self.point}"


def every_fault(every: int = 1, *, rest: bool = True) -> list[Job]:
    """Every fault at every point. Without `rest`, only the turn that met it is played to its
    end."""
    warm_up()
    once: list[Fault] = []
    for_good: list[Fault] = []
    short: list[Short] = []
    with fresh_root("trace") as root, World(root, SHORT) as world:
        for point in [point for turn in world.plan for point in traced(world, turn)]:
            errors = _ERRORS.get(point.name, ())
            once += [Fault(point, error, for_good=False) for error in errors]
            for_good += [Fault(point, error, for_good=True) for error in errors]
            short += [Short(point)] if point.name == "pwrite64" else []
    chosen = [*once[::every], *for_good[::every], *short[::every]]
    groups = {turn.number: [f for f in chosen if f.point.turn == turn.number] for turn in SHORT}
    size = _GROUP if rest else 1
    return [
        Job(f"turn {number}", play_with_faults, (number, group[at : at + size], rest))
        for number, group in groups.items()
        for at in range(0, len(group), size)
    ]


def play_with_faults(number: int, faults: Sequence[Fault | Short], rest: bool) -> Tally:
    """Play three turns once for each fault, which strikes the first process of turn `number`."""
    tally = Tally()
    with fresh_root("fault") as root, World(root, SHORT) as world:
        audit = Audit(world, tally)
        for turn in world.plan[: number - 1]:
            _whole(world, turn, audit)
        saved = world.save()
        for fault in faults:
            world.restore(saved)
            mine = audit.fork()
            try:
                tally.outcomes[_strike(world, world.plan[number - 1], mine, fault)] += 1
                for turn in world.plan[number - 1 : None if rest else number]:
                    _whole(world, turn, mine)
                mine.finish(by_command=rest)
            except Broken as broken:
                raise Broken(f"{fault}: {broken}") from None
    return tally


def _whole(world: World, turn: Turn, audit: Audit) -> None:
    """Play on as a person would, without any harm done."""
    while (words := command_for(world, turn)) is not None:
        ended = run(world, words)
        audit.check(ended)
        if ended.code != 0:
            raise Broken(f"turn {turn.number} ends with {ended.code}: {world.root}\n{ended.err}")


def _strike(world: World, turn: Turn, audit: Audit, fault: Fault | Short) -> str:
    words = command_for(world, turn) or []
    if isinstance(fault, Short):
        wrong = {"INDUS_WRONG": f"short:{fault.point.count}"}
        ended = run(world, words, program=(sys.executable, str(SHIM)), environ=wrong)
        audit.check_replay(audit.check(ended))
        if ended.code != 0:
            raise Broken(f"a short write ends the run with {ended.code}: {ended.err}")
        return "short, completed"
    witnessed = world.root / "trace"
    strace = fail_at(fault.point, fault.error, for_good=fault.for_good, witnessed=witnessed)
    ended = run(world, words, before=strace)
    audit.check_replay(audit.check(ended))
    calls = read_trace(witnessed)
    if not any(_injected(call) for call in calls):
        audit.missed()
    if fault.for_good:
        _check_idle(calls, world)
    return f"{'lasting' if fault.for_good else 'single'}, {_ending(ended, turn, world)}"


def _ending(ended: Ended, turn: Turn, world: World) -> str:
    match ended.code:
        case 0 if turn.final in ended.out.decode():
            return "completed"
        case 1 if any(word in ended.err for word in _HELPFUL) and ";" in ended.err:
            return "ended with its reason"
        case _:
            raise Broken(f"exit {ended.code}: {ended.out!r} {ended.err}\nsee {world.root}")


def _check_idle(calls: Sequence[Syscall], world: World) -> None:
    """Once the disk refuses for good, no process is started and no file of the user replaced."""
    failed = next((at for at, call in enumerate(calls) if _injected(call)), len(calls))
    for call in calls[failed:]:
        replaced = call.name == "rename" and str(world.workspace) in call.arguments
        if call.name == "vfork" or replaced:
            raise Broken(f"started while the log was down: {call.name}({call.arguments}")


def _injected(call: Syscall) -> bool:
    return "(INJECTED)" in call.arguments
