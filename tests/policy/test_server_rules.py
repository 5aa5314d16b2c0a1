"""Rules on what a server is asked for beside its tools: named by the server, or by its tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.kernel.tool import ToolKind
from induscode.policy.exact import always_rule, exact_rule
from induscode.policy.modes import Mode
from induscode.policy.subject import CallView, ServerSubject
from induscode.policy.verdict import Allow, Ask, Deny, Layer
from tests.policy.calls import allow, ask, deny, judge


def reading(server: str, tools: str = "", tool: str = "mcp_read") -> CallView:
    subject = ServerSubject(server, tools or f"{server}__")
    return CallView(tool, ToolKind.FOREIGN, {"server": server}, subject)


@pytest.mark.parametrize(
    "rule", ["mcp_read(git)", "mcp_read(Git)", "mcp_read", "mcp_*", "McpRead(g*)"]
)
def test_a_rule_that_names_the_server_allows_it(tmp_path: Path, rule: str) -> None:
    assert isinstance(judge(reading("git"), tmp_path), Ask)
    assert isinstance(judge(reading("git"), tmp_path, allow(rule)), Allow)


@pytest.mark.parametrize(
    "rule", ["mcp_read(time)", "mcp_read(gi)", "mcp_prompt(git)", "git__*", "mcp__git"]
)
def test_a_rule_that_names_something_else_does_not(tmp_path: Path, rule: str) -> None:
    assert isinstance(judge(reading("git"), tmp_path, allow(rule)), Ask)


@pytest.mark.parametrize(
    "rule", ["mcp_read(git)", "git__*", "mcp__git", "mcp__git__*", "Git__*", "g*"]
)
def test_what_narrows_a_server_narrows_its_resources(tmp_path: Path, rule: str) -> None:
    assert isinstance(judge(reading("git"), tmp_path, deny(rule), mode=Mode.FULL), Deny)
    assert isinstance(judge(reading("git"), tmp_path, ask(rule), mode=Mode.FULL), Ask)


@pytest.mark.parametrize("rule", ["mcp_read(time)", "time__*", "git__status", "gi__*", "mcp__time"])
def test_what_narrows_something_else_does_not(tmp_path: Path, rule: str) -> None:
    assert isinstance(judge(reading("git"), tmp_path, deny(rule), mode=Mode.FULL), Allow)


def test_a_server_is_known_by_the_escaped_name_of_its_tools(tmp_path: Path) -> None:
    call = reading("my server", "my_z20server__")
    assert isinstance(judge(call, tmp_path, deny("my_z20server__*"), mode=Mode.FULL), Deny)
    assert isinstance(judge(call, tmp_path, deny("mcp_read(my server)"), mode=Mode.FULL), Deny)


def test_an_answer_is_remembered_for_no_other_call() -> None:
    assert exact_rule(reading("git"), layer=Layer.SESSION) is None
    assert always_rule(reading("git")) is None


def test_plan_mode_does_not_permit_it(tmp_path: Path) -> None:
    assert isinstance(judge(reading("git"), tmp_path, allow("mcp_read"), mode=Mode.PLAN), Deny)
