"""A feature that guarded calls and cannot run any more leaves no door open."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from induscode.feature.capability import ContributeHook
from induscode.feature.descriptor import DescriptorBuilder, FeatureDescriptor, FeatureId
from induscode.feature.hook import FailurePolicy, HookDeclaration
from induscode.feature.hook_views import Continue
from induscode.feature.hosting.grant_store import GrantStore
from induscode.feature.points import HookPoint
from induscode.feature.registry import FeatureInstallContext
from induscode.sdk import OwnFeature
from tests.channels.place import Place
from tests.features.sessions import CALL, Hook, Weather, entries, ran, weather
from tests.requirements import requirement

PRE = HookPoint.PRE_TOOL_CALL
GRANTED = (ContributeHook(PRE),)


class Guard:
    """Guards one tool; `breaks` says how it is broken this time."""

    def __init__(self, breaks: str = "", tools: tuple[str, ...] = ("weather",)) -> None:
        self._breaks = breaks
        self._tools = tools

    def descriptor(self) -> FeatureDescriptor:
        if self._breaks == "descriptor":
            raise RuntimeError("no descriptor today")
        made: DescriptorBuilder = FeatureDescriptor.builder(FeatureId.user("guarding"))
        if self._breaks != "undeclared":
            failure = FailurePolicy.REPORT if self._breaks == "softened" else FailurePolicy.DENY
            made.hook(HookDeclaration("guard", PRE, tools=self._tools, failure=failure))
        return made.build()

    def install(self, ctx: FeatureInstallContext, /) -> None:
        if self._breaks in {"install", "undeclared"}:
            raise RuntimeError("no install today")
        if self._breaks != "forgets":
            ctx.hooks.pre_tool_call("guard", Hook(Continue()))


async def called(place: Place, *features: OwnFeature) -> str:
    """How a call of the guarded tool ends in a session with these features."""
    before = set(place.logs())
    await ran(place, CALL, weather(Weather()), *features)
    (fresh,) = set(place.logs()) - before
    fresh.rename(fresh.with_name("the.jsonl"))
    outcomes = [entry["outcome"] for entry in entries(place, "result")]
    fresh.with_name("the.jsonl").unlink()
    return outcomes[0]


@requirement("invariant.07.broken-feature-denies")
@pytest.mark.parametrize("breaks", ["install", "descriptor", "forgets", "undeclared"])
async def test_what_a_broken_feature_guarded_stays_shut(place: Place, breaks: str) -> None:
    assert await called(place, OwnFeature(Guard(), GRANTED)) == "ok"

    assert await called(place, OwnFeature(Guard(breaks), GRANTED)) == "denied"
    assert await called(place, OwnFeature(Guard(), GRANTED)) == "ok", "mended"


async def test_a_guard_whose_grant_is_gone_leaves_the_door_shut(place: Place) -> None:
    assert await called(place, OwnFeature(Guard(), GRANTED)) == "ok"

    assert await called(place, OwnFeature(Guard(), ())) == "denied"


async def test_the_refusal_names_the_feature_and_that_it_did_not_start(place: Place) -> None:
    await called(place, OwnFeature(Guard(), GRANTED))
    await ran(place, CALL, weather(Weather()), OwnFeature(Guard("install"), GRANTED))

    (note,) = entries(place, "hook")
    assert (note["by"], note["decision"]) == ("user:guarding", "not-started")
    assert "no install today" in note["reason"]


async def test_a_feature_that_never_stood_guard_shuts_nothing(place: Place) -> None:
    assert await called(place, OwnFeature(Guard("install"), GRANTED)) == "ok"


async def test_other_tools_stay_open(place: Place) -> None:
    await called(place, OwnFeature(Guard(tools=("bash",)), GRANTED))

    assert await called(place, OwnFeature(Guard("install", ("bash",)), GRANTED)) == "ok"


@pytest.mark.parametrize(
    "gone",
    [
        lambda _: (),
        lambda _: (OwnFeature(Guard("softened"), GRANTED),),
        lambda place: GrantStore(place.home).forget("user:guarding") and (),
    ],
    ids=["taken away", "no guard any more", "forgotten"],
)
async def test_a_gate_that_was_taken_down_on_purpose_is_gone(
    place: Place, gone: Callable[[Place], tuple[OwnFeature, ...]]
) -> None:
    await called(place, OwnFeature(Guard(), GRANTED))

    assert await called(place, *gone(place)) == "ok"
