"""Questions to a person behind a program: open until the client answers, or time is up."""

from __future__ import annotations

import asyncio

from induscode.channels.jsonrpc import INVALID_PARAMS, NO_QUESTION, RpcError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.person import PersonAnswer, Question

__all__ = ["RpcPerson"]


class RpcPerson:
    """`seconds` is how long an answer may take, None for ever. The question itself goes out as the
    event `approval`."""

    def __init__(self) -> None:
        self.seconds: float | None = None
        self._open: dict[str, tuple[Question, asyncio.Future[PersonAnswer]]] = {}
        self._gone = False

    @property
    def questions(self) -> list[Question]:
        return [question for question, _ in self._open.values()]

    async def ask(self, question: Question, cancel: CancelToken) -> PersonAnswer:
        if self._gone:
            return PersonAnswer("timeout")
        answered: asyncio.Future[PersonAnswer] = asyncio.get_running_loop().create_future()
        self._open[question.id] = (question, answered)
        try:
            return await cancel.run(self._answer(answered))
        finally:
            del self._open[question.id]

    async def _answer(self, answered: asyncio.Future[PersonAnswer]) -> PersonAnswer:
        try:
            async with asyncio.timeout(self.seconds):
                return await answered
        except TimeoutError:
            return PersonAnswer("timeout")

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

    def leave(self) -> None:
        """Nobody will answer any more: open questions and later ones time out."""
        self._gone = True
        for _, answered in self._open.values():
            if not answered.done():
                answered.set_result(PersonAnswer("timeout"))
