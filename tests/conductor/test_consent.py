"""Asking a person: the answer is an entry before it has an effect, and never an authority."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from induscode.boot.permission import SessionPermission
from induscode.errors import Cancelled
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Text
from induscode.kernel.events import ApprovalAsked
from induscode.kernel.person import Choice, PersonAnswer, Question
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.gate import Policy
from induscode.policy.modes import Mode
from induscode.session.entries import Approval, Intent, Interrupted, Result
from tests.conductor.rig import (
    Model,
    Rig,
    Rules,
    Someone,
    Tool,
    acts,
    asking,
    bounded,
    calls,
    results_of,
    say,
)
from tests.decks import bound
from tests.requirements import requirement


async def test_without_a_person_a_question_is_a_refusal(rig: Rig) -> None:
    tool = Tool("work")
    rig.tools, rig.rules = [acts(tool)], Rules(asking)
    model = Model(calls(("work", {})), say("I could not."))
    conductor = rig.open(model)
    assert (await conductor.submit([Text("go")])).text == "I could not."
    assert tool.runs == []
    assert conductor.totals().refused == 1
    assert [approval.answer for approval in rig.entries(Approval)] == ["nobody"]
    assert [result.outcome for result in rig.entries(Result)] == ["refused"]
    assert "There is nobody to ask" in results_of(model.request())[0]


@requirement("invariant.03.intent-before-effect")
@pytest.mark.parametrize("choice", ["once", "session"])
async def test_an_approval_and_the_intent_are_synced_before_the_tool_starts(
    rig: Rig, choice: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fdatasync

    def watched(handle: int) -> None:
        real(handle)
        if rig.path is not None and rig.path.exists():
            synced[:] = rig.types()

    seen: list[list[str]] = []

    async def work(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        seen.append(list(synced))
        return ToolResult.text("done")

    monkeypatch.setattr(os, "fdatasync", watched)
    rig.tools, rig.rules = [acts(Tool("work", work))], Rules(asking)
    rig.person = Someone(PersonAnswer(choice))
    await rig.run(calls(("work", {})), say())
    assert seen[0][-3:] == ["response", "approval", "intent"]
    assert seen[0] == rig.types()[: len(seen[0])]
    assert rig.entries(Approval)[0].answer == choice


async def test_the_question_shows_the_call_and_what_may_be_answered(rig: Rig) -> None:
    person = Someone(PersonAnswer("once"))
    rig.tools, rig.rules, rig.person = [acts(Tool("work"))], Rules(asking), person
    await rig.run(calls(("work", {"n": 1})), say())
    (question,), (event,) = person.questions, rig.heard(ApprovalAsked)
    assert (question.tool, question.arguments, question.reason) == (
        "work", {"n": 1}, "May it run?",
    )  # fmt: skip
    assert (event.id, event.choices) == (question.id, ["once", "session", "no"])
    assert rig.entries(Approval)[0].call == question.id


async def test_no_with_a_reason_reaches_the_model_and_starts_nothing(rig: Rig) -> None:
    tool = Tool("work")
    rig.tools, rig.rules = [acts(tool)], Rules(asking)
    rig.person = Someone(PersonAnswer("no", "use the other one"))
    model = Model(calls(("work", {})), say())
    await rig.open(model).submit([Text("go")])
    assert tool.runs == []
    assert rig.entries(Intent) == []
    assert [r.outcome for r in rig.entries(Result)] == ["denied"]
    assert results_of(model.request()) == [
        "The user did not allow this call. They said: use the other one"
    ]
    assert rig.entries(Approval)[0].reason == "use the other one"


async def test_a_question_that_nobody_answers_in_time_is_a_refusal(rig: Rig) -> None:
    tool = Tool("work")
    rig.tools, rig.rules = [acts(tool)], Rules(asking)
    rig.person = Someone(PersonAnswer("timeout"))
    conductor = rig.open(Model(calls(("work", {})), say()))
    await conductor.submit([Text("go")])
    assert tool.runs == []
    assert [r.outcome for r in rig.entries(Result)] == ["refused"]
    assert conductor.totals().refused == 1


async def test_a_stopped_question_ends_the_turn_and_the_call_never_ran(rig: Rig) -> None:
    asked = asyncio.Event()

    class Silent(Someone):
        async def ask(self, question: Question, cancel: CancelToken) -> PersonAnswer:
            asked.set()
            await cancel.run(asyncio.Event().wait())
            raise AssertionError("it was stopped")

    tool = Tool("work")
    rig.tools, rig.rules, rig.person = [acts(tool)], Rules(asking), Silent()
    conductor = rig.open(Model(calls(("work", {}))))
    turn = asyncio.ensure_future(conductor.submit([Text("go")]))
    await bounded(asked.wait())
    conductor.cancel()
    with pytest.raises(Cancelled):
        await bounded(turn)
    assert tool.runs == []
    assert [entry.started for entry in rig.entries(Interrupted)] == [False]
    assert rig.replay().passed


def real_rules(rig: Rig, cwd: Path) -> SessionPermission:
    policy = Policy(mode=Mode.ASK, workspace=cwd, rules=(), own=(), readable=())
    return SessionPermission(policy)


async def test_an_answer_for_the_session_holds_for_it_and_a_resumed_one_asks_again(
    rig: Rig, tmp_path: Path
) -> None:
    person = Someone(PersonAnswer("session"), PersonAnswer("no"))
    rig.tools, rig.person = [bound("write", tmp_path)], person
    rig.rules = real_rules(rig, tmp_path)
    call = calls(("write", {"path": "note.txt", "content": "x"}))
    await rig.run(call, call, say())
    assert len(person.questions) == 1
    assert (tmp_path / "note.txt").read_text() == "x"
    assert [approval.answer for approval in rig.entries(Approval)] == ["session"]

    rig.rules = real_rules(rig, tmp_path)
    await rig.run(call, say())
    assert len(person.questions) == 2
    assert [r.outcome for r in rig.entries(Result)] == ["ok", "ok", "denied"]
