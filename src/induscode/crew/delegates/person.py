"""Asking the person of the session that sent a delegate, who is told which delegate asks."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec

from induscode.crew.delegates.deadline import Deadline
from induscode.crew.delegates.limits import LABEL_CHARACTERS
from induscode.kernel.cancel import CancelToken
from induscode.kernel.form import Form, FormAnswer
from induscode.kernel.person import Person, PersonAnswer, Question

__all__ = ["DelegatePerson", "asker", "delegate_person", "label"]


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
        with self._deadline.paused():
            return await self._person.fill(self._named(form), cancel)

    def named(self, form: Form) -> Form:
        """The form as the person gets to see it: with the delegate, and those that sent it."""
        told = self._named(form)
        return self._person.named(told) if isinstance(self._person, DelegatePerson) else told

    def _named(self, form: Form) -> Form:
        return msgspec.structs.replace(form, asker=asker(form.asker, self._own))

    @contextmanager
    def at_work(self) -> Generator[None]:
        """Around the delegate's work, and what is started from it."""
        before = _AT_WORK.set(self)
        try:
            yield
        finally:
            _AT_WORK.reset(before)


_AT_WORK: ContextVar[DelegatePerson | None] = ContextVar("delegate", default=None)


def delegate_person() -> DelegatePerson | None:
    """Whom to ask about what is done here, when a delegate does it; its sessions share the servers
    of the session above, which cannot tell otherwise."""
    return _AT_WORK.get()
