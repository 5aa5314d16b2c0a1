"""Children never have more: the same verdicts through a delegate of a delegate."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from induscode.boot.permission import SessionPermission
from induscode.kernel.person import PersonAnswer, Question
from induscode.policy.gate import Policy
from induscode.policy.modes import Deed, Mode
from induscode.policy.verdict import Allow, Ask, Deny
from induscode.sdk import Agent
from tests.cli.home import Home, answer
from tests.crew.delegates.family import SAY, agent, chain, of, outcomes, sessions, task, told
from tests.features.sessions import Weather, weather
from tests.plan.test_plan_mode import PLAN, TRICKS, digest
from tests.policy.calls import allow, ask, deny
from tests.policy.conftest import workspace
from tests.policy.test_modes import CALLS as VIEWS
from tests.policy.test_modes import PROMISED
from tests.requirements import requirement

__all__ = ["workspace"]

MODES = list(Mode)
CALLS: dict[Deed, tuple[str, dict[str, Any]]] = {
    Deed.STATE: ("todo_set", {"items": [{"text": "look"}]}),
    Deed.READ_INSIDE: ("read", {"path": "README.md"}),
    Deed.READ_OUTSIDE: ("read", {"path": "../outside.txt"}),
    Deed.WRITE_INSIDE: ("write", {"path": "new.txt", "content": "x"}),
    Deed.WRITE_OUTSIDE: ("write", {"path": "../made.txt", "content": "x"}),
    Deed.WRITE_PROTECTED: ("write", {"path": ".git/hooks/pre-commit", "content": "x"}),
    Deed.SHELL_READ_ONLY: ("bash", {"command": "ls"}),
    Deed.SHELL_OTHER: ("bash", {"command": "touch made.txt"}),
    Deed.NETWORK: ("websearch", {"query": "x"}),
    Deed.FOREIGN: ("weather", {"town": "Cork"}),
}
"""A call for each row of the table. `task` itself is the way here, and allowed in every mode."""


@requirement("invariant.10.children-never-have-more", "mode.delegation")
@pytest.mark.parametrize("mode", MODES)
async def test_each_row_of_the_table_holds_for_a_delegate_of_a_delegate(
    home: Home, mode: Mode
) -> None:
    (home.work / "README.md").write_text("hello\n")
    (home.root / "outside.txt").write_text("outside\n")
    direct = await outcomes_of(home, home.script(script(), "direct.toml"), mode)
    deep = await outcomes_of(home, chain(home, *CALLS.values()), mode)
    cells = [PROMISED[deed].split()[MODES.index(mode)] for deed in CALLS]
    assert [verdict for _, verdict in direct] == cells
    assert deep == direct


def script() -> str:
    return "".join(answer("", call) for call in CALLS.values()) + SAY


async def outcomes_of(home: Home, model: str, mode: Mode) -> list[tuple[str, str]]:
    """What the gate said of each call in the deepest session; nobody is asked."""
    known = set(home.logs())
    where: dict[str, Any] = {"cwd": home.work, "home": home.indus, "environ": home.environ()}
    async with Agent(model, mode=mode, features=[weather(Weather())], **where) as opened:
        await opened.ask("go")
    logs = [home.entries(log=log) for log in home.logs() if log not in known]
    (rows,) = [rows for rows in logs if not of(rows, "delegate")]
    words = {"denied": "deny", "refused": "ask"}
    return [(tool, words.get(outcome, "allow")) for tool, outcome in outcomes(rows)]


@requirement("invariant.10.children-never-have-more")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("asked", MODES)
@pytest.mark.parametrize("deed", VIEWS)
def test_every_cell_is_judged_as_the_narrowest_of_the_chain_would_judge_it(
    workspace: Path, deed: Deed, mode: Mode, asked: Mode
) -> None:
    rules = (deny("write(docs/**)"), ask("read(README.md)"), allow("bash(make install)"))
    root = SessionPermission(Policy(mode, workspace, rules))
    deep = root.under(asked, None).under(Mode.FULL, None)
    narrow = min(mode, asked, key=MODES.index)
    view = VIEWS[deed](workspace)
    assert deep.mode is narrow
    assert deep.judge(view) == SessionPermission(Policy(narrow, workspace, rules)).judge(view)
    order = (Deny, Ask, Allow)
    assert order.index(type(deep.judge(view))) <= order.index(type(root.judge(view)))


def test_a_mode_that_narrows_while_a_delegate_works_narrows_it_too(workspace: Path) -> None:
    root = SessionPermission(Policy(Mode.FULL, workspace))
    child = root.under(Mode.FULL, None)
    deep = child.under(Mode.FULL, None)
    root.set_mode(Mode.PLAN)
    assert (child.mode, deep.mode) == (Mode.PLAN, Mode.PLAN)
    deep.set_mode(Mode.FULL)
    assert deep.mode is Mode.PLAN
    assert isinstance(deep.judge(VIEWS[Deed.WRITE_INSIDE](workspace)), Deny)
    assert not deep.reaches(
        VIEWS[Deed.WRITE_INSIDE](workspace), workspace / "src/new.py", _access(workspace)
    )


def test_a_mode_that_widens_while_a_delegate_works_does_not_widen_it(workspace: Path) -> None:
    root = SessionPermission(Policy(Mode.PLAN, workspace))
    child = root.under(Mode.FULL, None)
    root.set_mode(Mode.FULL)
    assert child.mode is Mode.PLAN


def test_an_answer_kept_while_the_mode_was_narrower_keeps_no_mode(workspace: Path) -> None:
    root = SessionPermission(Policy(Mode.FULL, workspace))
    child = root.under(Mode.FULL, None)
    root.set_mode(Mode.ASK)
    child.remember(VIEWS[Deed.SHELL_OTHER](workspace), PersonAnswer("session"))
    root.set_mode(Mode.FULL)
    assert child.mode is Mode.FULL


def _access(workspace: Path) -> Any:
    subject: Any = VIEWS[Deed.WRITE_INSIDE](workspace).subject
    return subject.access


def test_what_was_allowed_for_the_session_goes_down_and_never_up(workspace: Path) -> None:
    install = VIEWS[Deed.SHELL_OTHER](workspace)
    write = VIEWS[Deed.WRITE_INSIDE](workspace)
    root = SessionPermission(Policy(Mode.ASK, workspace))
    root.remember(install, PersonAnswer("session"))
    child = root.under(Mode.FULL, None)
    assert isinstance(child.judge(install), Allow)
    child.remember(write, PersonAnswer("session"))
    assert isinstance(child.judge(write), Allow)
    assert isinstance(root.judge(write), Ask)
    assert isinstance(root.under(Mode.ASK, None).judge(write), Ask), "nor sideways"


def test_an_answer_for_the_session_is_asked_again_outside_of_the_delegate(home: Home) -> None:
    write = ("write", {"path": "a.txt", "content": "x"})
    agent(home, "one", answer("", write) + answer("", ("bash", {"command": "touch b"})) + SAY)
    steps = [answer("", ("bash", {"command": "touch b"})), answer("", task("x", "one"))]
    model = home.script("".join([*steps, answer("", write)]) + SAY)
    asked = ran_with(home, model, lambda question: PersonAnswer("session"))
    told = [(question.tool, bool(question.asker)) for question in asked]
    assert told == [("bash", False), ("write", True), ("write", False)]


def ran_with(home: Home, model: str, decide: Any, **options: Any) -> list[Question]:
    questions: list[Question] = []

    async def run() -> None:
        async def on_approval(question: Question) -> PersonAnswer:
            questions.append(question)
            return decide(question)

        where: dict[str, Any] = {"cwd": home.work, "home": home.indus, "environ": home.environ()}
        async with Agent(model, on_approval=on_approval, **where, **options) as opened:
            await opened.ask("go")

    asyncio.run(run())
    return questions


@pytest.mark.parametrize("own", ["full", "ask", "plan"])
def test_a_profile_never_widens_the_mode(home: Home, own: str) -> None:
    write = ("write", {"path": "new.txt", "content": "x"})
    model = chain(home, write, mode=own)
    home.run("-p", "go", "-m", model, "--mode", "ask")
    leaf = sessions(home)["leaf"]
    assert of(leaf, "mode")[0]["mode"] == ("plan" if own == "plan" else "ask")
    assert outcomes(leaf) == [("write", "denied" if own == "plan" else "refused")]
    assert not (home.work / "new.txt").exists()


def test_rules_of_the_flags_hold_for_delegates(home: Home) -> None:
    model = chain(home, ("bash", {"command": "touch a"}), ("bash", {"command": "touch b"}))
    flags = ("--deny", "bash(touch b)", "--allow", "bash(touch a)")
    home.run("-p", "go", "-m", model, *flags)
    assert outcomes(sessions(home)["leaf"]) == [("bash", "ok"), ("bash", "denied")]
    assert (home.work / "a").exists()
    assert not (home.work / "b").exists()


def test_flags_that_take_tools_away_take_them_from_delegates(home: Home) -> None:
    model = chain(home, ("bash", {"command": "ls"}), tool_collection=["bash", "read", "task"])
    home.run("-p", "go", "-m", model, "--tools", "read,task")
    leaf = sessions(home)["leaf"]
    assert [row["name"] for row in of(leaf, "toolset")[0]["tools"]] == ["read"]
    assert outcomes(leaf) == [("bash", "invalid")]


async def test_what_a_delegate_was_not_given_it_cannot_give(home: Home) -> None:
    agent(home, "leaf", answer("", ("bash", {"command": "ls"})) + SAY, tool_collection=["bash"])
    middle = answer("", task("go on", "leaf")) + SAY
    agent(home, "middle", middle, tool_collection=["read", "task"], mode="accept-edits")
    model = home.script(answer("", task("begin", "middle")) + SAY)
    where: dict[str, Any] = {"cwd": home.work, "home": home.indus, "environ": home.environ()}
    async with Agent(model, mode="full", **where) as opened:
        await opened.ask("go")
    leaf = sessions(home)["leaf"]
    assert of(leaf, "toolset") == [] or of(leaf, "toolset")[0]["tools"] == []
    assert outcomes(leaf) == [("bash", "invalid")]
    assert of(leaf, "mode")[0]["mode"] == "accept-edits"


def test_the_second_level_cannot_delegate(home: Home) -> None:
    model = chain(home, task("and deeper", "leaf"))
    home.run("-p", "go", "-m", model, "--mode", "full")
    found = sessions(home)
    assert set(found) == {"root", "middle", "leaf"}
    assert len(home.logs()) == 3
    assert outcomes(found["leaf"]) == [("task", "invalid")]
    assert "task" in [row["name"] for row in of(found["middle"], "toolset")[0]["tools"]]


@requirement("decision.plan-mode-by-call")
@pytest.mark.parametrize("own", ["plan", "full"])
def test_in_plan_mode_no_delegate_changes_a_byte_whatever_it_says(home: Home, own: str) -> None:
    (home.work / "note.txt").write_text("hello\n")
    before = digest(home.work)
    tricks = [call for call in TRICKS if call[0] != "webfetch"]
    calls = (*tricks, ("exit_plan_mode", {"plan": PLAN}), *tricks)
    model = chain(home, *calls, mode=own)
    home.run("-p", "plan it", "-m", model, "--mode", "plan")
    assert digest(home.work) == before
    leaf = sessions(home)["leaf"]
    ends = dict(outcomes(leaf))
    for tool in ("write", "edit", "bash", "process", "bg-process"):
        assert ends[tool] == "denied"
    assert ends["exit_plan_mode"] == "ok", "it is told to give the plan as its answer"
    assert "You only plan here" in told(leaf, "exit_plan_mode")
    assert [entry["mode"] for entry in of(leaf, "mode")] == ["plan"]


def test_a_delegate_may_plan_for_itself_and_comes_back_no_further(home: Home) -> None:
    steps = (
        ("enter_plan_mode", {}),
        ("exit_plan_mode", {"plan": PLAN}),
        ("write", {"path": "new.txt", "content": "x"}),
    )
    agent(home, "one", "".join(answer("", step) for step in steps) + SAY)
    model = home.script(answer("", task("x", "one")) + SAY)
    asked = ran_with(home, model, lambda question: PersonAnswer("once"), mode="ask")
    assert [question.tool for question in asked] == ["exit_plan_mode", "write"]
    modes = [entry["mode"] for entry in of(sessions(home)["one"], "mode")]
    assert modes == ["ask", "plan", "ask"]
