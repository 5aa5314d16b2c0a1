"""The audit can fail: each promise it watches over is broken once, and it says so."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.anthropic_server import Received
from tests.torture.audit import Audit, Tally
from tests.torture.brain import SHORT
from tests.torture.scenario import SHIM, Broken, Ended, World, command_for, run


def played(world: World, wrong: str = "") -> Ended:
    words = command_for(world, SHORT[0], "--json") or []
    program = (sys.executable, str(SHIM))
    return run(world, words, program=program, environ={"INDUS_WRONG": wrong})


def log_of(world: World) -> Path:
    path = world.log_path
    assert path is not None
    return path


def repeat_an_effect(world: World) -> None:
    with (world.workspace / "journal").open("a") as file:
        file.write("tok-1-1\n")


def invent_an_effect(world: World) -> None:
    with (world.workspace / "journal").open("a") as file:
        file.write("tok-9-9\n")


def undo_an_effect(world: World) -> None:
    (world.workspace / "journal").unlink()


def lose_the_end_of_the_log(world: World) -> None:
    lines = log_of(world).read_bytes().splitlines(keepends=True)
    log_of(world).write_bytes(b"".join(lines[:-3]))


def damage_the_middle_of_the_log(world: World) -> None:
    data = bytearray(log_of(world).read_bytes())
    data[len(data) // 2] ^= 1
    log_of(world).write_bytes(data)


def send_what_is_not_recorded(world: World) -> None:
    world.server.requests.append(Received("/v1/messages", {}, b"{}"))


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        (repeat_an_effect, "tok-1-1 ran 2 times with 1 intents"),
        (invent_an_effect, "effects without a call"),
        (undo_an_effect, "has a good result and did not run"),
        (lose_the_end_of_the_log, "an event told what the log does not hold"),
        (damage_the_middle_of_the_log, "the log is damaged"),
        (send_what_is_not_recorded, "bodies were sent without their request"),
    ],
)
def test_the_audit_finds(tmp_path: Path, harm: Callable[[World], None], found: str) -> None:
    with World(tmp_path, SHORT) as world:
        ended = played(world)
        Audit(world, Tally()).check(ended)
        harm(world)

        with pytest.raises(Broken, match=found):
            Audit(world, Tally()).check(ended)


def test_the_audit_finds_entries_that_are_gone_from_a_log_it_has_seen(tmp_path: Path) -> None:
    with World(tmp_path, SHORT) as world:
        audit = Audit(world, Tally())
        audit.check(played(world))
        lose_the_end_of_the_log(world)

        with pytest.raises(Broken, match="gone or changed"):
            audit.check(Ended(0, b"", ""))


def test_the_audit_finds_a_build_that_starts_tools_before_their_intent_is_written(
    tmp_path: Path,
) -> None:
    with World(tmp_path, SHORT) as world:
        ended = played(world, "die-before-intent")

        assert ended.killed
        with pytest.raises(Broken, match="ran 1 times with 0 intents"):
            Audit(world, Tally()).check(Ended(ended.code, b"", ""))
