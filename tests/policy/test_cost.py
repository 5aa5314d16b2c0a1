"""The gate stays cheap however many rules there are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest

from induscode.policy.gate import Policy, decide
from induscode.policy.modes import Mode
from induscode.policy.rules import Rule
from induscode.policy.subject import CallView
from tests.policy.calls import allow, ask, bash, deny, read, write

SHAPES: dict[str, Callable[[int], Rule]] = {
    "commands": lambda n: (allow, ask, deny)[n % 3](f"bash(tool{n} run *)"),
    "one command": lambda n: (allow, ask, deny)[n % 3](f"bash(docker run image{n} *)"),
    "directories": lambda n: (allow, ask, deny)[n % 3](f"write(src/part{n}/**)"),
    "names at any depth": lambda n: (ask, deny)[n % 2](f"read(**/secret{n}.txt)"),
    "servers": lambda n: (allow, ask, deny)[n % 3](f"mcp__server{n}__tool"),
}
ROUNDS = 50
BOUND = 50e-6
FACTS = 500e-6
SECONDS_AT_WORST = 2.0


@pytest.mark.parametrize("shape", SHAPES)
def test_a_call_costs_under_50_microseconds_with_1000_rules(workspace: Path, shape: str) -> None:
    policy = Policy(Mode.ASK, workspace, tuple(SHAPES[shape](n) for n in range(1000)))
    calls: list[CallView] = [
        bash(workspace, "docker run image1001 --rm -it"),
        bash(workspace, "git log --oneline -10 -- src"),
        bash(workspace, "grep -rn text src"),
        bash(workspace, "cd src && cat deep/a.py | head -5"),
        read(workspace, "src/deep/a.py"),
        write(workspace, "src/deep/a.py"),
    ]
    for call in calls:
        decide(call, policy)

    for call in calls:
        assert _least_cost(lambda call=call: decide(call, policy), BOUND) < BOUND, call


@pytest.mark.parametrize(
    "command", ["ls -la src", "cat README.md", "git status", "make test", "npm run x && npm test"]
)
def test_the_facts_about_an_ordinary_command_cost_under_500_microseconds(
    workspace: Path, command: str
) -> None:
    bash(workspace, command)

    assert _least_cost(lambda: bash(workspace, command), FACTS) < FACTS


def _least_cost(work: Callable[[], object], bound: float) -> float:
    """The best of many rounds: what the code costs, without what the machine does besides. The
    neighbours on a core can slow every one of a few, so rounds go on until one is in bounds."""
    best = 1.0
    for _ in range(1000):
        if best < bound:
            break
        start = process_time()
        for _ in range(ROUNDS):
            work()
        best = min(best, (process_time() - start) / ROUNDS)
    return best


@pytest.mark.parametrize(
    "command",
    [
        "cat " + " ".join(f"*{number}" for number in range(3000)),
        "cat " + "* " * 3000,
        "cat " + "*a" * 100 + "b",
        "cd d0; cat " + " ".join(f"a{number}" for number in range(5000)),
        "$(" * 20_000 + ")" * 20_000,
        '"a b ' * 20_000,
        "echo " + "{a,b}{c,d}{e,f}{g,h} " * 1000,
    ],
    ids=["patterns", "stars", "one pattern", "words", "substitutions", "quotes", "braces"],
)
def test_no_command_is_expensive_to_look_at(workspace: Path, command: str) -> None:
    for number in range(40):
        (workspace / f"d{number}").mkdir()
    (workspace / ("a" * 250)).touch()

    start = process_time()
    bash(workspace, command)

    assert process_time() - start < SECONDS_AT_WORST
