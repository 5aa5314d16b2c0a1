"""The app cards that need no process, network or disk: todo, task and the two of plan mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from induscode.capability_deck import (
    DELEGATE_HANDLE_KEY,
    DeckContext,
    DeckFramework,
    DelegateRunner,
    ToolBox,
    app_novel_cards,
    build_enter_plan_mode_capability,
    build_exit_plan_mode_capability,
    build_task_capability,
    build_todo_capability,
    enter_plan_mode_card,
    exit_plan_mode_card,
    provision_deck,
    task_card,
    todo_card,
)
from induscode.kernel.tool import ToolContext, ToolResult
from tests.requirements import requirement


def box(cwd: Path, framework: DeckFramework | None = None) -> ToolBox:
    return provision_deck("all", DeckContext(cwd, framework or DeckFramework())).tool_box()


def test_a_card_function_gives_the_row_of_the_catalog() -> None:
    todo, _, task, _, _, enter, leave = app_novel_cards()
    assert todo_card() is todo
    assert task_card() is task
    assert enter_plan_mode_card() is enter
    assert exit_plan_mode_card() is leave


def test_a_builder_makes_the_tool_of_the_card(tmp_path: Path) -> None:
    ctx = DeckContext(tmp_path)
    made = [
        build(ctx).name
        for build in (
            build_todo_capability,
            build_task_capability,
            build_enter_plan_mode_capability,
            build_exit_plan_mode_capability,
        )
    ]
    assert made == ["todo", "task", "enter_plan_mode", "exit_plan_mode"]


@requirement("deck.cards.todo.actions", "deck.cards.todo.states", "deck.cards.todo.glyphs")
async def test_todo_replaces_its_list_and_shows_it(tmp_path: Path) -> None:
    tools = box(tmp_path)
    items = [
        {"text": "one"},
        {"text": "two", "state": "active", "weight": "high"},
        {"text": "three", "state": "done", "weight": "normal"},
        {"text": "four", "state": "dropped", "weight": "low"},
    ]
    shown = "[ ] one\n[~] two (high)\n[x] three\n[-] four (low)"
    assert (await tools.run("todo", {"action": "read"})).output == "The list is empty."
    assert (await tools.run("todo", {"action": "set", "items": items})).output == shown
    assert (await tools.run("todo", {"action": "read"})).output == shown
    await tools.run("todo", {"action": "set", "items": items[:1]})
    assert (await tools.run("todo", {"action": "read"})).output == "[ ] one"
    await tools.run("todo", {"action": "set", "items": []})
    assert (await tools.run("todo", {"action": "read"})).output == "The list is empty."


@requirement("deck.cards.todo.distinct")
async def test_the_two_checklists_are_two(tmp_path: Path) -> None:
    tools = box(tmp_path)
    await tools.run("todo", {"action": "set", "items": [{"text": "weighted"}]})
    await tools.run("todo_set", {"items": [{"text": "plain"}]})
    assert (await tools.run("todo", {"action": "read"})).output == "[ ] weighted"
    assert "weighted" not in (await tools.run("todo_read", {})).output


@requirement("deck.cards.bad-action")
@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("todo", {}, "todo needs the argument `action`."),
        ("todo", {"action": "burn"}, "The argument `action` of todo is not usable"),
        ("todo", {"action": 3}, "The argument `action` of todo"),
        ("todo", {"action": "set"}, "todo set needs `items`"),
        (
            "todo",
            {"action": "set", "items": "one"},
            "The argument `items` of todo must be",
        ),
        ("todo", {"action": "set", "items": [{}]}, "todo needs the argument `items[0].text`."),
        ("todo", {"action": "set", "items": [{"text": ""}]}, "The argument `items[0].text`"),
        ("todo", {"action": "set", "items": [{"text": "a", "state": "new"}]}, "items[0].state"),
        ("todo", {"action": "set", "items": [{"text": "a", "weight": 1}]}, "items[0].weight"),
        ("todo", {"action": "set", "items": [{"text": "a"}] * 101}, "The argument `items`"),
        ("todo", {"action": "read", "list": 1}, "todo has no argument `list`."),
        ("todo_set", {}, "todo_set needs the argument `items`."),
        ("todo_set", {"items": {}}, "The argument `items` of todo_set must be an array"),
        ("todo_set", {"items": [{"text": "a", "status": "x"}]}, "items[0].status"),
        ("todo_set", {"items": [{"text": "a" * 501}]}, "items[0].text"),
        ("todo_read", {"x": 1}, "todo_read has no argument `x`."),
        ("task", {}, "task needs the argument `objective`."),
        ("task", {"objective": ""}, "The argument `objective` of task"),
        ("task", {"objective": "a", "agent": 1}, "The argument `agent` of task must be a string"),
        ("task", {"objective": "a", "context": []}, "The argument `context` of task"),
        ("enter_plan_mode", {"now": True}, "enter_plan_mode has no argument `now`."),
        ("exit_plan_mode", {}, "exit_plan_mode needs the argument `plan`."),
        ("exit_plan_mode", {"plan": ""}, "The argument `plan` of exit_plan_mode"),
        ("exit_plan_mode", {"plan": ["a"]}, "The argument `plan` of exit_plan_mode must be"),
    ],
)
async def test_a_wrong_argument_is_told_in_a_sentence(
    tmp_path: Path, tool: str, arguments: dict[str, Any], told: str
) -> None:
    outcome = await box(tmp_path).run(tool, arguments)
    assert outcome.is_error
    assert told in outcome.output


async def test_an_action_that_got_past_the_schema_is_refused_all_the_same(tmp_path: Path) -> None:
    tool = build_todo_capability(DeckContext(tmp_path))
    for arguments in ({}, {"action": "burn"}):
        result = await tool.execute(arguments, plain_context(tmp_path))
        assert result.is_error


def plain_context(cwd: Path) -> ToolContext:
    nothing: Any = None
    return ToolContext(cwd, nothing, nothing, nothing, print, nothing)


async def test_more_than_one_item_in_progress_is_pointed_out(tmp_path: Path) -> None:
    items = [{"text": name, "status": "in_progress"} for name in "ab"]
    outcome = await box(tmp_path).run("todo_set", {"items": items})
    assert outcome.output.endswith("[2 items are in progress; keep it to one]")


class Runner:
    """A delegate that repeats what it was asked."""

    def list_agents(self) -> Sequence[str]:
        return ["reviewer", "tester"]

    async def delegate(
        self, objective: str, *, agent: str | None, context: str | None, call: ToolContext
    ) -> ToolResult:
        return ToolResult.text(f"{objective}|{agent}|{context}")


@requirement("deck.cards.task.stub", "deck.cards.always-built", "deck.fault.backend")
async def test_task_without_a_runner_says_so(tmp_path: Path) -> None:
    outcome = await box(tmp_path).run("task", {"objective": "look around"})
    assert outcome.is_error
    assert outcome.output.startswith("Delegation is not available here")
    tool = build_task_capability(DeckContext(tmp_path))
    result = await tool.execute({"objective": "x"}, plain_context(tmp_path))
    assert result.details == {"kind": "backend", "missing": DELEGATE_HANDLE_KEY}


@requirement(
    "deck.cards.delegate-injected",
    "deck.cards.task.arguments",
    "deck.cards.task.roster",
    "deck.contract.handle-protocols",
)
async def test_task_runs_the_injected_runner_and_names_its_agents(tmp_path: Path) -> None:
    runner: DelegateRunner = Runner()
    framework = DeckFramework(delegate=runner)
    tools = box(tmp_path, framework)
    (told,) = [told for told in tools.descriptors() if told["name"] == "task"]
    assert told["description"].endswith("Agents: reviewer, tester.")
    asked: Mapping[str, Any] = {"objective": "look", "agent": "tester", "context": "here"}
    assert (await tools.run("task", asked)).output == "look|tester|here"
    assert (await tools.run("task", {"objective": "look"})).output == "look|None|None"
    stranger = await tools.run("task", {"objective": "look", "agent": "cook"})
    assert stranger.output == "There is no agent 'cook'. Known agents: reviewer, tester."


@requirement("deck.cards.plan.enter", "deck.cards.plan.exit", "deck.cards.plan.no-side-effect")
async def test_the_plan_tools_only_leave_marks(tmp_path: Path) -> None:
    ctx = DeckContext(tmp_path)
    enter, leave = build_enter_plan_mode_capability(ctx), build_exit_plan_mode_capability(ctx)
    entered = await enter.execute({}, plain_context(tmp_path))
    assert entered.details == {"enterPlanMode": True, "applied": False}
    assert (await box(tmp_path).run("enter_plan_mode", {})).output.startswith("Explore only")
    left = await leave.execute({"plan": "# Mend it"}, plain_context(tmp_path))
    assert left.details == {"exitPlan": True, "plan": "# Mend it"}
    assert enter.read_only
    assert leave.read_only
    assert list(tmp_path.iterdir()) == []


@requirement("deck.cards.handle-keys")
def test_the_handle_keys_are_the_documents() -> None:
    import induscode.capability_deck as face

    keys = (face.DELEGATE_HANDLE_KEY, face.SAAS_GATEWAY_KEY, face.MEMORY_HANDLE_KEY)
    assert keys == ("delegate", "saasGateway", "memoryStore")
