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


@pytest.mark.parametrize("shape", SHAPES)
def test_a_call_costs_under_50_microseconds_with_1000_rules(workspace: Path, shape: str) -> None:
    policy = Policy(Mode.ASK, workspace, tuple(SHAPES[shape](n) for n in range(1000)))
    calls: list[CallView] = [
        bash(workspace, "docker run image1001 --rm -it"),
        bash(workspace, "git log --oneline -10 -- src"),
        read(workspace, "src/deep/a.py"),
        write(workspace, "src/deep/a.py"),
    ]
    for call in calls:
        decide(call, policy)

    for call in calls:
        assert _least_cost(call, policy) < BOUND, call


def _least_cost(call: CallView, policy: Policy) -> float:
    """The best of many rounds: what the code costs, without what the machine does besides. The
    neighbours on a core can slow every one of a few, so rounds go on until one is in bounds."""
    best = 1.0
    for _ in range(1000):
        if best < BOUND:
            break
        start = process_time()
        for _ in range(ROUNDS):
            decide(call, policy)
        best = min(best, (process_time() - start) / ROUNDS)
    return best
