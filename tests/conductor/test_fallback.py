"""A chain of models: the choice of the next one is an entry, and only what may pass leads to it."""

from __future__ import annotations

import pytest

from induscode.errors import BudgetEnded, KeyRefused, NetworkFailed, Overloaded
from induscode.kernel.content import Text
from induscode.kernel.events import Alert
from induscode.session.entries import Amendment, ModelChoice, Request, Response
from tests.conductor.rig import Budget, Model, Rig, Tool, calls, reads, say

DOWN = [Overloaded("it is overloaded", status=529)] * 4


async def test_a_model_that_stays_out_of_reach_gives_way_to_the_next_one(rig: Rig) -> None:
    second = Model(say("from the second"))
    rig.fallbacks = (lambda: rig.setting(second, "m-2"),)

    outcome = await rig.open(Model(*DOWN)).submit([Text("hi")])

    assert outcome.text == "from the second"
    first, fallen = rig.entries(ModelChoice)
    assert (first.model, fallen.model) == ("m-1", "m-2")
    assert fallen.reason == "fallback: it is overloaded"
    assert any("going on with test/m-2" in alert.text for alert in rig.heard(Alert))
    assert rig.replay().passed


async def test_the_chain_is_walked_in_order_and_its_end_is_the_last_failure(rig: Rig) -> None:
    last = NetworkFailed("nobody there")
    rig.fallbacks = (
        lambda: rig.setting(Model(*DOWN), "m-2"),
        lambda: rig.setting(Model(last, last, last, last), "m-3"),
    )

    with pytest.raises(NetworkFailed, match="nobody there"):
        await rig.open(Model(*DOWN)).submit([Text("hi")])

    assert [choice.model for choice in rig.entries(ModelChoice)] == ["m-1", "m-2", "m-3"]


async def test_a_refused_key_is_no_reason_to_ask_somebody_else(rig: Rig) -> None:
    rig.fallbacks = (lambda: rig.setting(Model(say()), "m-2"),)

    with pytest.raises(KeyRefused):
        await rig.open(Model(KeyRefused("no"))).submit([Text("hi")])

    assert len(rig.entries(ModelChoice)) == 1


async def test_the_next_turn_begins_with_the_chosen_model_again(rig: Rig) -> None:
    chosen = Model(*DOWN, say("back"))
    rig.fallbacks = (lambda: rig.setting(Model(say("from the second")), "m-2"),)
    conductor = rig.open(chosen)
    await conductor.submit([Text("hi")])

    assert (await conductor.submit([Text("and now?")])).text == "back"

    assert [choice.model for choice in rig.entries(ModelChoice)] == ["m-1", "m-2", "m-1"]
    assert rig.replay().passed


async def test_another_model_is_not_shown_the_reasoning_of_the_first(rig: Rig) -> None:
    tool = Tool("look")
    rig.tools = [reads(tool)]
    thinking = say("I look.", thinking="secret reasoning", stop="tools")
    second = Model(say("seen"))
    rig.fallbacks = (lambda: rig.setting(second, "m-2"),)
    conductor = rig.open(Model(thinking, *DOWN))
    await conductor.submit([Text("hi")])
    await conductor.submit([Text("on")])

    assert rig.entries(Amendment)
    assert "secret reasoning" not in second.bodies[-1].data.decode()
    assert rig.replay().passed


async def test_a_cost_budget_stops_before_the_request_that_would_exceed_it(rig: Rig) -> None:
    rig.tools = [reads(Tool("look"))]
    rig.price = lambda usage: (usage.input + usage.output) / 1000
    rig.budget = Budget(max_cost=0.05)
    model = Model(*[calls(("look", {}))] * 9)

    with pytest.raises(BudgetEnded, match="would cost about"):
        await rig.open(model).submit([Text("hi")])

    spent = sum(response.cost or 0 for response in rig.entries(Response))
    assert 0 < spent <= 0.05
    assert len(rig.entries(Request)) == len(rig.entries(Response))
