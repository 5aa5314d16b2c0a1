"""The table of modes, cell by cell, through the gate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from induscode.kernel.tool import ToolKind
from induscode.policy.modes import TABLE, Answer, Deed, Mode
from induscode.policy.subject import CallView
from induscode.policy.verdict import Allow, Ask, Deny, Layer
from tests.policy.calls import bash, deny, fetch, judge, plain, read, write
from tests.requirements import requirement

CALLS: dict[Deed, Callable[[Path], CallView]] = {
    Deed.STATE: lambda _: plain("todo_set", ToolKind.STATE),
    Deed.READ_INSIDE: lambda ws: read(ws, "README.md"),
    Deed.READ_OUTSIDE: lambda ws: read(ws, "../repo-evil/secret"),
    Deed.WRITE_INSIDE: lambda ws: write(ws, "src/new.py"),
    Deed.WRITE_OUTSIDE: lambda ws: write(ws, "../elsewhere.txt"),
    Deed.WRITE_PROTECTED: lambda ws: write(ws, ".git/hooks/pre-commit"),
    Deed.SHELL_READ_ONLY: lambda ws: bash(ws, "ls -la src"),
    Deed.SHELL_OTHER: lambda ws: bash(ws, "make install"),
    Deed.NETWORK: lambda _: fetch("example.com"),
    Deed.FOREIGN: lambda _: plain("tracker__create", ToolKind.FOREIGN),
    Deed.DELEGATE: lambda _: plain("task", ToolKind.DELEGATE),
}

# Copied from the table that users are promised, not from the code.
PROMISED = {
    Deed.STATE: "allow allow allow allow",
    Deed.READ_INSIDE: "allow allow allow allow",
    Deed.READ_OUTSIDE: "ask ask ask allow",
    Deed.WRITE_INSIDE: "deny ask allow allow",
    Deed.WRITE_OUTSIDE: "deny ask ask ask",
    Deed.WRITE_PROTECTED: "deny ask ask ask",
    Deed.SHELL_READ_ONLY: "allow allow allow allow",
    Deed.SHELL_OTHER: "deny ask ask allow",
    Deed.NETWORK: "ask ask ask allow",
    Deed.FOREIGN: "deny ask ask allow",
    Deed.DELEGATE: "allow allow allow allow",
}
CELLS = [
    (deed, mode, answer)
    for deed, row in PROMISED.items()
    for mode, answer in zip(Mode, row.split(), strict=True)
]
TYPES = {"allow": Allow, "ask": Ask, "deny": Deny}


@requirement(
    "mode.read-outside",
    "mode.write-inside",
    "mode.write-outside-or-protected",
    "mode.shell-read-only",
    "mode.shell-other",
    "mode.network",
)
@pytest.mark.parametrize(("deed", "mode", "answer"), CELLS)
def test_each_cell_of_the_table_is_what_the_gate_answers(
    workspace: Path, deed: Deed, mode: Mode, answer: str
) -> None:
    verdict = judge(CALLS[deed](workspace), workspace, mode=mode)

    assert isinstance(verdict, TYPES[answer])
    assert verdict.layer is Layer.MODE
    assert str(deed) in verdict.rule


def test_the_table_has_no_cell_that_is_not_promised() -> None:
    assert {(deed, mode): Answer(answer) for deed, mode, answer in CELLS} == dict(TABLE)


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("deed", list(Deed))
def test_a_deny_rule_wins_in_every_mode_over_every_row(
    workspace: Path, deed: Deed, mode: Mode
) -> None:
    call = CALLS[deed](workspace)

    verdict = judge(call, workspace, deny(call.tool), mode=mode)

    assert isinstance(verdict, Deny)
    assert (verdict.rule, verdict.layer) == (call.tool, Layer.FLAG)
