"""Questions of MCP servers, put to the person: one at a time, and nothing is sent unchecked.

A server's wish becomes a form, or is declined when it cannot be read. What the person fills in is
checked against the form, and must not hold a secret that we know of.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from msgspec import Struct

from induscode.crew.delegates.person import delegate_person
from induscode.errors import IndusError
from induscode.interop.ground import Asked, Reply
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.events import Event, Fault, FormAsked, FormClosed
from induscode.kernel.form import Declined, Dismissed, Filled, Form, FormAnswer, FormValue
from induscode.kernel.form_schema import UnreadableForm, form_of_schema, form_of_url
from induscode.kernel.form_values import form_problem
from induscode.kernel.ids import IdMint
from induscode.kernel.person import Person
from induscode.kernel.scrubbing import Scrubber, scrubbed

__all__ = ["FAULTS_MOST", "WAITING_MOST", "Asking", "Record", "Telling", "asks"]

WAITING_MOST = 16
"""Questions of one session that are open or wait for their turn; one more is declined."""

FAULTS_MOST = 20
"""Different faults that are told of a session's questions."""


Record = Callable[[str, str, str], Awaitable[None]]
"""Keeps that a feature's question, in these words, was answered so. Raises `IndusError`."""


class Telling(Struct, frozen=True):
    """Who hears of questions: `tell` which form is open and when it is closed, `record` how it was
    answered, before the server does."""

    tell: Callable[[Event], None]
    record: Record


def asks(person: Person | None, telling: Telling, clock: Clock, secrets: Scrubber) -> Asking | None:
    """What answers servers in the name of `person`; None where there is nobody, so that every
    question is declined."""
    return Asking(person, telling, clock, secrets) if person is not None else None


class Asking:
    """The questions of one session; each call is an `interop.ground.Ask`. Cancelling whoever awaits
    it withdraws the question. Raises nothing else."""

    def __init__(self, person: Person, telling: Telling, clock: Clock, secrets: Scrubber) -> None:
        self._person = person
        self._tell = telling.tell
        self._record = telling.record
        self._clock = clock
        self._secrets = secrets
        self._mint = IdMint(clock)
        self._alone = asyncio.Lock()
        self._waiting = 0
        self._faults: set[str] = set()

    async def __call__(self, asked: Asked) -> Reply:
        by = f"the MCP server {asked.server!r}"
        try:
            form = self._form(by, asked)
        except UnreadableForm as error:
            self._fault(f"{by} asked what cannot be put to you: {error.message}; it was declined")
            return Reply()
        if self._waiting >= WAITING_MOST:
            self._fault(f"{by} asked while {WAITING_MOST} questions wait; it was declined")
            return Reply()
        self._waiting += 1
        try:
            return await self._in_turn(asked.server, form)
        finally:
            self._waiting -= 1

    def _form(self, by: str, asked: Asked) -> Form:
        """Raises `UnreadableForm`."""
        number = self._mint.mint()
        if asked.url:
            return form_of_url(number, by, asked.message, asked.url)
        return form_of_schema(number, by, asked.message, asked.schema or {})

    async def _in_turn(self, server: str, form: Form) -> Reply:
        delegate = delegate_person()
        async with self._alone:
            self._tell(_event(delegate.named(form) if delegate else form, self._now()))
            how = "withdrawn"
            try:
                answer = await self._answered(form, delegate or self._person)
                answer = await self._kept(server, form, answer)
                how = _how(answer)
            finally:
                self._tell(FormClosed(id=form.id, how=how, at=self._now()))
        match answer:
            case Filled(values):
                return Reply(accepted=True, content=None if form.url else _content(form, values))
            case Declined():
                return Reply()
            case Dismissed():
                return Reply(dismissed=True)

    async def _answered(self, form: Form, person: Person) -> FormAnswer:
        """What may be told of what they said. Whoever stands for the person may fail; that is told
        to people, and the server hears a no."""
        filling = person.fill(form, CancelToken())
        (answer,) = await asyncio.gather(filling, return_exceptions=True)
        match answer:
            case BaseException():
                why = f"it failed ({type(answer).__name__}: {answer})"
            case Filled(values):
                why = self._problem(form, values)
                if not why:
                    return answer
            case Declined() | Dismissed():
                return answer
        self._fault(f"what was to be answered to {form.by} was not sent: {why}")
        return Declined()

    async def _kept(self, server: str, form: Form, answer: FormAnswer) -> FormAnswer:
        """The answer, when it is on the record; what cannot be recorded is not sent."""
        try:
            await self._record(f"mcp:{server}", form.message or form.url, _how(answer))
        except IndusError as error:
            self._fault(f"what was to be answered to {form.by} was not sent: {error}")
            return Declined()
        return answer

    def _problem(self, form: Form, values: Mapping[str, FormValue]) -> str:
        if problem := form_problem(form, values):
            return problem
        plain = dict(values)
        if scrubbed(plain, self._secrets) != plain:
            return "it held a secret of yours, which no server needs to be told this way"
        return ""

    def _fault(self, sentence: str) -> None:
        if sentence in self._faults or len(self._faults) >= FAULTS_MOST:
            return
        self._faults.add(sentence)
        if len(self._faults) == FAULTS_MOST:
            sentence += "; what else is wrong with questions of servers is not told any more"
        self._tell(Fault(message=sentence, at=self._now()))

    def _now(self) -> str:
        return iso(self._clock.now_ms())


def _event(form: Form, at: str) -> FormAsked:
    return FormAsked(
        id=form.id,
        by=form.by,
        message=form.message,
        fields=list(form.fields),
        url=form.url,
        host=form.host,
        asker=form.asker,
        at=at,
    )


def _how(answer: FormAnswer) -> str:
    match answer:
        case Filled():
            return "accept"
        case Declined():
            return "decline"
        case Dismissed():
            return "cancel"


def _content(form: Form, values: Mapping[str, FormValue]) -> dict[str, FormValue | None]:
    """In the order of the form, with null where one is wanted for what was left out."""
    return {
        field.name: values.get(field.name)
        for field in form.fields
        if field.name in values or field.or_null
    }
