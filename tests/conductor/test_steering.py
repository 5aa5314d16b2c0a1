"""A message given while the agent works is read with the next request, wherever the work is."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from induscode.conductor.hooks import Continue, Hooks, Stop
from induscode.errors import UserError
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.session.entries import Input
from tests.conductor.rig import (
    Model,
    Rig,
    Tool,
    acts,
    assert_valid,
    bounded,
    calls,
    results_of,
    say,
    until,
)
from tests.requirements import requirement


def texts(request: dict[str, Any]) -> list[str]:
    return [p["text"] for p in request["messages"][-1]["content"] if p["type"] == "text"]


async def test_a_message_during_the_last_answer_makes_the_turn_go_on(rig: Rig) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    model = Model(until(begun, go, say("Finished.")), say("In French: fini."))
    conductor = rig.open(model)
    turn = asyncio.ensure_future(conductor.submit([Text("say it")]))
    await bounded(begun.wait())
    await conductor.steer("in French")
    go.set()

    assert (await bounded(turn)).text == "In French: fini."
    assert texts(model.request()) == ["in French"]
    assert_valid(model.request())
    assert [entry.steer for entry in rig.entries(Input)] == [False, True]
    assert rig.replay().passed


async def test_a_message_during_an_answer_with_calls_stands_behind_their_results(rig: Rig) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    rig.tools = [acts(Tool("work"))]
    model = Model(until(begun, go, calls(("work", {}))), say())
    conductor = rig.open(model)
    turn = asyncio.ensure_future(conductor.submit([Text("go")]))
    await bounded(begun.wait())
    await conductor.steer("and be quick")
    go.set()
    await bounded(turn)
    assert results_of(model.request()) == ["work ran"]
    assert texts(model.request()) == ["and be quick"]
    assert_valid(model.request())
    assert rig.replay().passed


@requirement("turn.ordering-rule")
async def test_what_arrives_while_a_tool_runs_stands_behind_its_result(rig: Rig) -> None:
    async def work(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        await conductor.steer("faster")
        await conductor.notify("The build failed.", by="builtin:test")
        return ToolResult.text("worked")

    rig.tools = [acts(Tool("work", work))]
    model = Model(calls(("work", {}), ("work", {})), say())
    conductor = rig.open(model)
    await bounded(conductor.submit([Text("go")]))
    assert results_of(model.request()) == ["worked", "worked"]
    assert texts(model.request()) == ["faster", "The build failed."] * 2
    assert_valid(model.request())
    assert rig.replay().passed


async def test_steering_without_a_turn_is_refused_and_logs_nothing(rig: Rig) -> None:
    conductor = rig.open(Model(say()))
    with pytest.raises(UserError, match="no turn is running; submit it"):
        await conductor.steer("left")
    await conductor.submit([Text("hi")])
    with pytest.raises(UserError, match="no turn is running"):
        await conductor.steer("right")
    assert [entry.steer for entry in rig.entries(Input)] == [False]


async def test_an_input_hook_can_stop_a_steering_message(rig: Rig) -> None:
    class Polite:
        by = "project:polite"

        async def submit(self, text: str) -> Continue | Stop:
            return Stop("say please") if "please" not in text else Continue()

    begun, go = asyncio.Event(), asyncio.Event()
    rig.hooks = Hooks(input=(Polite(),))
    model = Model(until(begun, go, say("Finished.")))
    conductor = rig.open(model)
    turn = asyncio.ensure_future(conductor.submit([Text("go, please")]))
    await bounded(begun.wait())
    with pytest.raises(UserError, match="stopped by project:polite: say please"):
        await conductor.steer("now")
    go.set()
    assert (await bounded(turn)).text == "Finished."
    assert len(model.bodies) == 1
