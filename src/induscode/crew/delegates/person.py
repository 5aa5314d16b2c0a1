"""Asking the person of the session that sent a delegate, who is told which delegate asks."""

from __future__ import annotations

import msgspec

from induscode.crew.delegates.deadline import Deadline
from induscode.crew.delegates.limits import LABEL_CHARACTERS
from induscode.kernel.cancel import CancelToken
from induscode.kernel.form import Form, FormAnswer
from induscode.kernel.person import Person, PersonAnswer, Question

__all__ = ["DelegatePerson", "asker", "label"]


def label(agent: str, objective: str) -> str:
    """Who asks and why, on one line."""
    words = " ".join(objective.split())
    told = f"delegate {agent}: {words}" if agent else f"delegate: {words}"
    return told if len(told) <= LABEL_CHARACTERS else told[: LABEL_CHARACTERS - 1] + "…"


def asker(inner: str, own: str) -> str:
    """The delegate that asks, and those that sent it."""
    return f"{inner}, sent by {own}" if inner else own


class DelegatePerson:
    """Stands between a delegate and its parent's person. The delegate's time does not run on while
    somebody thinks."""

    def __init__(self, person: Person, own: str, deadline: Deadline) -> None:
        self._person = person
        self._own = own
        self._deadline = deadline

    async def ask(self, question: Question, cancel: CancelToken) -> PersonAnswer:
        told = msgspec.structs.replace(question, asker=asker(question.asker, self._own))
        with self._deadline.paused():
            return await self._person.ask(told, cancel)

    async def fill(self, form: Form, cancel: CancelToken) -> FormAnswer:
        told = msgspec.structs.replace(form, asker=asker(form.asker, self._own))
        with self._deadline.paused():
            return await self._person.fill(told, cancel)
