"""A program that answers what MCP servers ask, in a whole session with a real server."""

from __future__ import annotations

import pytest

from induscode.kernel.form import FormAnswer
from induscode.sdk import Agent, Declined, Dismissed, Filled, Form, errors, events
from tests.channels.forms import asking, form, told
from tests.channels.place import Place

ACCEPTED = {"account": "acme", "region": "us", "news": True}


@pytest.fixture
def place(tmp_path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    monkeypatch.chdir(place.workspace)
    return place


@pytest.mark.parametrize(
    ("answer", "heard"),
    [
        (Filled(ACCEPTED), {"action": "accept", "content": ACCEPTED}),
        (Declined(), {"action": "decline"}),
        (Dismissed(), {"action": "cancel"}),
        (None, {"action": "decline"}),
        (Filled({"account": "x"}), {"action": "decline"}),
    ],
)
async def test_a_program_fills_in_forms(
    place: Place, answer: FormAnswer | None, heard: dict
) -> None:
    asked: list[Form] = []

    async def on_form(form: Form) -> FormAnswer | None:
        asked.append(form)
        return answer

    _, model, *_ = asking(place, form())
    async with Agent(
        model, mode="full", home=place.home, environ=place.environ, on_form=on_form
    ) as agent:
        seen = [event async for event in agent.run("go")]
    assert [each.by for each in asked] == ["the MCP server 'crm'"]
    shown = [event for event in seen if isinstance(event, events.FormAsked | events.FormClosed)]
    assert [type(event).__name__ for event in shown] == ["FormAsked", "FormClosed"]
    assert told(place) == [heard]
    faults = [event.message for event in seen if isinstance(event, events.Fault)]
    assert any("was not sent" in fault for fault in faults) == (answer == Filled({"account": "x"}))


async def test_a_program_that_only_fills_in_forms_allows_nothing(place: Place) -> None:
    async def on_form(form: Form) -> FormAnswer:
        raise errors.UserError("nothing asks")

    _, model, *_ = asking(place, form())
    async with Agent(
        model, mode="ask", home=place.home, environ=place.environ, on_form=on_form
    ) as agent:
        result = await agent.ask("go")
    assert result.exit == 3
    [approval] = [entry for entry in place.entries() if entry["type"] == "approval"]
    assert approval["answer"] == "nobody"


async def test_a_program_that_only_allows_calls_declines_forms(place: Place) -> None:
    async def yes(question: object) -> None:
        return None

    _, model, *_ = asking(place, form())
    async with Agent(
        model, mode="full", home=place.home, environ=place.environ, on_approval=yes
    ) as agent:
        await agent.ask("go")
    assert told(place) == [{"action": "decline"}]
