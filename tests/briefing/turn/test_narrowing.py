"""A turn that may do less: what is narrowed, for whom, and that nothing is allowed by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from induscode.boot.permission import SessionPermission
from induscode.conductor.ports import BoundTool
from induscode.kernel.tool import ToolKind
from induscode.policy.gate import Policy
from induscode.policy.modes import Mode
from induscode.policy.narrowing import RULES_MOST, RULES_NAMED
from induscode.policy.rules import Effect, parse_rule
from induscode.policy.subject import Access, CallView, NoSubject
from induscode.policy.verdict import Allow, Ask, Deny, Layer
from induscode.session.entries import Narrowing
from tests.conductor.rig import Tool
from tests.decks import view_of
from tests.requirements import requirement

READ = ("read", {"path": "a.py"})
GREP = ("grep", {"pattern": "x"})
WRITE = ("write", {"path": "src/a.py", "content": "x"})
EDIT = ("edit", {"path": "src/a.py", "old_text": "a", "new_text": "b"})
OUTSIDE = ("write", {"path": "docs/a.md", "content": "x"})
DIFF = ("bash", {"command": "git diff HEAD"})
BARE_DIFF = ("bash", {"command": "git diff"})
PUSH = ("bash", {"command": "git push"})
BOTH = ("bash", {"command": "git diff && git push"})
BEHIND = ("bash", {"command": "git diff $(git push)"})
FETCH = ("webfetch", {"url": "https://docs.example.com/a"})
ELSEWHERE = ("webfetch", {"url": "https://example.org/a"})
TASK = ("task", {"objective": "x"})
TODO = ("todo_set", {"items": []})
BACKGROUND = ("bg-process", {"action": "start", "command": "git push"})

Call = tuple[str, dict[str, Any]]

# The rules, what they let through of what full mode allows, and what they do not.
TABLE: list[tuple[list[str], list[Call], list[Call]]] = [
    (["Read"], [READ, GREP], [WRITE, DIFF, FETCH, TASK, TODO]),
    (["grep"], [GREP], [READ, WRITE, DIFF]),
    (["Read", "Edit"], [READ, WRITE, EDIT], [DIFF, TASK]),
    (["write(src/**)"], [WRITE, EDIT], [OUTSIDE, READ]),
    (["bash(git diff *)"], [DIFF, BARE_DIFF], [PUSH, BOTH, BEHIND, READ, BACKGROUND]),
    (["Bash(git diff:*)"], [DIFF, BARE_DIFF], [PUSH, BOTH, BEHIND, READ, BACKGROUND]),
    (["Bash"], [DIFF, PUSH, BOTH, BACKGROUND], [READ, WRITE]),
    (["WebFetch(domain:docs.example.com)"], [FETCH], [ELSEWHERE, READ]),
    (["Agent"], [TASK], [READ]),
    (["TodoWrite"], [TODO], [READ, WRITE]),
    (["*"], [READ, WRITE, DIFF, PUSH, FETCH, TASK, TODO], []),
    ([], [], [READ, GREP, WRITE, DIFF, FETCH, TASK, TODO]),
    (["Bash(git diff"], [], [DIFF, READ]),
    (["rm -rf", "(x)", "read()"], [], [READ, WRITE]),
    (["read(../**)"], [], [READ]),
    (["mcp__tracker"], [], [READ, DIFF]),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    return folder


def only(*rules: str, why: str = "the command /x") -> Narrowing:
    return Narrowing(why=why, rules=list(rules))


def permission(workspace: Path, mode: Mode = Mode.FULL, *rules: Any) -> SessionPermission:
    return SessionPermission(Policy(mode, workspace, tuple(rules)))


def deny(text: str) -> Any:
    return parse_rule(text, effect=Effect.DENY, layer=Layer.USER)


@pytest.mark.parametrize(("rules", "through", "stopped"), TABLE, ids=lambda value: str(value)[:30])
def test_a_call_runs_only_when_a_rule_speaks_of_it(
    workspace: Path, rules: list[str], through: list[Call], stopped: list[Call]
) -> None:
    judge = permission(workspace)
    free = permission(workspace)
    judge.narrow([only(*rules)])
    for name, arguments in through:
        view = view_of(name, arguments, workspace)
        assert judge.judge(view) == free.judge(view), (name, arguments)
        assert isinstance(judge.judge(view), Allow)
    for name, arguments in stopped:
        verdict = judge.judge(view_of(name, arguments, workspace))
        assert isinstance(verdict, Deny), (name, arguments)
        assert verdict.layer is Layer.TURN
        assert "the command /x allows" in verdict.reason


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(("name", "arguments"), [READ, WRITE, OUTSIDE, PUSH, FETCH])
def test_nothing_is_allowed_by_it(
    workspace: Path, mode: Mode, name: str, arguments: dict[str, Any]
) -> None:
    narrowed = permission(workspace, mode, deny("read(secret*)"))
    narrowed.narrow([only("*")])
    view = view_of(name, arguments, workspace)
    assert narrowed.judge(view) == permission(workspace, mode).judge(view)


def test_a_deny_rule_is_still_the_one_that_denies(workspace: Path) -> None:
    judge = permission(workspace, Mode.FULL, deny("bash(git *)"))
    judge.narrow([only("bash(git diff *)")])
    verdict = judge.judge(view_of(*DIFF, workspace))
    assert isinstance(verdict, Deny)
    assert verdict.layer is Layer.USER


def test_a_question_outside_of_it_is_not_asked(workspace: Path) -> None:
    judge = permission(workspace, Mode.ASK)
    assert isinstance(judge.judge(view_of(*WRITE, workspace)), Ask)
    judge.narrow([only("Read")])
    assert isinstance(judge.judge(view_of(*WRITE, workspace)), Deny)


def test_several_narrow_together_and_each_says_its_own_name(workspace: Path) -> None:
    judge = permission(workspace)
    judge.narrow([only("Read", "Bash"), only("Read", "Write", why="the skill tidy")])
    assert isinstance(judge.judge(view_of(*READ, workspace)), Allow)
    by_command = judge.judge(view_of(*WRITE, workspace))
    by_skill = judge.judge(view_of(*PUSH, workspace))
    assert isinstance(by_command, Deny)
    assert isinstance(by_skill, Deny)
    assert by_command.reason.startswith("the command /x allows only Read, Bash in this turn")
    assert by_skill.reason.startswith("the skill tidy allows only Read, Write in this turn")


def test_it_ends_when_the_turn_does(workspace: Path) -> None:
    judge = permission(workspace)
    judge.narrow([only()])
    assert isinstance(judge.judge(view_of(*READ, workspace)), Deny)
    judge.narrow(())
    assert isinstance(judge.judge(view_of(*WRITE, workspace)), Allow)


@requirement("invariant.10.children-never-have-more")
def test_delegates_are_narrowed_as_long_as_their_senders_turn_is(workspace: Path) -> None:
    root = permission(workspace)
    child = root.under(Mode.FULL, None)
    deep = child.under(Mode.FULL, None)
    view = view_of(*WRITE, workspace)
    root.narrow([only("Read", "Agent")])
    child.narrow([only("Read", "Bash", why="the skill tidy")])

    for judge in (child, deep):
        verdict = judge.judge(view)
        assert isinstance(verdict, Deny)
        assert verdict.reason.startswith("the command /x")
        assert not judge.reaches(view_of(*READ, workspace), workspace / "b", Access.WRITE)
    assert isinstance(deep.judge(view_of(*PUSH, workspace)), Deny), "both lists count"
    assert isinstance(root.judge(view_of(*TASK, workspace)), Allow), "a child's is its own"

    root.narrow(())
    assert isinstance(child.judge(view_of(*PUSH, workspace)), Allow)
    assert isinstance(child.judge(view), Deny)


def test_a_granted_call_reaches_its_own_place_and_no_other(workspace: Path) -> None:
    judge = permission(workspace)
    edit = view_of(*EDIT, workspace)
    foreign = CallView("tracker__get", ToolKind.FOREIGN, {}, NoSubject())
    assert judge.reaches(edit, workspace / "docs/b.md", Access.WRITE)
    judge.narrow([only("edit(src/**)")])
    assert judge.reaches(edit, workspace / "src/a.py", Access.READ)
    assert judge.reaches(edit, workspace / "src/a.py", Access.WRITE)
    assert not judge.reaches(edit, workspace / "docs/b.md", Access.WRITE)
    assert not judge.reaches(edit, workspace / "docs/b.md", Access.READ)
    assert not judge.reaches(foreign, workspace / "docs/b.md", Access.READ)


def test_a_foreign_tool_with_the_name_of_ours_is_not_meant(workspace: Path) -> None:
    judge = permission(workspace)
    judge.narrow([only("read", "bash")])
    impostor = BoundTool(Tool("read"), ToolKind.FOREIGN, "user:x")
    assert isinstance(judge.judge(judge.view(impostor, {})), Deny)


def test_what_is_no_rule_allows_nothing_and_is_told_with_the_reason(workspace: Path) -> None:
    told = permission(workspace).narrow([only("Read", "Bash(git diff", "a b")])
    assert told == [
        "the command /x: 'Bash(git diff' allows nothing: the closing ')' is missing",
        "the command /x: 'a b' allows nothing: 'a b' is not the name of a tool",
    ]


def test_a_denial_stays_short_however_many_rules_there_are(workspace: Path) -> None:
    judge = permission(workspace)
    told = judge.narrow([only(*(f"tool{n}" for n in range(RULES_MOST + 1)))])
    assert told == [f"the command /x: of its {RULES_MOST + 1} rules the first {RULES_MOST} count"]
    verdict = judge.judge(view_of(*READ, workspace))
    assert isinstance(verdict, Deny)
    assert f"tool{RULES_NAMED - 1}, {RULES_MOST - RULES_NAMED} more in this turn" in verdict.reason


def test_a_denial_of_everything_says_so(workspace: Path) -> None:
    judge = permission(workspace)
    judge.narrow([only()])
    verdict = judge.judge(view_of(*READ, workspace))
    assert isinstance(verdict, Deny)
    assert verdict.reason.startswith("the command /x allows no calls at all in this turn.")
