"""The order of writes, syncs, sends and effects, seen from outside by strace.

kill -9 proves nothing about a sync, the page cache survives it; the order of system calls does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fakes.anthropic_steps import calls
from tests.requirements import requirement
from tests.torture.brain import Turn, journal, turn_of
from tests.torture.order import WATCHED, Moments, violations
from tests.torture.scenario import INDUS, SHIM, World, command_for, run
from tests.torture.tracing import read_trace, witness

READ = ("read", {"path": "notes.txt"})
WRITE = ("write", {"path": "made.txt", "content": "made\n"})


@pytest.fixture
def turn() -> Turn:
    """A long prompt, two effects, a step that only reads, and the end."""
    return turn_of(1, calls(journal("tok-1"), WRITE), calls(READ, READ), long=True)


def traced(
    root: Path, turn: Turn, program: Sequence[str] = INDUS, wrong: str = ""
) -> tuple[Moments, set[int]]:
    """What strace saw of one run, and the threads and processes that worked on the log."""
    with World(root, [turn]) as world:
        strace = witness(root / "trace", *WATCHED, follow=True, string=400_000)
        words = command_for(world, turn) or []
        environ = {"INDUS_WRONG": wrong}
        ended = run(world, words, before=strace, program=program, environ=environ)
        assert (ended.code, ended.err) == (0, "")
        seen = read_trace(root / "trace")
        moments = Moments(seen, world.home, world.workspace)
        assert len(moments.sends) == len(world.server.requests) == 3
    return moments, {call.pid for call in seen if "/sessions/" in call.arguments.split(",")[0]}


@requirement(
    "invariant.03.intent-before-effect",
    "invariant.03.sync-before-response-effect",
    "log.blob-before-entry",
    "log.pitfall.18-sync-order-checked",
)
def test_writes_syncs_sends_and_effects_happen_in_the_promised_order(
    tmp_path: Path, turn: Turn
) -> None:
    moments, _ = traced(tmp_path, turn)

    assert violations(moments) == set()


def test_only_the_main_thread_works_on_the_log_so_injection_there_is_complete(
    tmp_path: Path, turn: Turn
) -> None:
    moments, workers = traced(tmp_path, turn)

    assert workers == {moments.calls[0].pid}


@requirement("log.pitfall.18-sync-order-checked")
@pytest.mark.parametrize(
    ("wrong", "broken"),
    [
        (
            "never-sync",
            {
                "input is on disk before the first send",
                "a request is synced after its send, before its answer has an effect",
                "an intent is on disk before its effect",
                "an answer is on disk before it is shown",
            },
        ),
        ("send-before-writing", {"a request is written before its body is sent"}),
        ("sync-each-write", {"a step that only reads waits for no sync"}),
        ("sync-no-blobs", {"a blob is on disk before the entry that names it"}),
        (
            "never-commit",
            {
                "input is on disk before the first send",
                "an intent is on disk before its effect",
            },
        ),
        ("sync-no-folders", {"the log's name is on disk before the first send"}),
    ],
)
def test_a_build_with_another_order_is_caught(
    tmp_path: Path, turn: Turn, wrong: str, broken: set[str]
) -> None:
    moments, _ = traced(tmp_path, turn, (sys.executable, str(SHIM)), wrong)

    assert violations(moments) >= broken
