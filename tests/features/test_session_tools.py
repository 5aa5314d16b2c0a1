"""A feature's tools in real sessions: offered, gated, bounded and logged like ours."""

from __future__ import annotations

import pytest

from induscode.sdk import OwnFeature
from tests.channels.place import Place
from tests.features.sessions import (
    CALL,
    Weather,
    entries,
    ran,
    weather,
)
from tests.requirements import requirement


@requirement(
    "feature.tool.same-history",
    "feature.tool.schema-visible",
    "feature.tool.no-auto-prefix",
    "feature.no-dispatcher-tool",
    "feature.startup.tools-before-request",
)
async def test_a_feature_s_tool_is_offered_called_and_logged_like_any_other(place: Place) -> None:
    tool = Weather()
    result, _ = await ran(place, CALL, weather(tool))

    assert (result.text, tool.ran) == ("Done.", [{"town": "Cork"}])
    (toolset,) = entries(place, "toolset")
    row = next(row for row in toolset["tools"] if row["name"] == "weather")
    assert row["by"] == "user:forecast"
    (intent,) = entries(place, "intent")
    (ended,) = entries(place, "result")
    assert (intent["tool"], intent["by"]) == ("weather", "user:forecast")
    assert (ended["outcome"], ended["by"]) == ("ok", "user:forecast")
    assert place.replays()


@requirement(
    "feature.tool.same-permission-path",
    "feature.tool.enablement-not-permission",
    "feature.forbidden.bypass-permission",
)
@pytest.mark.parametrize(("mode", "outcome"), [("plan", "denied"), ("ask", "refused")])
async def test_an_installed_tool_is_not_a_permitted_one(
    place: Place, mode: str, outcome: str
) -> None:
    tool = Weather()
    await ran(place, CALL, weather(tool), mode=mode)

    assert tool.ran == []
    assert [entry["outcome"] for entry in entries(place, "result")] == [outcome]


@requirement("feature.tool.same-bounds")
async def test_a_feature_s_tool_says_no_more_than_ours_may(place: Place) -> None:
    await ran(place, CALL, weather(Weather("x" * 2_000_000)))

    (ended,) = entries(place, "result")
    text = ended["content"][0]["text"]
    assert len(text) < 100_000
    assert "the whole text is in" in text


async def test_arguments_that_do_not_fit_the_schema_never_reach_the_feature(place: Place) -> None:
    tool = Weather()
    await ran(place, CALL.replace('town = "Cork"', "town = 7"), weather(tool))

    assert tool.ran == []
    assert [entry["outcome"] for entry in entries(place, "result")] == ["invalid"]


@requirement("feature.forbidden.outside-registry", "feature.capability.not-assumed")
async def test_without_its_grant_a_tool_is_not_offered_and_cannot_be_called(place: Place) -> None:
    tool = Weather()
    own = weather(tool)
    await ran(place, CALL, OwnFeature(own.module, ()))

    assert tool.ran == []
    assert [entry["outcome"] for entry in entries(place, "result")] == ["invalid"]
    names = [row["name"] for row in entries(place, "toolset")[0]["tools"]]
    assert "weather" not in names
