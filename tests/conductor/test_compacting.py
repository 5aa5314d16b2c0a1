"""Making room: a summary takes the place of what it names, and what is pinned stays."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Literal

import pytest

from induscode.conductor.compaction import COMPACTION_MARK
from induscode.conductor.hooks import Continue, Hooks, Stop
from induscode.errors import ContextTooLong, Overloaded, ProviderError
from induscode.kernel.content import Text
from induscode.kernel.events import HookDecided, TextDelta
from induscode.kernel.model import Answer, Body
from induscode.session.entries import Compaction, Hook, Input, Notice, Request
from tests.conductor.rig import (
    Model,
    Rig,
    Tool,
    acts,
    assert_valid,
    bounded,
    calls,
    say,
    until,
    words_of,
)
from tests.requirements import requirement

FULL = {"input": 190_000, "output": 10}


def full_calls(n: int) -> Answer:
    answer = calls(("work", {"n": n}))
    return Answer(answer.content, answer.stop, say("", **FULL).usage)


@requirement("turn.compaction-range", "turn.decisions-logged")
async def test_a_full_window_is_condensed_before_the_next_request(rig: Rig) -> None:
    model = Model(say("First answer.", **FULL), say("The summary."), say("Second answer."))
    conductor = rig.open(model)
    await conductor.submit([Text("first question")])
    assert (await conductor.submit([Text("second question")])).text == "Second answer."

    (entry,) = rig.entries(Compaction)
    inputs = rig.entries(Input)
    assert (entry.first, entry.last) == (inputs[0].id, inputs[1].id)
    assert entry.summary == "The summary."
    assert [r.purpose for r in rig.entries(Request)] == ["turn", "compaction", "turn"]
    assert entry.request == rig.entries(Request)[1].id
    assert COMPACTION_MARK in words_of(model.request(1))
    last = words_of(model.request())
    assert "The summary." in last
    assert "second question" in last
    assert "First answer." not in last
    assert COMPACTION_MARK not in last
    assert "The summary." not in [event.text for event in rig.heard(TextDelta)]
    assert_valid(model.request())
    assert rig.replay().passed


@requirement("turn.compaction-pins")
async def test_three_compactions_in_one_turn_keep_the_request_and_what_is_pinned(rig: Rig) -> None:
    rig.tools = [acts(Tool("work"))]
    steps: list[Any] = []
    for n in range(3):
        steps += [full_calls(n), say(f"summary {n}")]
    model = Model(say("Noted."), *steps, say("Done."))
    conductor = rig.open(model)
    await conductor.submit([Text("an old matter")])
    await conductor.notify("Skill: always write tests.", by="builtin:test", pinned=True)
    await conductor.notify("A passing remark.", by="builtin:test")
    assert (await bounded(conductor.submit([Text("rename the thing")]))).text == "Done."

    assert len(rig.entries(Compaction)) == 3
    last = words_of(model.request())
    assert last.count("rename the thing") == 1
    assert last.count("Skill: always write tests.") == 1
    assert "summary 2" in last
    assert "summary 0" not in last
    assert "A passing remark." not in last
    assert "an old matter" not in last
    assert len(model.request()["head"]["system"]) == 2
    for number in range(len(model.bodies)):
        assert_valid(model.request(number))
    report = rig.replay()
    assert report.passed
    assert len(report.checks) == len(model.bodies)


async def test_a_message_during_a_compaction_survives_it_with_the_request(rig: Rig) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    rig.tools = [acts(Tool("work"))]
    model = Model(
        full_calls(1),
        until(begun, go, say("summary 1")),
        full_calls(2),
        say("summary 2"),
        say("Done."),
    )
    conductor = rig.open(model)
    turn = asyncio.ensure_future(conductor.submit([Text("rename the thing")]))
    await bounded(begun.wait())
    await conductor.steer("and its tests")
    go.set()
    assert (await bounded(turn)).text == "Done."

    for number in (2, -1):
        words = words_of(model.request(number))
        assert words.count("rename the thing") == 1
        assert words.count("and its tests") == 1
        assert_valid(model.request(number))
    assert rig.replay().passed


async def test_a_message_after_a_compaction_does_not_unpin_the_request(rig: Rig) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    rig.tools = [acts(Tool("work"))]
    model = Model(
        full_calls(1),
        say("summary 1"),
        until(begun, go, full_calls(2)),
        say("summary 2"),
        say("Done."),
    )
    conductor = rig.open(model)
    turn = asyncio.ensure_future(conductor.submit([Text("rename the thing")]))
    await bounded(begun.wait())
    await conductor.steer("and its tests")
    go.set()
    await bounded(turn)
    words = words_of(model.request())
    assert "and its tests" in words
    assert "rename the thing" in words
    assert rig.replay().passed


async def test_a_fact_pinned_during_a_compaction_survives_the_next_one(rig: Rig) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    model = Model(say("one"), until(begun, go, say("s1")), say("two"), say("s2"), say("three"))
    conductor = rig.open(model)
    await conductor.submit([Text("a")])
    compacting = asyncio.ensure_future(conductor.compact())
    await bounded(begun.wait())
    await conductor.notify("Skill: be kind.", by="builtin:test", pinned=True)
    go.set()
    assert await bounded(compacting)
    await conductor.submit([Text("b")])
    assert words_of(model.request()).count("Skill: be kind.") == 1
    assert await conductor.compact()
    await conductor.submit([Text("c")])
    assert "Skill: be kind." in words_of(model.request())


async def test_a_conversation_that_no_longer_fits_is_condensed_and_goes_on(rig: Rig) -> None:
    model = Model(say("old"), ContextTooLong("too long", status=400), say("summary"), say("new"))
    conductor = rig.open(model)
    await conductor.submit([Text("one")])
    assert (await conductor.submit([Text("two")])).text == "new"
    assert [r.purpose for r in rig.entries(Request)] == ["turn", "turn", "compaction", "turn"]
    assert rig.replay().passed


async def test_what_is_too_long_even_to_be_condensed_is_listed_by_us(rig: Rig) -> None:
    long = ContextTooLong("too long", status=400)
    model = Model(say("old"), long, long, say("new"))
    conductor = rig.open(model)
    await conductor.submit([Text("the first thing I said")])
    assert (await conductor.submit([Text("two")])).text == "new"
    (entry,) = rig.entries(Compaction)
    assert entry.request == ""
    assert "the first thing I said" in entry.summary
    assert rig.replay().passed


async def test_a_conversation_that_never_fits_is_given_up(rig: Rig) -> None:
    model = Model(*[ContextTooLong("too long", status=400)] * 9)
    with pytest.raises(ContextTooLong):
        await bounded(rig.open(model).submit([Text("one")]))
    assert len(model.bodies) < 9


class Veto:
    by = "project:keeper"

    async def before(
        self, what: Literal["compaction", "rewind", "fork"], reason: str
    ) -> Continue | Stop:
        return Stop("everything matters")


async def test_a_hook_can_forbid_it_and_the_log_says_who(rig: Rig) -> None:
    rig.hooks = Hooks(rewrite=(Veto(),))
    model = Model(say("one", **FULL), say("two"))
    conductor = rig.open(model)
    await conductor.submit([Text("a")])
    assert (await conductor.submit([Text("b")])).text == "two"
    assert rig.entries(Compaction) == []
    (note,) = rig.entries(Hook)
    assert (note.by, note.point, note.decision, note.reason) == (
        "project:keeper", "before-rewrite", "deny", "everything matters",
    )  # fmt: skip
    assert [event.decision for event in rig.heard(HookDecided)] == ["deny"]
    assert rig.replay().passed


async def test_a_forbidden_compaction_leaves_a_too_long_request_a_failure(rig: Rig) -> None:
    rig.hooks = Hooks(rewrite=(Veto(),))
    with pytest.raises(ContextTooLong):
        await rig.run(ContextTooLong("too long", status=400))


async def test_a_failed_compaction_leaves_the_conversation_as_it_was(rig: Rig) -> None:
    rig.retries = type(rig.retries)(attempts=1)
    model = Model(say("one"), Overloaded("busy"), say("two"))
    conductor = rig.open(model)
    await conductor.submit([Text("a")])
    with pytest.raises(Overloaded):
        await conductor.compact()
    assert not conductor.busy
    await conductor.submit([Text("b")])
    roles = [message["role"] for message in model.request()["messages"]]
    assert roles == ["user", "assistant", "user"]
    assert COMPACTION_MARK not in words_of(model.request())
    assert rig.replay().passed


async def test_it_can_be_asked_for(rig: Rig) -> None:
    model = Model(say("one"), say("The summary."), say("two"))
    conductor = rig.open(model)
    assert not await conductor.compact()
    await conductor.submit([Text("a")])
    assert await conductor.compact()
    await conductor.submit([Text("b")])
    assert "The summary." in words_of(model.request())
    assert [notice.only for notice in rig.entries(Notice)] == ["compaction"]
    assert rig.replay().passed


async def test_a_model_without_a_summary_is_an_error_not_a_loss(rig: Rig) -> None:
    conductor = rig.open(Model(say("one"), say("  ")))
    await conductor.submit([Text("a")])
    with pytest.raises(ProviderError, match="no summary"):
        await conductor.compact()
    assert rig.entries(Compaction) == []


async def test_a_very_long_summary_is_taken_whole(rig: Rig) -> None:
    long = "fact " * 20_000
    model = Model(say("one"), say(long), say("two"))
    conductor = rig.open(model)
    await conductor.submit([Text("a")])
    assert await conductor.compact()
    await conductor.submit([Text("b")])
    assert words_of(model.request()).count("fact") == 20_000
    assert rig.replay().passed


async def test_no_call_of_a_summary_is_run(rig: Rig) -> None:
    tool = Tool("work")
    rig.tools = [acts(tool)]

    async def summary_with_call(model: Model, body: Body, *_: object) -> Answer:
        assert json.loads(body.data)["head"]["tools"]
        return calls(("work", {}), text="The summary.")

    conductor = rig.open(Model(say("one"), summary_with_call, say("two")))
    await conductor.submit([Text("a")])
    assert await conductor.compact()
    await conductor.submit([Text("b")])
    assert tool.runs == []
    assert rig.replay().passed


class Beside:
    """What runs beside the turns, and when it was told to stand still."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def pause(self, reason: str) -> None:
        self.told.append("pause")

    def resume(self) -> None:
        self.told.append("resume")

    async def close(self) -> None:
        self.told.append("close")


async def test_what_runs_beside_the_turns_stands_still_while_the_conversation_is_condensed(
    rig: Rig,
) -> None:
    rig.background = beside = Beside()
    during: list[list[str]] = []

    async def summary(model: Model, *_: object) -> Answer:
        during.append(list(beside.told))
        return say("The summary.")

    conductor = rig.open(Model(say("First."), summary))
    await conductor.submit([Text("go")])
    assert beside.told == []
    assert await conductor.compact()

    assert during == [["pause"]]
    assert beside.told == ["pause", "resume"]


async def test_what_runs_beside_the_turns_goes_on_when_condensing_fails(rig: Rig) -> None:
    rig.background = beside = Beside()
    conductor = rig.open(Model(say("First."), say("")))
    await conductor.submit([Text("go")])
    with pytest.raises(ProviderError):
        await conductor.compact()

    assert beside.told == ["pause", "resume"]
