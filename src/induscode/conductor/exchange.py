"""Asking the model once, until it answered: project, encode, record, send, record.

The request is written before it is sent; its sync happens while the provider works (`sent`), and is
over before the answer has any effect. Each retry repeats the same bytes and is an entry of its own.
An answer that broke off, or never came, is recorded as partial with the reason, and not projected.
A secret that the provider says is gone before anything else sees it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec import Raw

from induscode.conductor.ports import Emit, ModelSetting
from induscode.conductor.recorder import Recorder
from induscode.conductor.retries import Retries
from induscode.errors import Cancelled, LogDown, ProviderError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, iso
from induscode.kernel.content import AnswerBlock, plain_text
from induscode.kernel.events import Alert, TextDelta, ThinkingDelta, UsageReported
from induscode.kernel.model import Answer, Body, StopReason, Usage
from induscode.kernel.scrubbing import Scrubber, scrubbed, unsigned
from induscode.policy.redaction import StreamRedactor
from induscode.session.blobs import BlobStore
from induscode.session.entries import Request, Response
from induscode.session.projection import Projection
from induscode.session.storing import load_answer, store_answer
from induscode.session.trail import Trail

__all__ = ["Exchange"]

_HOST = "builtin:conductor"

Purpose = Literal["turn", "compaction"]


class Exchange:
    """The one road to the model for one session."""

    def __init__(
        self,
        recorder: Recorder,
        projection: Projection,
        blobs: BlobStore,
        emit: Emit,
        clock: Clock,
        retries: Retries,
    ) -> None:
        self._recorder = recorder
        self._projection = projection
        self._blobs = blobs
        self._emit = emit
        self._clock = clock
        self._retries = retries
        self._trail = Trail()
        self._setting: ModelSetting | None = None
        self._encoder = None

    async def ask(self, setting: ModelSetting, purpose: Purpose, cancel: CancelToken) -> Response:
        """The answer, recorded, with its id. Raises `ProviderError`, `Cancelled` or `LogDown`; what
        had arrived by then is recorded as partial."""
        if self._setting is not setting:
            self._setting = setting
            self._encoder = setting.provider.encoder()
        encoder = self._encoder or setting.provider.encoder()
        request = self._projection.request(purpose)
        body = encoder.encode(request)
        first = Request(
            body_sha256=body.sha256,
            body_bytes=len(body.data),
            encoder=encoder.version,
            purpose=purpose,
            trail=self._trail.of(request),
        )
        await self._recorder.write(first, by=_HOST, cancel=cancel)
        return await self._dispatch(setting, body, self._recorder.log.head, first, cancel)

    def objection(self, setting: ModelSetting, changes: dict[str, Raw]) -> str:
        """Why the model's wire cannot say these parameters, "" when it can."""
        try:
            setting.provider.encoder().encode(self._projection.tried(changes))
        except ProviderError as refused:
            return refused.message
        return ""

    def text_of(self, response: Response) -> str:
        return plain_text(load_answer(response.content, self._blobs))

    async def _dispatch(
        self, setting: ModelSetting, body: Body, first_id: str, first: Request, cancel: CancelToken
    ) -> Response:
        started = self._clock.monotonic()
        attempt, request_id = 1, first_id
        while True:
            listener = _Listener(self._recorder, self._emit, self._clock, first.purpose)
            try:
                try:
                    answer = await setting.provider.exchange(body, listener, cancel)
                finally:
                    listener.end()
            except (ProviderError, Cancelled) as failure:
                failure.message = self._recorder.secrets.text(failure.message)
                await self._keep_partial(setting, request_id, failure, listener.notes)
                if isinstance(failure, Cancelled):
                    raise
                await self._pause(failure, attempt, started, cancel)
                attempt += 1
                again = Request(
                    body_sha256=body.sha256,
                    body_bytes=len(body.data),
                    encoder=first.encoder,
                    purpose=first.purpose,
                    attempt=attempt,
                    retry_of=first_id,
                    reason=failure.message,
                )
                await self._recorder.write(again, by=_HOST, cancel=cancel)
                request_id = self._recorder.log.head
                continue
            await self._recorder.settled(cancel)
            return await self._record(setting, request_id, answer, listener.notes, cancel)

    async def _record(
        self,
        setting: ModelSetting,
        request_id: str,
        answer: Answer,
        notes: list[str],
        cancel: CancelToken,
    ) -> Response:
        response = await self._response(setting, request_id, answer, cancel)
        response = msgspec.structs.replace(response, notes=notes)
        response = msgspec.structs.replace(response, id=self._recorder.log.new_id())
        await self._recorder.write(response, by=_producer(setting), cancel=cancel)
        self._report(response)
        return response

    async def _keep_partial(
        self,
        setting: ModelSetting,
        request_id: str,
        failure: ProviderError | Cancelled,
        notes: list[str],
    ) -> None:
        """A request without a response means that the process died; so each failure has one."""
        partial = setting.provider.partial or Answer((), StopReason.PARTIAL, Usage())
        broken = msgspec.structs.replace(partial, stop=StopReason.PARTIAL)
        response = await self._response(setting, request_id, broken, CancelToken())
        response = msgspec.structs.replace(response, error=failure.message, notes=notes)
        await self._recorder.write(response, by=_producer(setting), cancel=CancelToken())
        if response.usage != Usage():
            self._report(response)

    async def _response(
        self, setting: ModelSetting, request_id: str, answer: Answer, cancel: CancelToken
    ) -> Response:
        said = _without_secrets(answer, self._recorder.secrets)
        content = await self._recorder.stored(lambda: store_answer(said, self._blobs), cancel)
        return Response(
            request=request_id,
            content=content,
            stop=answer.stop,
            usage=answer.usage,
            wire=setting.provider.wire,
            model=setting.model,
            cost=setting.price(answer.usage),
        )

    def _report(self, response: Response) -> None:
        at = iso(self._clock.now_ms())
        self._emit(UsageReported(usage=response.usage, cost=response.cost, at=at))

    async def _pause(
        self, failure: ProviderError, attempt: int, started: float, cancel: CancelToken
    ) -> None:
        """Wait before the next attempt, or raise `failure` when there is none."""
        spent = self._clock.monotonic() - started
        delay = self._retries.delay(attempt, failure.retry_after, spent)
        if not failure.retryable or delay is None:
            raise failure
        text = f"{failure.message}; trying again in {delay:g} s (attempt {attempt + 1})"
        self._emit(Alert(text=text, at=iso(self._clock.now_ms())))
        await cancel.run(asyncio.sleep(delay))


def _producer(setting: ModelSetting) -> str:
    return f"model:{setting.name}/{setting.model}"


def _without_secrets(answer: Answer, scrubber: Scrubber) -> list[AnswerBlock]:
    clean = scrubbed(answer.content, scrubber)
    pairs = zip(answer.content, clean, strict=True)
    return [unsigned(before, after) for before, after in pairs]


class _Deltas:
    """Text that comes in pieces, handed on without secrets, even those cut in two."""

    def __init__(self, redactor: StreamRedactor, tell: Callable[[str], None]) -> None:
        self._redactor = redactor
        self._tell = tell

    def feed(self, delta: str) -> None:
        self._pass_on(self._redactor.feed(delta.encode("utf-8", "surrogatepass")))

    def end(self) -> None:
        self._pass_on(self._redactor.flush())

    def _pass_on(self, data: bytes) -> None:
        if data:
            self._tell(data.decode("utf-8", "surrogatepass"))


class _Listener:
    """Hears one attempt; syncs the log once the body is on its way. `end` must be called when it is
    over: the last piece may have been held back."""

    def __init__(self, recorder: Recorder, emit: Emit, clock: Clock, purpose: Purpose) -> None:
        self._text = _Deltas(recorder.secrets.stream(), self._show_text)
        self._thinking = _Deltas(recorder.secrets.stream(), self._show_thinking)
        self._recorder = recorder
        self._emit = emit
        self._clock = clock
        self._quiet = purpose != "turn"
        self.notes: list[str] = []

    def sent(self) -> None:
        try:
            self._recorder.log.sync()
        except LogDown as trouble:
            # The answer has no effect before `settled` has succeeded; say it now.
            self._emit(Alert(text=str(trouble), at=iso(self._clock.now_ms())))

    def note(self, sentence: str) -> None:
        sentence = self._recorder.secrets.text(sentence)
        self.notes.append(sentence)
        self._emit(Alert(text=sentence, at=iso(self._clock.now_ms())))

    def text(self, delta: str) -> None:
        self._thinking.end()
        if not self._quiet:
            self._text.feed(delta)

    def thinking(self, delta: str) -> None:
        self._text.end()
        if not self._quiet:
            self._thinking.feed(delta)

    def end(self) -> None:
        self._text.end()
        self._thinking.end()

    def _show_text(self, text: str) -> None:
        self._emit(TextDelta(text=text, at=iso(self._clock.now_ms())))

    def _show_thinking(self, text: str) -> None:
        self._emit(ThinkingDelta(text=text, at=iso(self._clock.now_ms())))
