"""Questions of real servers, put to a person one at a time and checked before they are answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from induscode.boot.mcp.asking import FAULTS_MOST, WAITING_MOST, Asking, Telling, asks
from induscode.crew.delegates.deadline import Deadline
from induscode.crew.delegates.person import DelegatePerson
from induscode.errors import LogDown
from induscode.interop.ground import Asked, Reply
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import SystemClock
from induscode.kernel.events import Event, Fault, FormAsked, FormClosed
from induscode.kernel.form import Declined, Dismissed, Filled, Form, FormAnswer
from induscode.kernel.person import PersonAnswer, Question
from tests.interop.harbour import Harbour, odd, raw, said, until

NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
KEY = "sk-live-0123456789abcdef"
Fill = Callable[[Form], FormAnswer | None]


class Someone:
    """A person who fills in forms by a function; None keeps the form open for ever."""

    def __init__(self, fill: Fill) -> None:
        self.forms: list[Form] = []
        self.open = 0
        self._fill = fill

    async def ask(self, question: Question, cancel: CancelToken) -> PersonAnswer:
        raise AssertionError("nothing asks for permission here")

    async def fill(self, form: Form, cancel: CancelToken) -> FormAnswer:
        self.forms.append(form)
        self.open += 1
        try:
            answer = self._fill(form)
            if answer is None:
                await cancel.run(asyncio.Event().wait())
                raise AssertionError("nobody answers that")
            return answer
        finally:
            self.open -= 1


class Desk:
    """Who answers for the person, and what is told meanwhile."""

    def __init__(self, harbour: Harbour, fill: Fill) -> None:
        self.person = Someone(fill)
        self.heard: list[Event] = []
        harbour.secrets.add("A_KEY", KEY)
        self.kept: list[tuple[str, str, str]] = []
        self.log_is_down = False
        self.telling = Telling(self.heard.append, self._keep)
        made = asks(self.person, self.telling, SystemClock(), harbour.secrets)
        assert made is not None
        self.ask: Asking = made

    async def _keep(self, feature: str, said: str, how: str) -> None:
        if self.log_is_down:
            raise LogDown("no space is left")
        self.kept.append((feature, said, how))

    def faults(self) -> list[str]:
        return [event.message for event in self.heard if isinstance(event, Fault)]

    def ends(self) -> list[str]:
        return [event.how for event in self.heard if isinstance(event, FormClosed)]


def question(schema: Mapping[str, Any] = NAME, server: str = "s") -> Asked:
    return Asked(server, "Who?", schema)


def elicit(schema: Mapping[str, Any]) -> dict[str, Any]:
    params = {"message": "Who?", "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def test_without_a_person_there_is_nothing_to_ask_with(harbour: Harbour) -> None:
    assert asks(None, Desk(harbour, lambda _: None).telling, SystemClock(), harbour.secrets) is None


@pytest.mark.parametrize(
    ("answer", "how"),
    [(Filled({"name": "Ada"}), "accept"), (Declined(), "decline"), (Dismissed(), "cancel")],
)
async def test_how_a_question_was_answered_is_kept_and_the_words_of_the_answer_are_not(
    harbour: Harbour, answer: FormAnswer, how: str
) -> None:
    desk = Desk(harbour, lambda _: answer)

    await desk.ask(question())

    assert desk.kept == [("mcp:s", "Who?", how)]


async def test_an_answer_that_cannot_be_kept_is_not_sent(harbour: Harbour) -> None:
    desk = Desk(harbour, lambda _: Filled({"name": "Ada"}))
    desk.log_is_down = True

    assert await desk.ask(question()) == Reply()

    assert "was not sent: no space is left" in desk.faults()[0]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Filled({"name": "Ada"}), {"action": "accept", "content": {"name": "Ada"}}),
        (Declined(), {"action": "decline"}),
        (Dismissed(), {"action": "cancel"}),
    ],
)
async def test_what_the_person_says_reaches_the_server(
    harbour: Harbour, answer: FormAnswer, told: dict[str, Any]
) -> None:
    desk = Desk(harbour, lambda _: answer)
    fleet = await harbour.fleet(raw("asking"), ask=desk.ask)
    outcome = await fleet.run("asking__ping", elicit(NAME))
    assert json.loads(said(outcome))["result"] == told
    (asked,) = [event for event in desk.heard if isinstance(event, FormAsked)]
    assert (asked.by, asked.message) == ("the MCP server 'asking'", "Who?")
    assert (asked.id, list(desk.person.forms[0].fields)) == (desk.person.forms[0].id, asked.fields)
    assert desk.ends() == [told["action"]]


async def test_what_a_newer_server_asks_reaches_the_person(harbour: Harbour) -> None:
    desk = Desk(harbour, lambda _: Filled({"name": "Ada"}))
    fleet = await harbour.fleet(odd(), ask=desk.ask)
    assert said(await fleet.run("odd__greet", {})) == "Hello Ada."


@pytest.mark.parametrize("server", ["asking", "odd"])
async def test_a_cancelled_call_withdraws_its_question(harbour: Harbour, server: str) -> None:
    desk = Desk(harbour, lambda _: None)
    fleet = await harbour.fleet(odd() if server == "odd" else raw("asking"), ask=desk.ask)
    name, words = ("odd__greet", {}) if server == "odd" else ("asking__ping", elicit(NAME))
    call = asyncio.ensure_future(fleet.run(name, words))
    await until(lambda: desk.person.open)
    call.cancel()
    await asyncio.wait({call})
    await until(lambda: not desk.person.open)
    await until(lambda: desk.ends() == ["withdrawn"])


async def test_the_end_of_the_connection_withdraws_its_question(harbour: Harbour) -> None:
    desk = Desk(harbour, lambda _: None)
    fleet = await harbour.fleet(raw("asking"), ask=desk.ask)
    call = asyncio.ensure_future(fleet.run("asking__ping", elicit(NAME)))
    await until(lambda: desk.person.open)
    await fleet.close()
    await until(lambda: desk.ends() == ["withdrawn"])
    await asyncio.wait({call})


async def test_a_question_in_a_delegate_s_call_goes_to_its_own_person(harbour: Harbour) -> None:
    desk = Desk(harbour, lambda _: Declined())
    fleet = await harbour.fleet(raw("asking"), odd(), ask=desk.ask)
    deadline = Deadline(30, lambda: None)
    middle = DelegatePerson(desk.person, "delegate middle: begin", deadline)
    leaf = DelegatePerson(middle, "delegate leaf: go on", deadline)
    with leaf.at_work():
        await fleet.run("asking__ping", elicit(NAME))
        await fleet.run("odd__greet", {})
    await fleet.run("asking__ping", elicit(NAME))
    told = "delegate leaf: go on, sent by delegate middle: begin"
    assert [form.asker for form in desk.person.forms] == [told, told, ""]
    events = [event for event in desk.heard if isinstance(event, FormAsked)]
    assert [event.asker for event in events] == [told, told, ""]


async def test_one_question_at_a_time_is_open_and_a_crowd_is_sent_away(harbour: Harbour) -> None:
    desk = Desk(harbour, lambda _: None)
    waiting = [asyncio.ensure_future(desk.ask(question())) for _ in range(WAITING_MOST)]
    await until(lambda: desk.person.open)
    assert await desk.ask(question(server="late")) == Reply()
    assert desk.faults() == [
        f"the MCP server 'late' asked while {WAITING_MOST} questions wait; it was declined"
    ]
    for _ in waiting:
        assert desk.person.open == 1
        seen = len(desk.person.forms)
        waiting[seen - 1].cancel()
        await until(lambda seen=seen: len(desk.person.forms) > seen or not desk.person.open)
    assert len(desk.person.forms) == WAITING_MOST
    late = asyncio.ensure_future(desk.ask(question(server="late")))
    await until(lambda: desk.person.open)
    late.cancel()
    await asyncio.wait({*waiting, late})


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({}, "'name' is missing"),
        ({"name": 7}, "'name' must be a text"),
        ({"name": "Ada", "more": 1}, "'more' is no field"),
        ({"name": f"it is {KEY}"}, "it held a secret of yours"),
    ],
)
async def test_what_may_not_be_sent_is_declined_and_told(
    harbour: Harbour, values: dict[str, Any], why: str
) -> None:
    desk = Desk(harbour, lambda _: Filled(values))
    assert await desk.ask(question()) == Reply()
    (fault,) = desk.faults()
    assert fault.startswith("what was to be answered to the MCP server 's' was not sent: ")
    assert why in fault
    assert KEY not in fault
    assert desk.ends() == ["decline"]


async def test_a_program_that_fails_in_the_person_s_place_is_a_fault_and_a_no(
    harbour: Harbour,
) -> None:
    def broken(form: Form) -> FormAnswer:
        raise ZeroDivisionError("oh")

    desk = Desk(harbour, broken)
    assert await desk.ask(question()) == Reply()
    assert "it failed (ZeroDivisionError: oh)" in desk.faults()[0]


async def test_what_was_left_out_is_null_where_the_server_wants_one(harbour: Harbour) -> None:
    either = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    schema = {"properties": {"a": either, "b": either}, "required": ["a"]}
    desk = Desk(harbour, lambda _: Filled())
    assert await desk.ask(question(schema)) == Reply(accepted=True, content={"a": None})


async def test_what_cannot_be_read_is_declined_and_told_within_a_bound(harbour: Harbour) -> None:
    desk = Desk(harbour, lambda _: Declined())
    for _ in range(2):
        for number in range(2 * FAULTS_MOST):
            odd_schema = {"properties": {f"f{number}": {"type": "object"}}}
            assert await desk.ask(question(odd_schema)) == Reply()
    assert desk.person.forms == []
    assert len(desk.faults()) == FAULTS_MOST
    assert desk.faults()[-1].endswith("is not told any more")
    assert "'f0' is no text, number, yes or no, or choice" in desk.faults()[0]


async def test_a_page_is_accepted_without_content(harbour: Harbour) -> None:
    desk = Desk(harbour, lambda _: Filled())
    asked = Asked("s", "Go there.", url="https://example.com/a")
    assert await desk.ask(asked) == Reply(accepted=True)
    assert desk.person.forms[0].host == "example.com"
