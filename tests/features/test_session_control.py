"""What a feature does to its session: a word to the model, another model, another effort."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from induscode.boot import features
from induscode.errors import HandleClosed, ServiceRefused
from induscode.feature.capability import (
    AnyCapability,
    ContributeHook,
    SendMessage,
    SetModel,
    SetThinking,
)
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.points import HookPoint
from induscode.feature.registry import FeatureInstallContext, Package
from induscode.feature.services import Denied, SessionControl, Unavailable
from induscode.sdk import Agent, OwnFeature
from tests.channels.place import Place
from tests.features.deployer import AfterAnswer, deployer
from tests.features.services.desk import Desk
from tests.features.sessions import SAY, Custom, entries, ran, why
from tests.requirements import requirement

AFTER = HookPoint.POST_ASSISTANT
TWICE = '[[answer]]\ntext = "One."\n[[answer]]\ntext = "Two."\n[[answer]]\ntext = "Three."\n'
FEATURE = "user:custom"


class Acting:
    """A feature that acts on the session when the model has answered."""

    def __init__(self, *granted: AnyCapability) -> None:
        self.granted = granted
        self.context: FeatureInstallContext | None = None
        self.faults: list[BaseException] = []
        self.acts: list[Any] = []

    def session(self, wanted: SendMessage | SetModel | SetThinking) -> Any:
        assert self.context is not None
        return self.context.services.session(wanted)

    async def _act(self) -> None:
        if self.acts:
            try:
                await self.acts.pop(0)()
            except (ServiceRefused, HandleClosed) as fault:
                self.faults.append(fault)

    def own(self) -> OwnFeature:
        def install(ctx: FeatureInstallContext) -> None:
            self.context = ctx
            ctx.hooks.post_assistant("act", AfterAnswer(self._act))

        made = Custom(lambda made: made.hook("act", AFTER), install)
        return OwnFeature(made, (ContributeHook(AFTER), *self.granted))


def model_of(place: Place, text: str, name: str) -> str:
    place.script(text, name)
    return f"scripted/{place.workspace / name}"


@requirement("decision.handles-are-capabilities", "addons.handles.send-message")
async def test_a_message_is_read_in_the_turn_that_runs_and_stands_in_the_log_first(
    place: Place,
) -> None:
    acting = Acting(SendMessage())
    acting.acts = [lambda: acting.session(SendMessage()).send_message("the build broke")]

    result, _ = await ran(place, TWICE, acting.own())

    assert (result.text, result.steps) == ("Two.", 2)
    [notice] = entries(place, "notice")
    assert (notice["text"], notice["by"]) == ("the build broke", FEATURE)
    requests = [entry["seq"] for entry in entries(place, "request")]
    assert requests[0] < notice["seq"] < requests[1]
    assert FEATURE in why(place, "the build broke")
    assert place.replays()


async def test_messages_are_bounded_as_notices_are(place: Place) -> None:
    acting = Acting(SendMessage())

    async def flood() -> None:
        handle = acting.session(SendMessage())
        await handle.send_message("x" * 20_000)
        for number in range(200):
            await acting.session(SendMessage()).send_message(f"{number}")

    acting.acts = [flood]
    await ran(place, TWICE, acting.own())

    notices = entries(place, "notice")
    assert len(notices) == 100
    assert len(notices[0]["text"]) < 9_000
    assert "the whole text is in" in notices[0]["text"]
    [fault] = acting.faults
    assert "at most 100 messages" in str(fault)


@requirement("addons.handles.set-model", "addons.handles.set-thinking")
async def test_a_chosen_model_and_effort_count_from_the_next_input_on_and_the_log_says_whose(
    place: Place,
) -> None:
    other = model_of(place, '[[answer]]\ntext = "Other."\n' * 3, "b.toml")
    acting = Acting(SetModel(), SetThinking())

    async def choose() -> None:
        await acting.session(SetThinking()).set_thinking("high")
        await acting.session(SetModel()).set_model(other)

    acting.acts = [choose]
    first = model_of(place, CALL_THEN_SAY, "a.toml")
    where: Any = {"cwd": place.workspace, "home": place.home, "environ": place.environ}
    async with Agent(first, features=[acting.own()], mode="full", **where) as agent:
        assert (await agent.ask("go")).text == "Still the first."
        assert (await agent.ask("again")).text == "Other."

    chosen = [entry for entry in entries(place, "hook") if entry["decision"] == "rewrite"]
    assert [(entry["point"], entry["reason"], entry["by"]) for entry in chosen] == [
        ("set-thinking", "high", FEATURE),
        ("set-model", other, FEATURE),
    ]
    before, after = entries(place, "model")
    assert (before["parameters"]["thinking"], before["reason"]) == ("off", "start")
    assert f"{after['provider']}/{after['model']}" == other
    assert (after["parameters"]["thinking"], after["reason"]) == ("high", f"set by {FEATURE}")
    assert place.replays()


CALL_THEN_SAY = """
[[answer]]
[[answer.call]]
name = "ls"
[[answer]]
text = "Still the first."
[[answer]]
text = "Not this one."
"""


async def test_a_choice_survives_a_resume_before_anything_else_was_said(place: Place) -> None:
    other = model_of(place, '[[answer]]\ntext = "Other."\n' * 2, "b.toml")
    await ran(place, SAY, deployer(), said=f"/use {other}")
    where: Any = {"cwd": place.workspace, "home": place.home, "environ": place.environ}
    async with Agent(None, features=[deployer()], resume="last", **where) as agent:
        await agent.ask("/think low")
    async with Agent(None, resume="last", **where) as agent:
        assert (await agent.ask("hello")).text == "Other."
    last = entries(place, "model")[-1]
    assert (f"scripted/{last['model']}", last["parameters"]["thinking"]) == (other, "low")
    assert place.replays()


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("/use claude", "write PROVIDER/MODEL"),
        ("/use nobody/model", "there is no provider 'nobody'"),
        ("/think hard", "use off, low, medium, high"),
    ],
)
async def test_what_cannot_be_chosen_is_refused_with_what_there_is(
    place: Place, wanted: str, said: str
) -> None:
    result, events = await ran(place, SAY, deployer(), said=wanted)

    assert result.exit == 1
    assert any(said in str(event) for event in events)
    assert place.logs() == []


async def test_a_limit_of_cost_is_not_left_by_choosing_a_model_without_a_price(
    place: Place,
) -> None:
    (place.home / "config.toml").write_text(
        f'[models."scripted/{place.workspace / "answers.toml"}"]\ninput = 1.0\noutput = 1.0\n'
    )
    other = model_of(place, SAY, "b.toml")

    result, events = await ran(place, SAY, deployer(), said=f"/use {other}", max_cost=1.0)

    assert result.exit == 1
    assert any("the price of" in str(event) for event in events)


async def test_without_the_grant_there_is_no_handle_and_a_handle_does_one_thing(
    place: Place,
) -> None:
    acting = Acting(SetThinking())
    found: list[Any] = []

    async def ask() -> None:
        found.append(acting.session(SendMessage()))
        found.append(acting.session(SetModel()))
        handle = acting.session(SetThinking())
        found.append(handle)
        await handle.set_model("scripted/b.toml")

    acting.acts = [ask]
    await ran(place, SAY, acting.own())

    assert [type(one) for one in found] == [Denied, Denied, SessionControl]
    [fault] = acting.faults
    assert "this handle is for set-thinking" in str(fault)
    with pytest.raises(HandleClosed):
        await found[2].set_thinking("low")


async def test_nothing_can_be_chosen_before_the_session_is_open(place: Place) -> None:
    held: list[Any] = []

    def install(ctx: FeatureInstallContext) -> None:
        handle = ctx.services.session(SendMessage())
        assert isinstance(handle, SessionControl)
        with pytest.raises(ServiceRefused) as refused:
            handle.send_message("early").send(None)
        held.append(refused.value.message)

    own = OwnFeature(Custom(lambda made: made, install), (SendMessage(),))
    result, _ = await ran(place, SAY, own)

    assert held == ["the session is not open yet"]
    assert result.exit == 0


class Asks:
    """A built-in feature that asks for the session wherever it is installed."""

    def __init__(self) -> None:
        self.found: list[tuple[object, object]] = []

    def descriptor(self) -> FeatureDescriptor:
        return FeatureDescriptor.builder(FeatureId.builtin("asks")).build()

    def install(self, ctx: FeatureInstallContext, /) -> None:
        services = ctx.services
        self.found.append((services.session(SetModel()), services.session(SendMessage())))


async def test_a_delegate_keeps_its_model(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    asks, known = Asks(), features.packages

    def more(*given: Any) -> list[Package]:
        return [*known(*given), Package(asks, "d" * 64, "builtin", "asks", ours=True)]

    monkeypatch.setattr(features, "packages", more)
    script = """
[[answer]]
[[answer.call]]
name = "task"
arguments = { objective = "look" }
[[answer]]
text = "Done."
"""
    await ran(place, script)

    own, *sent = asks.found
    assert [type(one) for one in own] == [SessionControl, SessionControl]
    assert sent
    for model, word in sent:
        assert isinstance(model, Unavailable)
        assert "delegate" in model.reason
        assert isinstance(word, SessionControl)


def test_where_no_session_runs_there_is_none_to_be_had(tmp_path: Path) -> None:
    services = Desk(tmp_path).handed()

    for found in (services.session(SetModel()), services.command_shell("deploy")):
        assert isinstance(found, Unavailable)
        assert found.reason == "no session runs here"
