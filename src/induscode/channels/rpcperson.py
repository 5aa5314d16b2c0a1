"""Questions and forms for a person behind a program: open until it answers, or time is up."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from induscode.channels.jsonrpc import INVALID_PARAMS, NO_QUESTION, RpcError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.form import Declined, Dismissed, Filled, Form, FormAnswer
from induscode.kernel.form_values import form_problem
from induscode.kernel.person import PersonAnswer, Question

__all__ = ["RpcPerson"]

T = TypeVar("T")


class RpcPerson:
    """`seconds` is how long an answer may take, None for ever. A question goes out as the event
    `approval`, a form as the event `form`. `fills` is whether the client knows of forms: one that
    does not would leave them open for ever."""

    def __init__(self) -> None:
        self.seconds: float | None = None
        self.fills = False
        self._open: dict[str, tuple[Question, asyncio.Future[PersonAnswer]]] = {}
        self._forms: dict[str, tuple[Form, asyncio.Future[FormAnswer]]] = {}
        self._gone = False

    @property
    def questions(self) -> list[Question]:
        return [question for question, _ in self._open.values()]

    @property
    def forms(self) -> list[Form]:
        return [form for form, _ in self._forms.values()]

    async def ask(self, question: Question, cancel: CancelToken) -> PersonAnswer:
        if self._gone:
            return PersonAnswer("timeout")
        answered: asyncio.Future[PersonAnswer] = asyncio.get_running_loop().create_future()
        self._open[question.id] = (question, answered)
        try:
            return await cancel.run(self._in_time(answered, PersonAnswer("timeout")))
        finally:
            del self._open[question.id]

    async def fill(self, form: Form, cancel: CancelToken) -> FormAnswer:
        if not self.fills:
            return Declined()
        if self._gone:
            return Dismissed()
        answered: asyncio.Future[FormAnswer] = asyncio.get_running_loop().create_future()
        self._forms[form.id] = (form, answered)
        try:
            return await cancel.run(self._in_time(answered, Dismissed()))
        finally:
            del self._forms[form.id]

    async def _in_time(self, answered: asyncio.Future[T], otherwise: T) -> T:
        try:
            async with asyncio.timeout(self.seconds):
                return await answered
        except TimeoutError:
            return otherwise

    def answer(self, wanted: str, answer: PersonAnswer) -> None:
        """Raises `RpcError` when no such question is open or it does not offer this answer."""
        found = self._open.get(wanted)
        if found is None or found[1].done():
            raise RpcError(NO_QUESTION, f"no open question has the id {wanted!r}")
        question, answered = found
        if answer.choice not in question.choices:
            offered = ", ".join(question.choices)
            raise RpcError(INVALID_PARAMS, f"choice: {answer.choice!r} is not one of {offered}")
        answered.set_result(answer)

    def answer_form(self, wanted: str, answer: FormAnswer) -> None:
        """Raises `RpcError` when no such form is open or the values do not fit it; it stays open
        then."""
        found = self._forms.get(wanted)
        if found is None or found[1].done():
            raise RpcError(NO_QUESTION, f"no open form has the id {wanted!r}")
        form, answered = found
        if isinstance(answer, Filled):
            problem = form_problem(form, answer.values)
            if problem is not None:
                raise RpcError(INVALID_PARAMS, f"values: {problem}")
        answered.set_result(answer)

    def leave(self) -> None:
        """Nobody will answer any more: what is open and what comes later times out."""
        self._gone = True
        for _, filled in self._forms.values():
            if not filled.done():
                filled.set_result(Dismissed())
        for _, answered in self._open.values():
            if not answered.done():
                answered.set_result(PersonAnswer("timeout"))
