"""Sending a request again: the same bytes, each attempt an entry, within a limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.conductor.ports import ModelSetting
from induscode.conductor.retries import Retries
from induscode.errors import (
    KeyRefused,
    NetworkFailed,
    Overloaded,
    ProviderError,
    QuotaExceeded,
    StreamBroken,
)
from induscode.gateway import ProviderSpec, connect
from induscode.kernel.content import Text
from induscode.kernel.events import Alert
from induscode.kernel.model import Answer, StopReason, Usage
from induscode.kernel.request import Parameters
from induscode.kernel.tool import ToolResult
from induscode.session.entries import Request, Response
from tests.conductor.rig import Model, Rig, Tool, acts, bounded, say, words_of
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import call
from tests.fakes.anthropic_steps import say as say_on_wire
from tests.requirements import requirement

PASSING = [
    QuotaExceeded("slow down", status=429, retry_after=0.001),
    Overloaded("internal", status=500),
    Overloaded("overloaded", status=529),
    NetworkFailed("refused"),
]


@requirement("log.pitfall.12-retries-are-requests", "turn.decisions-logged")
@pytest.mark.parametrize("failure", PASSING, ids=str)
async def test_a_passing_failure_is_tried_again_with_the_same_bytes(
    rig: Rig, failure: ProviderError
) -> None:
    model = Model(failure, failure, say("There."))
    assert (await rig.open(model).submit([Text("hi")])).text == "There."

    first, second, third = rig.entries(Request)
    assert {r.body_sha256 for r in (first, second, third)} == {model.bodies[0].sha256}
    assert len({body.data for body in model.bodies}) == 1
    assert [r.attempt for r in (first, second, third)] == [1, 2, 3]
    assert [r.retry_of for r in (first, second, third)] == ["", first.id, first.id]
    assert [r.reason for r in (first, second, third)] == ["", failure.message, failure.message]
    assert len([e for e in rig.heard(Alert) if "trying again in" in e.text]) == 2
    assert rig.replay().passed


@requirement("log.pitfall.12-retries-are-requests")
async def test_a_cut_answer_is_a_partial_response_that_no_request_shows(rig: Rig) -> None:
    async def cut(model: Model, *_: object) -> Answer:
        model.partial = Answer((Text("I think that"),), StopReason.PARTIAL, Usage(4, 2))
        raise StreamBroken("the answer broke off")

    model = Model(cut, say("I know that."), say("next"))
    conductor = rig.open(model)
    assert (await conductor.submit([Text("hi")])).text == "I know that."
    await conductor.submit([Text("go on")])

    partial, whole, _ = rig.entries(Response)
    assert (partial.stop, partial.error) == (StopReason.PARTIAL, "the answer broke off")
    assert partial.content == [Text("I think that")]
    assert partial.usage == Usage(4, 2)
    assert whole.request == rig.entries(Request)[1].id
    assert model.bodies[0].data == model.bodies[1].data
    assert "I think" not in words_of(model.request())
    assert conductor.totals().steps == 2
    assert rig.replay().passed


async def test_a_lasting_failure_is_not_tried_again_and_the_log_says_why(rig: Rig) -> None:
    model = Model(KeyRefused("the key is not accepted", hint="check it", status=401))
    with pytest.raises(KeyRefused):
        await rig.open(model).submit([Text("hi")])
    assert len(model.bodies) == 1
    assert rig.entries(Response)[-1].error == "the key is not accepted"


async def test_it_gives_up_after_its_attempts(rig: Rig) -> None:
    rig.retries = Retries(attempts=3, first=0.001, total=60)
    model = Model(*[Overloaded("busy")] * 9)
    with pytest.raises(Overloaded):
        await bounded(rig.open(model).submit([Text("hi")]))
    assert [r.attempt for r in rig.entries(Request)] == [1, 2, 3]
    assert [r.error for r in rig.entries(Response)] == ["busy"] * 3
    assert rig.replay().passed


async def test_it_does_not_wait_longer_than_its_limit_for_a_providers_wish(rig: Rig) -> None:
    rig.retries = Retries(attempts=9, first=0.001, total=10)
    model = Model(QuotaExceeded("come back tomorrow", retry_after=86_400))
    with pytest.raises(QuotaExceeded):
        await bounded(rig.open(model).submit([Text("hi")]))
    assert len(model.bodies) == 1


async def test_a_turn_that_failed_goes_on_with_the_same_question(rig: Rig) -> None:
    rig.retries = Retries(attempts=1)
    with pytest.raises(Overloaded):
        await rig.run(Overloaded("busy"), said="what is it?")
    model = Model(say("It is this."))
    conductor = rig.open(model)
    assert conductor.unfinished
    assert (await conductor.go_on()).text == "It is this."
    assert words_of(model.request()).count("what is it?") == 1
    assert not conductor.unfinished
    assert rig.replay().passed


@requirement("log.pitfall.13-dead-idle-connection")
async def test_a_connection_that_had_to_be_replaced_is_told_and_recorded(tmp_path: Path) -> None:
    rig = Rig(tmp_path, tools=[acts(Tool("wait"))])
    with AnthropicServer([call("wait"), say_on_wire("there")]) as server:

        async def hang_up(*_: object) -> ToolResult:
            server.hang_up_idle()
            return ToolResult.text("waited")

        rig.tools = [acts(Tool("wait", hang_up))]
        spec = ProviderSpec(provider="some", model="m", wire="anthropic", base_url=server.url)
        provider = connect(spec, environ={})
        conductor = rig.open(Model())
        setting = ModelSetting("some", "m", provider, Parameters(100), 1000, lambda _: None)
        conductor.reconfigure(setting=setting)
        assert (await bounded(conductor.submit([Text("go")]))).text == "there"
        await conductor.close()
        rig.conductor = None
    assert server.connections == 2
    first, second = rig.entries(Response)
    assert first.notes == []
    assert "the kept connection" in second.notes[0]
    assert any("the kept connection" in alert.text for alert in rig.heard(Alert))
    assert rig.replay().passed


async def test_a_provider_that_says_how_long_to_wait_is_obeyed_within_its_own_limit() -> None:
    retries = Retries(attempts=6, first=0.5, total=10, wished=120)
    assert retries.delay(1, None, spent=0) == 0.5
    assert retries.delay(3, None, spent=5) == 2.0
    assert retries.delay(5, None, spent=7.5) is None
    assert retries.delay(1, 60.0, spent=0) == 60.0
    assert retries.delay(2, 60.0, spent=61) is None
    assert retries.delay(6, 0.1, spent=0) is None
