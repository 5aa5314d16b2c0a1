"""One line for a call: the tool, and what tells most about it."""

from __future__ import annotations

from typing import Any

import pytest

from induscode.channels.toollines import call_line


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        ("bash", {"command": "make", "timeout": 5}, "bash make"),
        ("bash", {"command": "a\nb\nc"}, "bash a … (+2 lines)"),
        ("grep", {"pattern": "x", "path": "src"}, "grep x"),
        ("process", {"action": "start", "command": "serve"}, "process serve"),
        ("process", {"action": "list"}, "process list"),
        ("todo_set", {"items": [{"text": "a"}, {"text": "b"}]}, "todo_set 2 items"),
        ("todo", {"action": "set", "items": []}, "todo set"),
        ("saas-action", {"action": "execute", "slug": "GITHUB_GET"}, "saas-action GITHUB_GET"),
        ("exit_plan_mode", {"plan": "# Mend it\n1. Look"}, "exit_plan_mode # Mend it … (+1 lines)"),
        ("task", {"objective": "look around"}, "task look around"),
        ("todo_read", {}, "todo_read"),
        ("todo_set", {"items": 5}, 'todo_set {"items":5}'),
        ("other", {"a": 1}, 'other {"a":1}'),
    ],
)
def test_a_call_is_told_in_one_line(tool: str, arguments: dict[str, Any], line: str) -> None:
    assert call_line(tool, arguments, 80) == line
