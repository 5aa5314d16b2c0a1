"""One turn, from an input to an answer, and what it leaves in the log."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec import Raw, structs

from induscode.conductor.ports import BriefSpan, Budget
from induscode.errors import BudgetEnded, UserError
from induscode.kernel.content import Opaque, Text, Thinking
from induscode.kernel.events import TextDelta, ToolUpdated, UsageReported
from induscode.kernel.model import Answer, StopReason, Usage
from induscode.kernel.tool import ToolResult
from induscode.session.entries import (
    Amendment,
    Briefing,
    Input,
    ModelChoice,
    Notice,
    Request,
    Response,
    Result,
    Toolset,
)
from tests.conductor.rig import (
    Model,
    Rig,
    Tool,
    acts,
    assert_valid,
    bounded,
    calls,
    reads,
    results_of,
    say,
    until,
    words_of,
)
from tests.requirements import requirement


@requirement("log.request-digest")
async def test_one_answer_is_an_input_a_request_and_a_response(rig: Rig) -> None:
    model = Model(say("Hello."))
    outcome = await rig.open(model).submit([Text("hi")])

    assert outcome.text == "Hello."
    assert rig.types()[:6] == ["session", "install", "mode", "model", "toolset", "briefing"]
    assert rig.types()[6:] == ["input", "request", "response"]
    assert [r.body_sha256 for r in rig.entries(Request)] == [model.bodies[0].sha256]
    assert [r.encoder for r in rig.entries(Request)] == ["neutral/1"]
    assert [event.text for event in rig.heard(TextDelta)] == ["Hello."]
    assert rig.replay().passed


@requirement("turn.sequence")
async def test_a_call_leaves_intent_and_result_before_the_next_request(rig: Rig) -> None:
    tool = Tool("work")
    rig.tools = [acts(tool)]
    model = Model(calls(("work", {"n": 1})), say("Done."))
    await rig.open(model).submit([Text("do it")])

    at = rig.types().index("input")
    assert rig.types()[at:] == [
        "input", "request", "response", "intent", "result", "request", "response",
    ]  # fmt: skip
    assert tool.runs == [{"n": 1}]
    assert results_of(model.request()) == ["work ran"]
    assert_valid(model.request())


async def test_a_turn_of_many_steps_is_replayed_step_by_step(rig: Rig) -> None:
    tool = Tool("work")
    rig.tools = [acts(tool)]
    outcome = await rig.run(*[calls(("work", {"n": n})) for n in range(30)], say("All done."))

    assert outcome.text == "All done."
    assert [run["n"] for run in tool.runs] == list(range(30))
    report = rig.replay()
    assert report.passed
    assert len(report.checks) == 31


@requirement("turn.request-before-dispatch")
async def test_the_request_is_in_the_log_before_it_is_sent(rig: Rig) -> None:
    seen: list[list[tuple[str, str]]] = []

    class Watching(Model):
        async def exchange(self, body, listener, cancel):
            seen.append([(entry.body_sha256, entry.encoder) for entry in rig.entries(Request)])
            return await super().exchange(body, listener, cancel)

    model = Watching(say())
    await rig.open(model).submit([Text("hi")])
    assert seen == [[(model.bodies[0].sha256, "neutral/1")]]


async def test_an_answer_that_pauses_is_asked_to_go_on(rig: Rig) -> None:
    model = Model(say("half", stop="pause"), say("whole"))
    outcome = await rig.open(model).submit([Text("hi")])
    assert outcome.text == "whole"
    assert [m["role"] for m in model.request()["messages"]] == ["user", "assistant"]
    assert rig.replay().passed


@pytest.mark.parametrize("stop", ["length", "refusal"])
async def test_the_outcome_says_why_the_model_stopped(rig: Rig, stop: str) -> None:
    assert (await rig.run(say("so far", stop=stop))).stop is StopReason(stop)


@requirement("turn.ends")
async def test_a_step_budget_ends_the_turn_and_the_log_says_so(rig: Rig) -> None:
    tool = Tool("work")
    rig.tools, rig.budget = [acts(tool)], Budget(max_steps=2)
    with pytest.raises(BudgetEnded, match="after 2 steps; raise --max-steps"):
        await rig.run(*[calls(("work", {}))] * 5)

    assert len(tool.runs) == 2
    assert "stopped after 2 steps" in rig.entries(Notice)[-1].text
    model = Model(say("Where were we?"))
    rig.budget = Budget()
    await rig.open(model).submit([Text("go on")])
    assert_valid(model.request())
    assert rig.replay().passed


async def test_a_cost_budget_ends_the_turn(rig: Rig) -> None:
    tool = Tool("work")
    rig.tools, rig.budget = [acts(tool)], Budget(max_cost=0.009)
    with pytest.raises(BudgetEnded, match=r"after spending 0\.0\d+ USD"):
        await rig.run(*[calls(("work", {}))] * 5)
    assert 1 <= len(tool.runs) <= 2
    assert "stopped after spending" in rig.entries(Notice)[-1].text


async def test_a_budget_counts_this_run_only(rig: Rig) -> None:
    rig.budget = Budget(max_steps=1)
    conductor = rig.open(Model(say("one"), say("two")))
    assert (await conductor.submit([Text("a")])).text == "one"
    assert (await conductor.submit([Text("b")])).text == "two"


async def test_totals_add_up_usage_and_cost(rig: Rig) -> None:
    await rig.run(say("x", input=7, output=3, cache_read=2, cache_write=1))
    assert rig.conductor is not None
    totals = rig.conductor.totals()
    assert (totals.steps, totals.cost, totals.unpriced) == (1, 0.003, 0)
    assert [event.usage.cache_read for event in rig.heard(UsageReported)] == [2]
    assert rig.entries(Response)[0].cost == 0.003


async def test_a_second_turn_is_refused_while_one_runs(rig: Rig) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    conductor = rig.open(Model(until(begun, go, say("one"))))
    turn = asyncio.ensure_future(conductor.submit([Text("a")]))
    await bounded(begun.wait())
    with pytest.raises(UserError, match="already running; steer it"):
        await conductor.submit([Text("b")])
    go.set()
    assert (await bounded(turn)).text == "one"
    assert len(rig.entries(Input)) == 1


async def test_nothing_is_there_to_continue_after_a_whole_turn(rig: Rig) -> None:
    await rig.run(say())
    with pytest.raises(UserError, match="nothing to continue; give a prompt"):
        await rig.open(Model()).go_on()


@requirement("log.pitfall.04-lone-surrogates")
async def test_what_cannot_be_encoded_is_replaced_and_the_log_says_so(rig: Rig) -> None:
    async def strange(arguments, context):
        context.progress("\udcff")
        return ToolResult((Text("\udcfe name"),), display="\udcfd", details={"file": "\udcfc"})

    rig.tools = [reads(Tool("look", strange))]
    model = Model(calls(("look", {})), say())
    await rig.open(model).submit([Text("caf\udce9")])

    assert rig.entries(Input)[0].mended
    assert "caf\ufffd" in words_of(model.request())
    assert results_of(model.request()) == ["\ufffd name"]
    result = rig.entries(Result)[0]
    assert (result.display, result.details) == ("\ufffd", {"mended": True})
    assert [event.text for event in rig.heard(ToolUpdated)] == ["\ufffd"]
    assert rig.replay().passed


# Epochs


@requirement("turn.epoch-clock")
async def test_an_unchanged_setup_logs_no_second_head_though_time_passes(rig: Rig) -> None:
    times = iter(f"second {n}" for n in range(99))
    rig.clock = lambda: next(times)
    await rig.run(say("one"))
    model = Model(say("two"))
    await rig.open(model).submit([Text("again")])

    head = [t for t in rig.types() if t in {"briefing", "toolset", "model", "mode", "install"}]
    assert sorted(head) == ["briefing", "install", "mode", "model", "toolset"]
    assert model.request()["head"]["system"][1]["text"] == "second 0"


@requirement("turn.epoch-snapshot")
async def test_a_changed_tool_set_is_a_new_snapshot_before_the_request(rig: Rig) -> None:
    rig.tools = [acts(Tool("one"))]
    await rig.run(say())
    rig.tools = [acts(Tool("one")), acts(Tool("two"))]
    model = Model(say())
    await rig.open(model).submit([Text("again")])

    assert [tool["name"] for tool in model.request()["head"]["tools"]] == ["one", "two"]
    assert rig.types().count("toolset") == 2
    last = len(rig.types()) - 1 - rig.types()[::-1].index("toolset")
    assert last < len(rig.types()) - 1 - rig.types()[::-1].index("request")
    assert rig.replay().passed


async def test_the_clock_is_taken_anew_when_the_briefing_changes(rig: Rig) -> None:
    rig.clock = lambda: "noon"
    await rig.run(say())
    rig.clock = lambda: "one o'clock"
    conductor = rig.open(Model(say()))
    changed = rig.setup()
    longer = [*changed.briefing([]), changed.briefing([])[0]]
    conductor.reconfigure(setup=structs.replace(changed, briefing=lambda _: longer))
    await conductor.submit([Text("again")])
    assert [span.text for span in rig.entries(Briefing)[-1].spans][1] == "one o'clock"


@requirement("log.pitfall.09-unknown-blocks-kept")
async def test_another_model_is_logged_and_never_shown_this_ones_thinking(rig: Rig) -> None:
    await rig.run(say("Hm.", thinking="Let me see."))
    same = Model(say("Still."))
    await rig.open(same).submit([Text("same model")])
    assert "Let me see." in words_of(same.request())
    assert "c2ln" in words_of(same.request())

    other = Model(say("New here."))
    await rig.open(other, "m-2").submit([Text("other model")])
    assert [choice.model for choice in rig.entries(ModelChoice)] == ["m-1", "m-2"]
    omitted = rig.entries(Amendment)[-1].operations
    thought = [
        r.id for r in rig.entries(Response) if any(isinstance(b, Thinking) for b in r.content)
    ]
    assert [(op.op, op.target) for op in omitted] == [("omit", target) for target in thought]
    assert "Let me see." not in words_of(other.request())
    assert "Hm." in words_of(other.request())
    assert rig.replay().passed


@requirement("log.pitfall.09-unknown-blocks-kept")
async def test_blocks_that_nobody_knows_go_back_byte_for_byte_and_in_order(rig: Rig) -> None:
    odd = b'{"type":"new","n":1.50,"a":1e2}'
    blocks = (Opaque("scripted", Raw(odd)), Text("So."), Opaque("scripted", Raw(b'{"z":-0.0}')))
    await rig.run(Answer(blocks, StopReason.END, Usage(1, 1)))
    same, other = Model(say()), Model(say())
    await rig.open(same).submit([Text("go on")])
    said = same.request()["messages"][1]["content"]
    assert [part["type"] for part in said] == ["opaque", "text", "opaque"]
    assert same.bodies[0].data.index(odd) < same.bodies[0].data.index(b'{"z":-0.0}')

    await rig.open(other, "m-2").submit([Text("you go on")])
    assert [part["type"] for part in other.request()["messages"][1]["content"]] == ["text"]
    assert rig.entries(Amendment)[-1].operations[0].target == rig.entries(Response)[0].id
    assert rig.replay().passed


@requirement("log.blob-threshold")
async def test_a_long_prompt_and_the_tools_are_blobs_that_all_sessions_share(
    rig: Rig, tmp_path: Path
) -> None:
    rig.tools, rig.clock = [acts(Tool("work"))], lambda: "word " * 1000
    await rig.run(say())
    role, clock = rig.entries(Briefing)[0].spans
    assert (role.text, clock.text) == ("You are a test.", None)
    assert rig.store.blobs.get(clock.sha256).decode() == "word " * 1000
    assert b'"work"' in rig.store.blobs.get(rig.entries(Toolset)[0].sha256)
    kept = sorted(path for path in tmp_path.rglob("blobs/*/*"))
    rig.close()
    rig.path = None
    await rig.run(say())
    assert sorted(path for path in tmp_path.rglob("blobs/*/*")) == kept


async def test_a_model_chosen_during_a_turn_is_asked_from_the_next_one_on(rig: Rig) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    rig.tools = [acts(Tool("work"))]
    first, second = Model(until(begun, go, calls(("work", {}))), say("first")), Model(say("second"))
    conductor = rig.open(first)
    turn = asyncio.ensure_future(conductor.submit([Text("a")]))
    await bounded(begun.wait())
    conductor.reconfigure(setting=rig.setting(second, "m-2"))
    go.set()
    assert (await bounded(turn)).text == "first"
    assert (await conductor.submit([Text("b")])).text == "second"
    assert rig.replay().passed


async def test_tools_and_briefing_that_change_during_a_turn_wait_for_the_next_one(rig: Rig) -> None:
    async def growing(arguments, context):
        more = rig.setup()
        spans = [*more.briefing([]), BriefSpan("more", "Be brief.", "builtin:test")]
        more = structs.replace(more, tools=(*rig.tools, acts(Tool("late"))))
        conductor.reconfigure(setup=structs.replace(more, briefing=lambda _: spans))
        return ToolResult.text("grown")

    rig.tools = [acts(Tool("grow", growing))]
    model = Model(calls(("grow", {})), calls(("grow", {})), say(), say())
    conductor = rig.open(model)
    await bounded(conductor.submit([Text("a")]))
    heads = [model.request(number)["head"] for number in range(3)]
    assert heads[0] == heads[1] == heads[2]
    await bounded(conductor.submit([Text("b")]))
    assert [tool["name"] for tool in model.request()["head"]["tools"]] == ["grow", "late"]
    assert [span["name"] for span in model.request()["head"]["system"]] == ["role", "clock", "more"]
    causes = [entry.cause for entry in rig.on_disk() if isinstance(entry, Briefing | Toolset)]
    assert causes == ["start", "start", "input", "input"]
    assert rig.replay().passed


async def test_a_notice_before_the_first_turn_stands_in_a_session_that_began(rig: Rig) -> None:
    model = Model(say())
    conductor = rig.open(model)
    await conductor.notify("A server came up.", by="builtin:test")
    await conductor.submit([Text("hi")])
    assert rig.types()[0] == "session"
    assert "A server came up." in words_of(model.request())
    assert rig.replay().passed
