"""The person at the terminal, as whoever works backstage sees them: asked by mail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from induscode.kernel.cancel import CancelToken
from induscode.kernel.form import Form, FormAnswer
from induscode.kernel.person import PersonAnswer, Question

__all__ = ["Asked", "MailedPerson", "ToFill"]

T = TypeVar("T")


class Asked(Struct, frozen=True):
    """A question and where its answer goes."""

    question: Question
    reply: Callable[[PersonAnswer], None]


class ToFill(Struct, frozen=True):
    """A form and where its answer goes. `over` says that nobody waits for it any more."""

    form: Form
    reply: Callable[[FormAnswer], None]
    over: Callable[[], bool]


class MailedPerson:
    """`post` is called backstage; replies come from any thread."""

    def __init__(self, post: Callable[[Asked | ToFill], None]) -> None:
        self._post = post

    async def ask(self, question: Question, cancel: CancelToken) -> PersonAnswer:
        answered: asyncio.Future[PersonAnswer] = asyncio.get_running_loop().create_future()
        self._post(Asked(question, _settling(answered)))
        return await cancel.run(_awaited(answered))

    async def fill(self, form: Form, cancel: CancelToken) -> FormAnswer:
        answered: asyncio.Future[FormAnswer] = asyncio.get_running_loop().create_future()
        self._post(ToFill(form, _settling(answered), answered.done))
        try:
            return await cancel.run(_awaited(answered))
        finally:
            answered.cancel()


def _settling(answered: asyncio.Future[T]) -> Callable[[T], None]:
    def settle(answer: T) -> None:
        if not answered.done():
            answered.set_result(answer)

    def reply(answer: T) -> None:
        answered.get_loop().call_soon_threadsafe(settle, answer)

    return reply


async def _awaited(answered: asyncio.Future[T]) -> T:
    return await answered
