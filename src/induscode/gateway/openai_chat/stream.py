"""From the chunks of a Chat Completions request to one `Answer`."""

from __future__ import annotations

from induscode.errors import Overloaded, StreamBroken
from induscode.gateway.calls import tool_call
from induscode.gateway.openai.faults import fault_in_stream, read_error
from induscode.gateway.openai_chat.chunks import (
    CallDelta,
    Choice,
    Chunk,
    Count,
    Delta,
    decode_chunk,
    spoken,
)
from induscode.kernel.content import AnswerBlock, Text, Thinking, ToolCall
from induscode.kernel.model import Answer, ExchangeListener, StopReason, Usage

__all__ = ["AnswerDecoder"]

_STOPS = {
    "content_filter": StopReason.REFUSAL,
    "length": StopReason.LENGTH,
    "model_length": StopReason.LENGTH,
}
_FAILURES = frozenset({"error", "insufficient_system_resource"})
_DONE = b"[DONE]"


class _GrowingCall:
    def __init__(self, told_id: str) -> None:
        self.id = told_id
        self.name = ""
        self._arguments: list[str] = []

    def grow(self, told: CallDelta) -> None:
        self.id = self.id or told.id or ""
        if told.function is None:
            return
        name = told.function.name or ""
        if name != self.name:
            self.name += name
        self._arguments.append(told.function.written())

    def whole(self, number: int) -> ToolCall:
        """`number` makes an id for servers that give none."""
        return tool_call(self.id or f"call_{number}", self.name, "".join(self._arguments))


class AnswerDecoder:
    """Feed it the payload of each event. `done` at the closing mark, which some servers leave out:
    an answer is complete once it said why it ended."""

    def __init__(self, listener: ExchangeListener) -> None:
        self.done = False
        self._listener = listener
        self._begun = False
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls: list[_GrowingCall] = []
        self._call_at: dict[int | None, _GrowingCall] = {}
        self._refused = False
        self._count = Count()
        self._finish: str | None = None
        self._model = ""
        self._id = ""

    def event(self, data: bytes) -> None:
        """Raises the provider's own error when the stream reports one, and `StreamBroken` for
        what is not the promised format."""
        if self.done:
            return
        if data.strip() == _DONE:
            self.done = True
            return
        chunk = decode_chunk(data)
        if bytes(chunk.error) not in (b"", b"null"):
            raise fault_in_stream(read_error(data))
        self._take(chunk)

    def answer(self) -> Answer:
        if self._finish is None:
            raise StreamBroken("the answer ended before it was complete")
        if self._finish in _FAILURES:
            raise Overloaded(f"the provider ended its answer ({self._finish})")
        return self._made(self._stop(self._finish))

    def partial(self) -> Answer | None:
        """What arrived, None if nothing did."""
        return self._made(StopReason.PARTIAL) if self._begun else None

    def _take(self, chunk: Chunk) -> None:
        self._id = self._id or chunk.id or ""
        self._model = self._model or chunk.model or ""
        if chunk.usage is not None:
            self._count = chunk.usage
        for choice in chunk.choices or ():
            if not choice.index:
                self._choose(choice)

    def _choose(self, choice: Choice) -> None:
        self._begun = True
        if choice.delta is not None:
            self._say(choice.delta)
            for told in choice.delta.tool_calls or ():
                self._call(told).grow(told)
        if choice.finish_reason:
            self._finish = choice.finish_reason

    def _say(self, delta: Delta) -> None:
        text, thinking = spoken(delta)
        if thinking:
            self._thinking.append(thinking)
            self._listener.thinking(thinking)
        if delta.refusal:
            self._refused = True
            text += delta.refusal
        if text:
            self._text.append(text)
            self._listener.text(text)

    def _call(self, told: CallDelta) -> _GrowingCall:
        """The call a delta belongs to. Servers that count badly tell calls apart by id; those that
        do not count at all send each call whole."""
        name = told.function.name if told.function is not None else ""
        known = self._call_at.get(told.index)
        other_id = known is not None and bool(told.id) and told.id != known.id and bool(known.id)
        if known is None or (name and (other_id or told.index is None)):
            known = self._call_at[told.index] = _GrowingCall(told.id or "")
            self._calls.append(known)
        return known

    def _stop(self, finish: str) -> StopReason:
        if self._refused:
            return StopReason.REFUSAL
        stop = _STOPS.get(finish)
        if stop is not None:
            return stop
        return StopReason.TOOLS if self._calls else StopReason.END

    def _made(self, stop: StopReason) -> Answer:
        content: list[AnswerBlock] = []
        if self._thinking:
            content.append(Thinking("".join(self._thinking)))
        if self._text:
            content.append(Text("".join(self._text)))
        content += [call.whole(number) for number, call in enumerate(self._calls, 1)]
        return Answer(tuple(content), stop, _usage(self._count), model=self._model, id=self._id)


def _usage(count: Count) -> Usage:
    prompt, completion = count.prompt_tokens_details, count.completion_tokens_details
    cached = (prompt.cached_tokens if prompt else None) or count.prompt_cache_hit_tokens or 0
    written = (prompt.cache_write_tokens if prompt else None) or 0
    return Usage(
        input=max(0, (count.prompt_tokens or 0) - cached - written),
        output=count.completion_tokens or 0,
        cache_read=cached,
        cache_write=written,
        reasoning=(completion.reasoning_tokens if completion else None) or 0,
    )
