"""Running what the model asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from induscode.kernel.content import Json, Text
from induscode.kernel.events import ToolEnded, ToolStarted
from induscode.kernel.jsontext import digest
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.verdict import Allow, Layer
from induscode.session.entries import Intent, Response, Result
from tests.conductor.rig import (
    Model,
    Rig,
    Rules,
    Tool,
    acts,
    assert_valid,
    bounded,
    calls,
    denying,
    reads,
    results_of,
    say,
    words_of,
)
from tests.requirements import requirement


def meeting(mine: asyncio.Event, theirs: asyncio.Event, said: str) -> Any:
    """Work that ends only when the other one has begun."""

    async def work(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        mine.set()
        await bounded(theirs.wait())
        return ToolResult.text(said)

    return work


@requirement("turn.read-only-side-by-side")
async def test_calls_that_only_read_run_side_by_side(rig: Rig) -> None:
    one, two = asyncio.Event(), asyncio.Event()
    rig.tools = [reads(Tool("a", meeting(one, two, "A"))), reads(Tool("b", meeting(two, one, "B")))]
    model = Model(calls(("a", {}), ("b", {})), say())
    await rig.open(model).submit([Text("look")])
    assert results_of(model.request()) == ["A", "B"]


@requirement("turn.read-only-side-by-side")
async def test_calls_with_effects_run_one_after_the_other_in_order(rig: Rig) -> None:
    running: list[str] = []
    order: list[str] = []

    def work(name: str) -> Any:
        async def work(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
            assert not running
            running.append(name)
            for _ in range(5):
                await asyncio.sleep(0)
            running.remove(name)
            order.append(name)
            return ToolResult.text(name)

        return work

    rig.tools = [acts(Tool(n, work(n))) for n in "ab"] + [reads(Tool("r", work("r")))]
    model = Model(calls(("b", {}), ("r", {}), ("a", {}), ("b", {})), say())
    await rig.open(model).submit([Text("go")])
    assert order == ["b", "r", "a", "b"]
    assert results_of(model.request()) == order
    kinds = [e.effects for e in rig.entries(Intent)]
    assert kinds == [True, False, True, True]


@requirement("log.pitfall.11-results-in-call-order")
async def test_results_are_shown_in_call_order_whichever_came_first(rig: Rig) -> None:
    done = asyncio.Event()

    async def late(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        await bounded(done.wait())
        return ToolResult.text("late")

    async def early(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        done.set()
        return ToolResult.text("early")

    rig.tools = [reads(Tool("late", late)), reads(Tool("early", early))]
    model = Model(calls(("late", {}), ("early", {})), say())
    await rig.open(model).submit([Text("look")])
    assert [result.tool for result in rig.entries(Result)] == ["early", "late"]
    assert results_of(model.request()) == ["late", "early"]
    assert rig.replay().passed


async def test_a_denied_call_returns_the_reason_and_never_starts_the_tool(rig: Rig) -> None:
    tool = Tool("work")
    rig.tools, rig.rules = [acts(tool)], Rules(denying)
    model = Model(calls(("work", {})), say("As you wish."))
    outcome = await rig.open(model).submit([Text("do it")])

    assert outcome.text == "As you wish."
    assert tool.runs == []
    assert rig.entries(Intent) == []
    assert [result.outcome for result in rig.entries(Result)] == ["denied"]
    assert results_of(model.request()) == ["Denied: not on my watch (from: flag)"]
    assert rig.heard(ToolStarted) == []


async def test_an_unknown_tool_is_answered_with_the_known_ones(rig: Rig) -> None:
    rig.tools = [acts(Tool("work")), reads(Tool("look"))]
    model = Model(calls(("wrok", {})), say())
    await rig.open(model).submit([Text("go")])
    assert results_of(model.request()) == [
        "There is no tool named 'wrok'. Known tools: look, work."
    ]
    assert [result.outcome for result in rig.entries(Result)] == ["invalid"]


@requirement("log.pitfall.08-broken-tool-json")
async def test_broken_arguments_are_kept_raw_and_answered(rig: Rig) -> None:
    tool = Tool("work")
    rig.tools = [acts(tool)]
    model = Model(calls(("work", '{"path": "x')), say())
    await rig.open(model).submit([Text("go")])

    assert tool.runs == []
    (call,) = rig.entries(Response)[0].content
    assert getattr(call, "broken", "") == '{"path": "x'
    (told,) = results_of(model.request())
    assert told.startswith("The arguments cannot be used: not valid JSON")
    assert told.endswith('You sent: {"path": "x')
    assert_valid(model.request())
    assert rig.replay().passed


@requirement("log.pitfall.07-duplicate-keys")
async def test_duplicate_keys_are_rejected_before_any_gate_judges(rig: Rig) -> None:
    tool = Tool("work")
    rig.tools = [acts(tool)]
    model = Model(calls(("work", '{"path": "good", "path": "bad"}')), say())
    await rig.open(model).submit([Text("go")])
    assert tool.runs == []
    assert rig.rules.judged == []
    assert "the key 'path' appears twice" in results_of(model.request())[0]


@requirement("log.pitfall.05-non-finite-numbers")
@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400"])
async def test_numbers_that_are_none_are_refused(rig: Rig, number: str) -> None:
    tool = Tool("work")
    rig.tools = [acts(tool)]
    model = Model(calls(("work", f'{{"n": {number}}}')), say())
    await rig.open(model).submit([Text("go")])
    assert tool.runs == []
    assert rig.rules.judged == []
    assert results_of(model.request())[0].startswith("The arguments cannot be used")


@requirement("log.pitfall.06-keep-json-bytes")
async def test_the_spelling_of_arguments_reaches_log_and_request_unchanged(rig: Rig) -> None:
    rig.tools = [acts(Tool("work"))]
    model = Model(calls(("work", '{"n": 1.10, "m":1E5, "z":0.30000000000000004}')), say())
    await rig.open(model).submit([Text("go")])
    spelled = b'{"n":1.10,"m":1E5,"z":0.30000000000000004}'
    assert spelled in model.bodies[1].data
    assert rig.path is not None
    assert spelled in rig.path.read_bytes()
    assert rig.entries(Intent)[0].arguments_sha256 == digest(spelled)


@requirement("log.pitfall.10-repeated-tool-ids")
async def test_calls_with_the_same_provider_id_are_paired_with_their_own_results(rig: Rig) -> None:
    async def echo(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult.text(arguments["word"])

    rig.tools = [acts(Tool("echo", echo))]
    model = Model(calls(("echo", {"word": "one"})), calls(("echo", {"word": "two"})), say())
    await rig.open(model).submit([Text("go")])
    messages = model.request()["messages"]
    ids = [message["content"][0]["id"] for message in messages if message["role"] == "assistant"]
    assert len(set(ids)) == 2
    assert [m["content"][0]["content"][0]["text"] for m in messages[2::2]] == ["one", "two"]
    assert_valid(model.request())


async def test_a_tool_that_raises_is_an_error_result(rig: Rig) -> None:
    async def broken(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        raise RuntimeError("the drawer is stuck \udcff")

    rig.tools = [acts(Tool("work", broken))]
    model = Model(calls(("work", {})), say("Pity."))
    assert (await rig.open(model).submit([Text("go")])).text == "Pity."
    assert results_of(model.request()) == [
        "The tool work failed unexpectedly (RuntimeError): the drawer is stuck \ufffd"
    ]
    assert [event.outcome for event in rig.heard(ToolEnded)] == ["error"]


async def test_a_result_that_cannot_be_kept_is_told_instead(rig: Rig) -> None:
    deep = b"[" * 300 + b"]" * 300

    async def abyss(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult((Json(msgspec.Raw(deep)),))

    rig.tools = [acts(Tool("work", abyss))]
    model = Model(calls(("work", {})), say())
    await rig.open(model).submit([Text("go")])
    assert results_of(model.request())[0].startswith("The call ran, but its result cannot be kept")
    assert len(rig.entries(Result)) == 1


async def test_failures_of_details_do_not_cost_the_result(rig: Rig) -> None:
    async def odd(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult((Text("fine"),), details={"ratio": float("nan"), "count": 3})

    rig.tools = [acts(Tool("work", odd))]
    model = Model(calls(("work", {})), say())
    await rig.open(model).submit([Text("go")])
    assert results_of(model.request()) == ["fine"]
    assert rig.entries(Result)[0].details == {"count": 3, "mended": True}


@requirement("invariant.07.outcomes-distinct")
async def test_denied_failed_and_invalid_are_told_apart(rig: Rig) -> None:
    async def failing(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult.error("no such file")

    def judge(tool: str, arguments: Mapping[str, Any]) -> Any:
        return denying() if tool == "closed" else Allow("test", Layer.SESSION)

    rig.rules = Rules(judge)
    rig.tools = [acts(Tool("closed")), acts(Tool("fails", failing)), acts(Tool("works"))]
    named = [(name, {}) for name in ("closed", "fails", "works", "unknown")]
    await rig.run(calls(*named), say())
    outcomes = [(result.tool, result.outcome) for result in rig.entries(Result)]
    assert outcomes == [
        ("closed", "denied"), ("fails", "error"), ("works", "ok"), ("unknown", "invalid"),
    ]  # fmt: skip


async def test_a_long_result_is_stored_once_and_replayed(rig: Rig) -> None:
    async def long(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult.text("long " * 20_000)

    rig.tools = [reads(Tool("look", long))]
    model = Model(calls(("look", {}), ("look", {})), say())
    await rig.open(model).submit([Text("go")])
    assert words_of(model.request()).count("long long") > 10_000
    refs = {getattr(result.content[0], "sha256", "") for result in rig.entries(Result)}
    assert len(refs) == 1
    assert len(rig.store.blobs.get(refs.pop())) == 100_000
    assert rig.replay().passed
