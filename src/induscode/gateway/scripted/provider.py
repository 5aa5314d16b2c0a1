"""Answers as the script says. The n-th step answers a conversation that holds n - 1 answers, so a
session resumed in another process goes on where it was; only the attempts at a step that fails are
counted in memory."""

from __future__ import annotations

import asyncio
from typing import assert_never

from induscode.errors import (
    ContextTooLong,
    KeyRefused,
    NetworkFailed,
    Overloaded,
    ProviderError,
    QuotaExceeded,
    RequestRejected,
    StreamBroken,
)
from induscode.gateway.neutral.encoder import NeutralEncoder
from induscode.gateway.scripted.script import Failure, Script, ScriptAnswer, load
from induscode.gateway.scripted.seen import Seen, see
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import AnswerBlock, Text, Thinking
from induscode.kernel.model import Answer, Body, Encoder, ExchangeListener, StopReason, Usage

__all__ = ["ScriptedProvider", "connect"]

_WIRE = "scripted"


class ScriptedProvider:
    def __init__(self, script: Script) -> None:
        self._script = script
        self._attempts: dict[int, int] = {}
        self._thought = ""
        self._said = ""
        self._partial: Answer | None = None

    @property
    def wire(self) -> str:
        return _WIRE

    @property
    def partial(self) -> Answer | None:
        return self._partial

    def encoder(self) -> Encoder:
        return NeutralEncoder()

    async def exchange(self, body: Body, listener: ExchangeListener, cancel: CancelToken) -> Answer:
        cancel.check()
        self._thought = self._said = ""
        self._partial = None
        seen = see(body.data)
        chosen = self._choose(seen)
        listener.sent()
        answer: Answer | None = None
        try:
            await self._speak(chosen, listener, cancel)
            if chosen.fail is not None:
                raise _failure(chosen.fail, chosen.retry_after, self._script.file)
            answer = self._whole(chosen, seen.step)
            return answer
        finally:
            if answer is None and (self._said or self._thought):
                said = (Text(self._said),) if self._said else ()
                self._partial = self._made(said, StopReason.PARTIAL, Usage(), seen.step)

    async def close(self) -> None:
        """Nothing is open."""

    def _choose(self, seen: Seen) -> ScriptAnswer:
        reaction = self._script.reaction(seen.last_said)
        if reaction is not None:
            return reaction
        answer = self._at(seen.step)
        if answer.when is not None and answer.when not in seen.last_said:
            raise RequestRejected(
                f"the script {self._script.file} expects {answer.when!r} at step {seen.step}, "
                "which the last message does not contain",
                hint="correct the script or what comes before that step",
            )
        return answer

    def _at(self, number: int) -> ScriptAnswer:
        steps = self._script.steps
        if number <= len(steps):
            step = steps[number - 1]
            attempt = self._attempts.get(number, 0)
            if attempt < len(step.failures):
                self._attempts[number] = attempt + 1
                return step.failures[attempt]
            if step.answer is not None:
                return step.answer
        raise RequestRejected(
            f"the script {self._script.file} has no answer for step {number}",
            hint="add an [[answer]] to it",
        )

    async def _speak(
        self, answer: ScriptAnswer, listener: ExchangeListener, cancel: CancelToken
    ) -> None:
        if answer.delay_ms and not (answer.thinking or answer.text):
            await _pause(answer, cancel)
        for piece in _pieces(answer.thinking, answer):
            await _pause(answer, cancel)
            self._thought += piece
            listener.thinking(piece)
        for piece in _pieces(answer.text, answer):
            await _pause(answer, cancel)
            self._said += piece
            listener.text(piece)

    def _whole(self, answer: ScriptAnswer, step: int) -> Answer:
        content: list[AnswerBlock] = []
        if answer.thinking:
            content.append(Thinking(answer.thinking))
        if answer.text:
            content.append(Text(answer.text))
        content += [call.made(f"call_{step}_{at}") for at, call in enumerate(answer.call, 1)]
        default = StopReason.TOOLS if answer.call else StopReason.END
        stop = default if answer.stop is None else StopReason(answer.stop)
        counted = answer.usage
        usage = Usage(counted.input, counted.output, counted.cache_read, counted.cache_write)
        return self._made(tuple(content), stop, usage, step)

    def _made(
        self, content: tuple[AnswerBlock, ...], stop: StopReason, usage: Usage, step: int
    ) -> Answer:
        return Answer(content, stop, usage, model=self._script.file, id=f"scripted_{step}")


def connect(model: str) -> ScriptedProvider:
    """`model` is the file. Raises `ConfigError`."""
    return ScriptedProvider(load(model))


async def _pause(answer: ScriptAnswer, cancel: CancelToken) -> None:
    cancel.check()
    if answer.delay_ms:
        await cancel.run(asyncio.sleep(answer.delay_ms / 1000))


def _pieces(text: str, answer: ScriptAnswer) -> list[str]:
    """The deltas of a text. A broken stream gives half of it, any other failure nothing."""
    if answer.fail == "stream":
        text = text[: len(text) // 2]
    elif answer.fail is not None:
        return []
    size = answer.chunk or len(text)
    return [text[at : at + size] for at in range(0, len(text), size)] if text else []


def _failure(kind: Failure, retry_after: float | None, file: str) -> ProviderError:
    told = f"the script {file} says so"
    match kind:
        case "overloaded":
            return Overloaded(f"overloaded: {told}", status=529, retry_after=retry_after)
        case "quota":
            return QuotaExceeded(f"too many requests: {told}", status=429, retry_after=retry_after)
        case "network":
            return NetworkFailed(f"not reachable: {told}", hint="a retry may succeed")
        case "stream":
            return StreamBroken(f"the answer broke off: {told}")
        case "context":
            return ContextTooLong(f"the conversation is too long: {told}", status=400)
        case "key":
            return KeyRefused(f"the key is not accepted: {told}", status=401)
        case _:
            assert_never(kind)
