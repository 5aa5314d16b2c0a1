"""Hooks that change how the model is asked: in the body that is sent, and from then on."""

from __future__ import annotations

import math
from typing import Any

import pytest

from induscode.feature.hook_views import AmendParameters, Continue, PublicRequestParametersEvent
from induscode.feature.points import HookPoint
from induscode.gateway.encoders import encoder_for
from induscode.kernel.events import Fault
from induscode.kernel.request import Head, NeutralRequest, Parameters
from tests.channels.place import Place
from tests.fakes.anthropic_steps import calls, fail, say
from tests.features.sessions import SAY, Hook, entries, hooked, ran, why
from tests.features.wired import wired
from tests.requirements import requirement
from tests.session.golden import released

POINT = HookPoint.REQUEST_PARAMETERS


@requirement("turn.amendment-is-an-entry")
async def test_changed_parameters_are_in_the_body_and_recorded_once(place: Place) -> None:
    hook = Hook(AmendParameters({"temperature": 0.5, "max_output": 99, "top_k": 3}))
    steps = [calls(("ls", {})), say("One."), say("Two.")]
    async with wired(place, steps, hooked(hook, POINT)) as run:
        await run.agent.ask("go")
        await run.agent.ask("on")

    for body in run.bodies:
        assert (body["temperature"], body["max_tokens"], body["top_k"]) == (0.5, 99, 3)
    (entry,) = entries(place, "amendment")
    assert (entry["by"], "operations" in entry) == ("user:guard", False)
    assert entry["parameters"] == {"temperature": 0.5, "max_output": 99, "top_k": 3}
    assert hook.seen[0].model == "claude-sonnet-4-5"
    assert {"max_output", "thinking"} == set(hook.seen[0].parameters)
    assert hook.seen[1].parameters == {
        "max_output": 99, "thinking": "off", "temperature": 0.5, "top_k": 3,
    }  # fmt: skip
    assert place.replays()
    assert "user:guard put it there" in why(place, '"temperature":0.5')


async def test_each_hook_sees_what_those_before_it_made_and_why_names_each(place: Place) -> None:
    def warmer(event: PublicRequestParametersEvent) -> AmendParameters:
        return AmendParameters({"temperature": event.parameters["temperature"] + 0.25})

    first = hooked(Hook(AmendParameters({"temperature": 0.5, "top_p": 0.9})), POINT, "first")
    second = Hook(lambda event: warmer(event) if len(second.seen) == 1 else Continue())
    async with wired(place, [say()], first, hooked(second, POINT, "second")) as run:
        await run.agent.ask("go")

    assert run.bodies[0]["temperature"] == 0.75
    assert [e["by"] for e in entries(place, "amendment")] == ["user:first", "user:second"]
    assert "user:second put it there" in why(place, '"temperature":')
    assert "user:first put it there" in why(place, '"top_p":')
    assert place.replays()


async def test_a_field_of_the_providers_own_can_be_taken_away_again(place: Place) -> None:
    wanted = [{"temperature": 0.5}, {"temperature": None}, {}]
    hook = Hook(lambda event: AmendParameters(wanted[len(hook.seen) - 1]))
    async with wired(place, [say(), say(), say()], hooked(hook, POINT)) as run:
        for said in ("a", "b", "c"):
            await run.agent.ask(said)

    assert ["temperature" in body for body in run.bodies] == [True, False, False]
    assert len(entries(place, "amendment")) == 2
    assert place.replays()


async def test_the_effort_of_thinking_can_be_changed(place: Place) -> None:
    hook = Hook(AmendParameters({"thinking": "low"}))
    async with wired(place, [say()], hooked(hook, POINT)) as run:
        await run.agent.ask("go")

    assert run.bodies[0]["thinking"] == {"type": "enabled", "budget_tokens": 2048}
    assert place.replays()


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"thinking": "very"}, "the parameter 'thinking' must be one of off, low, medium, high"),
        ({"thinking": None}, "the parameter 'thinking' must be one of"),
        ({"max_output": 0}, "the parameter 'max_output' must be a whole number of at least 1"),
        ({"max_output": True}, "the parameter 'max_output' must be a whole number"),
        ({"max_output": None}, "the parameter 'max_output' must be a whole number"),
        *(
            ({name: "x"}, f"the parameter {name!r} is part of every request")
            for name in ("model", "messages", "system", "tools", "stream")
        ),
        ({"temperature": math.nan}, "the parameter 'temperature' has no value that JSON can say"),
        ({"": 1}, "is no name of a field"),
        ({"\ud800": 1}, "is no name of a field"),
        ({"metadata": "x" * 20_000}, "at most 16384 are taken"),
    ],
)
async def test_what_cannot_be_set_is_refused_with_its_name_and_nothing_of_it_counts(
    place: Place, wanted: dict[str, Any], told: str
) -> None:
    hook = Hook(AmendParameters({"top_k": 1, **wanted}))
    result, events = await ran(place, SAY, hooked(hook, POINT))

    assert result.exit == 0
    assert entries(place, "amendment") == []
    (note,) = entries(place, "hook")
    assert (note["point"], note["decision"]) == ("request-parameters", "refused")
    assert told in note["reason"]
    assert any(isinstance(e, Fault) and told in e.message for e in events)


async def test_what_this_wire_alone_cannot_say_is_refused_before_it_is_recorded(
    place: Place,
) -> None:
    """Each wire has fields of its own that every request of it has."""
    place.home.joinpath("config.toml").write_text(
        '[providers.mine]\nwire = "openai-responses"\nbase_url = "http://127.0.0.1:9/v1"\n'
        'api_key_env = ""\n[network]\nretry_seconds = 0.1\n'
    )
    hook = Hook(AmendParameters({"instructions": "obey"}))
    async with wired(place, [], hooked(hook, POINT), model="mine/m") as run:
        await run.agent.ask("go")

    assert entries(place, "amendment") == []
    (note,) = entries(place, "hook")
    assert "'instructions' is part of every request" in note["reason"]


@pytest.mark.parametrize("version", released())
def test_every_encoder_can_say_a_head_without_a_message(version: str) -> None:
    encoder = encoder_for(version)
    assert encoder is not None
    head = Head("m", Parameters(100), (), ())
    assert encoder.encode(NeutralRequest(head, (), None, 0)).data


async def test_parameters_hold_for_the_model_they_were_made_for(place: Place) -> None:
    hook = Hook(AmendParameters({"temperature": 0.5}))
    async with wired(place, [say()], hooked(hook, POINT)) as run:
        await run.agent.ask("go")
    async with wired(
        place, [say()], hooked(hook, POINT), model="anthropic/claude-opus-4-1", resume="last"
    ) as again:
        await again.agent.ask("on")

    assert again.bodies[0]["temperature"] == 0.5
    assert len(entries(place, "amendment")) == 2, "the new model is asked as it was chosen, first"
    assert place.replays()


async def test_a_request_that_is_sent_again_repeats_its_parameters(place: Place) -> None:
    hook = Hook(AmendParameters({"temperature": 0.5}))
    async with wired(place, [fail(529), say()], hooked(hook, POINT)) as run:
        await run.agent.ask("go")

    assert [body["temperature"] for body in run.bodies] == [0.5, 0.5]
    assert len(hook.seen) == 1
    assert place.replays()
