"""Interceptors stand around every tool there is: the deck's, an addon's, and those of delegates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from induscode.capability_deck.catalog import capability_ids
from induscode.sdk import Agent, PersonAnswer, Question, RunResult
from tests.addons.session.house import House, spoken
from tests.addons.session.walks import copied, installed
from tests.cli.home import answer
from tests.crew.delegates.family import agent, of, sessions
from tests.requirements import requirement

BY = "user:wrapper"
TASK, MEASURE = "task", "measure"
CALLS: dict[str, dict[str, Any]] = {
    "read": {"path": "notes.txt"},
    "ls": {},
    "grep": {"pattern": "buy"},
    "find": {"query": "notes"},
    "websearch": {"query": "milk"},
    "webfetch": {"url": "http://127.0.0.1:9/"},
    "todo_read": {},
    "write": {"path": "made.txt", "content": "made"},
    "edit": {"path": "notes.txt", "old_text": "buy", "new_text": "drink"},
    "bash": {"command": "true"},
    "process": {"action": "list"},
    "todo_set": {"items": []},
    "todo": {"action": "read"},
    "bg-process": {"action": "list"},
    TASK: {"objective": "say hello", "agent": "greeter"},
    "saas-action": {"action": "discover", "query": "milk"},
    "memory": {"action": "read"},
    MEASURE: {},
    "enter_plan_mode": {},
    "exit_plan_mode": {"plan": "Drink it."},
}
"""A harmless call of each; what comes of it does not matter, as long as the tool ran."""

Results = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Results]:
    """The results of all calls: of a session's own, and of a delegate's."""
    root = tmp_path_factory.mktemp("deck")
    home = installed(root / "home", Path(__file__).with_name("wrapper.py"))
    done: dict[str, Results] = {}

    def of(whose: str) -> Results:
        if whose not in done:
            done[whose] = _called(copied(home, root / whose), delegated=whose == "delegate")
        return done[whose]

    return of


def _called(house: House, *, delegated: bool) -> Results:
    (house.work / "notes.txt").write_text("buy milk\n")
    script = "".join(answer("", each) for each in CALLS.items()) + answer("Done.")
    agent(house, "greeter", answer("Hello."))
    agent(house, "worker", script)
    if delegated:
        script = answer("", (TASK, {"objective": "go", "agent": "worker"})) + answer("Done.")
    told = asyncio.run(_asked(house, house.script(script)))
    assert (told.exit, told.text) == (0, "Done.")
    assert house.replays()
    return {
        entry["tool"]: entry
        for entry in of(sessions(house)["worker" if delegated else "root"], "result")
    }


async def _asked(house: House, model: str) -> RunResult:
    """With somebody who agrees: leaving the plan mode is asked about in every mode."""

    async def agree(question: Question) -> PersonAnswer:
        return PersonAnswer(question.choices[0])

    places: dict[str, Any] = {"cwd": house.work, "environ": house.environ()}
    async with Agent(model, mode="full", on_approval=agree, **places) as opened:
        return await opened.ask("use everything")


def test_a_call_is_known_for_every_card_of_the_deck() -> None:
    assert set(CALLS) == {*capability_ids(), MEASURE}


@pytest.mark.parametrize("whose", ["session", "delegate"])
@pytest.mark.parametrize("tool", CALLS)
@requirement("addons.intercept.deck-tools")
def test_an_interceptor_stands_around_it(
    results: Callable[[str], Results], tool: str, whose: str
) -> None:
    result = results(whose)[tool]
    assert spoken(result).endswith(f"[around {tool}: the same arguments]")
    assert result["outcome"] in ("ok", "error")
