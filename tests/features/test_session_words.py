"""What features say in real sessions: to the model by an entry, to the person without a trace."""

from __future__ import annotations

import json
import subprocess

import pytest

from induscode.feature.capability import (
    AnyCapability,
    ContributeCommand,
    ContributeFragment,
    ContributeHook,
    EmitAlert,
    EmitModelNotification,
)
from induscode.feature.command import CommandContribution, CommandOutcome, Say, Submit
from induscode.feature.descriptor import DescriptorBuilder
from induscode.feature.fragment import FragmentContribution
from induscode.feature.hook_views import (
    Continue,
    ReplaceResult,
)
from induscode.feature.points import HookPoint
from induscode.feature.registry import FeatureInstallContext
from induscode.kernel.events import Alert, Fault
from induscode.sdk import OwnFeature
from tests.channels.place import BOUND, INDUS, Place
from tests.features.sessions import (
    CALL,
    POST,
    SAY,
    Custom,
    Hook,
    Weather,
    entries,
    ran,
    weather,
    why,
)
from tests.requirements import requirement


class Voice:
    """A feature that says something to the model and to the person when a tool is called."""

    def __init__(self, *granted: AnyCapability) -> None:
        self.answers: list[bool] = []
        self.context: FeatureInstallContext | None = None
        self.granted = granted

    def own(self) -> OwnFeature:
        def install(ctx: FeatureInstallContext) -> None:
            self.context = ctx
            ctx.hooks.post_tool_call("speak", Hook(lambda _: Continue()))
            ctx.hooks.turn_end("tell", self)

        def declare(made: DescriptorBuilder) -> None:
            made.hook("speak", POST).hook("tell", HookPoint.TURN_END)

        needed = (ContributeHook(POST), ContributeHook(HookPoint.TURN_END))
        return OwnFeature(Custom(declare, install, "voice"), (*needed, *self.granted))

    async def on_turn_end(self, event: object) -> None:
        assert self.context is not None
        self.answers.append(await self.context.notify.notify_model("The tide is high."))
        self.answers.append(self.context.alerts.alert("look out"))


@requirement(
    "feature.notify.durable",
    "feature.notify.wire-equals-disk",
    "feature.alert.transient",
    "feature.hook.model-text-through-notify",
)
async def test_a_notice_is_an_entry_and_an_alert_is_not(place: Place) -> None:
    voice = Voice(EmitModelNotification(), EmitAlert())
    _, events = await ran(place, SAY, voice.own())

    assert voice.answers == [True, True]
    (notice,) = entries(place, "notice")
    assert (notice["text"], notice["by"]) == ("The tide is high.", "user:voice")
    noticed = [event for event in events if getattr(event, "by", "") == "user:voice"]
    assert [getattr(event, "text", "") for event in noticed] == ["The tide is high."]
    alerts = [event.text for event in events if isinstance(event, Alert)]
    assert "user:voice: look out" in alerts
    assert "look out" not in place.logs()[0].read_text()


@requirement(
    "feature.sinks.without-grant",
    "feature.sinks.distinct-capabilities",
    "feature.capability.emit-model-notification",
    "feature.capability.emit-alert",
)
@pytest.mark.parametrize(
    ("granted", "answers"),
    [
        ((EmitModelNotification(),), [True, False]),
        ((EmitAlert(),), [False, True]),
        ((), [False, False]),
    ],
    ids=["notify", "alert", "nothing"],
)
async def test_each_sink_needs_its_own_grant(
    place: Place, granted: tuple[AnyCapability, ...], answers: list[bool]
) -> None:
    voice = Voice(*granted)
    _, events = await ran(place, SAY, voice.own())

    assert voice.answers == answers
    assert len(entries(place, "notice")) == answers[0]
    assert any(isinstance(e, Alert) and "look out" in e.text for e in events) == answers[1]
    assert any(isinstance(e, Fault) and "user:voice" in e.message for e in events)


@requirement("feature.durable-explanation", "feature.forbidden.uncommitted-text")
async def test_why_names_feature_digest_and_grant_for_all_that_a_feature_produced(
    place: Place,
) -> None:
    def declare(made: DescriptorBuilder) -> None:
        made.fragment("tides", "guidelines").hook("replace", POST)

    def install(ctx: FeatureInstallContext) -> None:
        ctx.fragments.register(FragmentContribution("tides", "Mind the tides of Fundy."))
        ctx.hooks.post_tool_call("replace", Hook(ReplaceResult("sunshine over Cork")))

    granted = (ContributeFragment("guidelines"), ContributeHook(POST))
    speaking = Voice(EmitModelNotification())
    shaping = OwnFeature(Custom(declare, install, "shaping"), granted)
    await ran(place, CALL, weather(Weather()), shaping, speaking.own())
    followed = subprocess.run(
        [*INDUS, "-p", "more", "-c", "-m", place.script(SAY * 4)],
        cwd=place.workspace, env=place.environ, capture_output=True, timeout=BOUND, check=False,
    )  # fmt: skip
    assert followed.returncode == 0

    for text, feature in (
        ("Mind the tides of Fundy.", "user:shaping"),
        ("Say what the weather is.", "user:forecast"),
        ("sunshine over Cork", "user:shaping"),
        ("The tide is high.", "user:voice"),
    ):
        told = why(place, text)
        assert feature in told, text
        digest = next(
            row["package"]
            for entry in entries(place, "install")
            for row in entry["features"]
            if row["id"] == feature
        )
        assert digest[:12] in told, text
        assert "user: contribute-" in told, text


@requirement("feature.command-input-durable")
@pytest.mark.parametrize(
    ("outcome", "said", "inputs"),
    [(Say("Half past two."), "Half past two.", 0), (Submit("What time is it?"), "Done.", 1)],
    ids=["say", "submit"],
)
async def test_a_command_speaks_to_the_person_or_becomes_an_input(
    place: Place, outcome: CommandOutcome, said: str, inputs: int
) -> None:
    class Clock:
        def __init__(self) -> None:
            self.given: list[str] = []

        async def run(self, arguments: str) -> CommandOutcome:
            self.given.append(arguments)
            return outcome

    clock = Clock()
    own = OwnFeature(
        Custom(
            lambda made: made.command("time", "say the time"),
            lambda ctx: ctx.commands.register(CommandContribution("time", clock)),
        ),
        (ContributeCommand("time"),),
    )
    result, _ = await ran(place, SAY, own, said="/time in  Cork")

    assert (result.text, clock.given) == (said, ["in  Cork"])
    assert len(place.logs()) == inputs
    if inputs:
        (entry,) = entries(place, "input")
        assert entry["content"][0]["text"] == "What time is it?"


async def test_a_command_that_fails_is_a_fault_and_not_a_prompt(place: Place) -> None:
    class Broken:
        async def run(self, arguments: str) -> CommandOutcome:
            raise RuntimeError("spring broken")

    own = OwnFeature(
        Custom(
            lambda made: made.command("time"),
            lambda ctx: ctx.commands.register(CommandContribution("time", Broken())),
        ),
        (ContributeCommand("time"),),
    )
    result, events = await ran(place, SAY, own, said="/time")

    assert result.exit == 1
    assert any(isinstance(e, Fault) and "spring broken" in e.message for e in events)
    assert place.logs() == []


@requirement("feature.work-item.off-until-configured")
def test_the_work_item_feature_is_off_until_it_is_configured(place: Place) -> None:
    def listed() -> list[str]:
        done = place.run("feature", "list", "--json")
        return [report["feature_id"] for report in json.loads(done.stdout)]

    before = listed()
    (place.home / "config.toml").write_text("[features]\nwork-item = true\n")

    assert "builtin:work-item" not in before
    assert listed() == [*before, "builtin:work-item"]
