"""Stopping a turn, wherever it is: the log stays valid and says what happened."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from induscode.conductor import calls as calls_module
from induscode.conductor.calls import RUNS_ON
from induscode.conductor.retries import Retries
from induscode.conductor.turn import Conductor
from induscode.errors import Cancelled, Overloaded
from induscode.kernel.content import Text
from induscode.kernel.events import Alert, ToolEnded
from induscode.kernel.model import StopReason
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.session.entries import Intent, Interrupted, Notice, Response, Result
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
    speaking,
    words_of,
)
from tests.requirements import requirement


async def stopped(conductor: Conductor, when: asyncio.Event) -> None:
    """Submit, and stop when it is time."""
    turn = asyncio.ensure_future(conductor.submit([Text("go")]))
    await bounded(when.wait())
    conductor.cancel()
    with pytest.raises(Cancelled):
        await bounded(turn)


async def goes_on(rig: Rig) -> dict[str, Any]:
    """A next turn in a new process is valid, and everything replays."""
    model = Model(say("Here again."))
    await bounded(rig.open(model).submit([Text("and now?")]))
    assert_valid(model.request())
    assert rig.replay().passed
    return model.request()


@requirement("turn.ends")
async def test_stopping_an_answer_keeps_its_part_and_shows_it_to_nobody(rig: Rig) -> None:
    begun = asyncio.Event()
    await stopped(rig.open(Model(speaking("I was about to", begun))), begun)

    (response,) = rig.entries(Response)
    assert response.stop is StopReason.PARTIAL
    assert response.error == "stopped by the user"
    assert "[The turn ended here: stopped by the user.]" in [n.text for n in rig.entries(Notice)]
    assert [event.text for event in rig.heard(Alert)] == ["stopped by the user"]
    request = await goes_on(rig)
    assert "about to" not in words_of(request)
    assert "The turn ended here" in words_of(request)


async def test_stopping_a_tool_that_hangs_ends_it_and_the_calls_behind_it(rig: Rig) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def hang(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError("it was stopped")

    never = Tool("never")
    rig.tools = [acts(Tool("hang", hang)), acts(never)]
    await stopped(rig.open(Model(calls(("hang", {}), ("never", {})))), begun)

    assert ended.is_set()
    assert never.runs == []
    assert [entry.tool for entry in rig.entries(Intent)] == ["hang"]
    assert [(e.tool, e.started) for e in rig.entries(Interrupted)] == [("never", False)]
    assert [event.outcome for event in rig.heard(ToolEnded)] == ["error", "interrupted"]
    words = words_of(await goes_on(rig))
    assert "Stopped by the user before it finished" in words
    assert "Not run: the user stopped the turn" in words


async def test_a_tool_that_heeds_the_token_itself_is_stopped_not_failed(rig: Rig) -> None:
    begun = asyncio.Event()

    async def heed(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        begun.set()
        await context.cancel.run(asyncio.Event().wait())
        raise AssertionError("it was stopped")

    rig.tools = [acts(Tool("heed", heed))]
    await stopped(rig.open(Model(calls(("heed", {})))), begun)
    (result,) = rig.entries(Result)
    assert result.content == [
        Text("Stopped by the user before it finished. What it had done by then stays done.")
    ]


async def test_stopping_between_two_calls_starts_no_further_one(rig: Rig) -> None:
    async def last(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        conductor.cancel()
        return ToolResult.text("finished all the same")

    never = Tool("never")
    rig.tools = [acts(Tool("last", last)), acts(never)]
    conductor = rig.open(Model(calls(("last", {}), ("never", {}))))
    with pytest.raises(Cancelled):
        await bounded(conductor.submit([Text("go")]))
    assert never.runs == []
    assert [(e.tool, e.started) for e in rig.entries(Interrupted)] == [("never", False)]
    assert [result.tool for result in rig.entries(Result)] == ["last"]
    await goes_on(rig)


async def test_stopping_reads_side_by_side_ends_all_of_them(rig: Rig) -> None:
    begun = [asyncio.Event(), asyncio.Event()]

    async def hang(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        begun[arguments["n"]].set()
        await asyncio.Event().wait()
        raise AssertionError("it was stopped")

    rig.tools = [reads(Tool("hang", hang))]
    conductor = rig.open(Model(calls(("hang", {"n": 0}), ("hang", {"n": 1}))))
    turn = asyncio.ensure_future(conductor.submit([Text("go")]))
    for event in begun:
        await bounded(event.wait())
    conductor.cancel()
    with pytest.raises(Cancelled):
        await bounded(turn)
    request = await goes_on(rig)
    parts = [p for m in request["messages"] for p in m["content"] if p["type"] == "result"]
    assert len(parts) == 2


async def test_stopping_the_wait_before_another_attempt_ends_at_once(rig: Rig) -> None:
    rig.retries = Retries(attempts=4, first=3600, total=9999)
    conductor = rig.open(Model(Overloaded("busy", status=529)))
    waiting = asyncio.Event()

    def hear(event: object) -> None:
        rig.events.append(event)  # type: ignore[arg-type]
        if isinstance(event, Alert) and "trying again" in event.text:
            asyncio.get_running_loop().call_soon(waiting.set)

    conductor._exchange._emit = hear
    await stopped(conductor, waiting)
    await goes_on(rig)


async def test_stopping_twice_is_stopping_once(rig: Rig) -> None:
    begun = asyncio.Event()
    conductor = rig.open(Model(speaking("Well", begun), say("next")))
    turn = asyncio.ensure_future(conductor.submit([Text("go")]))
    await bounded(begun.wait())
    conductor.cancel("first")
    conductor.cancel("second")
    with pytest.raises(Cancelled, match="first"):
        await bounded(turn)
    assert (await bounded(conductor.submit([Text("again")]))).text == "next"


async def test_a_turn_that_was_stopped_can_go_on_without_a_new_input(rig: Rig) -> None:
    begun = asyncio.Event()
    await stopped(rig.open(Model(speaking("Well", begun))), begun)
    model = Model(say("Finished."))
    conductor = rig.open(model)
    assert conductor.unfinished
    assert (await bounded(conductor.go_on())).text == "Finished."
    assert_valid(model.request())
    assert results_of(model.request()) == []
    assert rig.types().count("input") == 1
    assert rig.replay().passed


async def test_a_tool_that_ignores_being_stopped_does_not_hold_up_the_turn(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls_module, "_GRACE", 0.05)
    begun, release = asyncio.Event(), asyncio.Event()

    async def stubborn(*_: object) -> ToolResult:
        begun.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return ToolResult.text("at last")

    rig.tools = [acts(Tool("stubborn", stubborn))]
    conductor = rig.open(Model(calls(("stubborn", {}))))
    await stopped(conductor, begun)
    release.set()
    (result,) = rig.entries(Result)
    assert result.content == [Text(RUNS_ON)]
