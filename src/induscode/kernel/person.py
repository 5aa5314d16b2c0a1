"""Asking a person: a question about one call, and the answers there are; a form to fill in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

from msgspec import Struct

from induscode.kernel.cancel import CancelToken
from induscode.kernel.form import Form, FormAnswer

__all__ = ["Choice", "Person", "PersonAnswer", "Question"]

Choice = Literal["once", "session", "always", "no", "timeout", "nobody"]


class Question(Struct, frozen=True):
    """`id` is our id of the call; `reason` says why it asks and `rule` what decided that;
    `choices` is what may be answered; `keeps` the rule that "session" and "always" would keep;
    `asker` is the delegate that asks and what it was sent for, "" for the session itself."""

    id: str
    tool: str
    arguments: Mapping[str, Any]
    reason: str
    rule: str
    choices: tuple[Choice, ...]
    keeps: str = ""
    asker: str = ""


class PersonAnswer(Struct, frozen=True):
    """`reason` goes to the model when the answer is no."""

    choice: Choice
    reason: str = ""


class Person(Protocol):
    """Somebody who can be asked. Both raise `Cancelled` when the question is withdrawn."""

    async def ask(self, question: Question, cancel: CancelToken) -> PersonAnswer: ...

    async def fill(self, form: Form, cancel: CancelToken) -> FormAnswer:
        """What they say to a form. Whoever asks checks the values again."""
        ...
