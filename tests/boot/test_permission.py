"""The tools that ship, judged as a session judges them: the promised table, mode by mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from induscode.boot.permission import SessionPermission
from induscode.policy.gate import Policy
from induscode.policy.modes import Mode
from induscode.policy.verdict import Allow, Ask, Deny
from tests.decks import bound
from tests.requirements import requirement

TYPES = {"allow": Allow, "ask": Ask, "deny": Deny}
MODES = (Mode.PLAN, Mode.ASK, Mode.ACCEPT_EDITS, Mode.FULL)
WRITTEN = {"content": "x"}
EDITED = {"old_text": "a", "new_text": "b"}

# Copied from the table that users are promised, not from the code: plan, ask, accept-edits, full.
PROMISED: list[tuple[str, dict[str, Any], str]] = [
    ("read", {"path": "../outside.txt"}, "ask ask ask allow"),
    ("read", {"path": "/etc/hostname"}, "ask ask ask allow"),
    ("write", {"path": "src/new.py", **WRITTEN}, "deny ask allow allow"),
    ("edit", {"path": "src/new.py", **EDITED}, "deny ask allow allow"),
    ("write", {"path": "../outside.txt", **WRITTEN}, "deny ask ask ask"),
    ("edit", {"path": "../outside.txt", **EDITED}, "deny ask ask ask"),
    ("write", {"path": ".git/config", **WRITTEN}, "deny ask ask ask"),
    ("edit", {"path": ".indus/config.toml", **EDITED}, "deny ask ask ask"),
    ("bash", {"command": "ls -la"}, "allow allow allow allow"),
    ("bash", {"command": "git status"}, "allow allow allow allow"),
    ("bash", {"command": "make install"}, "deny ask ask allow"),
    ("bash", {"command": "ls; rm -rf src"}, "deny ask ask allow"),
]


@requirement(
    "mode.read-outside",
    "mode.write-inside",
    "mode.write-outside-or-protected",
    "mode.shell-read-only",
    "mode.shell-other",
)
@pytest.mark.parametrize(("tool", "arguments", "answers"), PROMISED)
def test_each_mode_judges_a_call_of_a_real_tool_as_promised(
    tmp_path: Path, tool: str, arguments: dict[str, Any], answers: str
) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    called = bound(tool, workspace)
    for mode, answer in zip(MODES, answers.split(), strict=True):
        permission = SessionPermission(Policy(mode, workspace))
        view = permission.view(called, arguments)
        assert isinstance(permission.judge(view), TYPES[answer]), mode
