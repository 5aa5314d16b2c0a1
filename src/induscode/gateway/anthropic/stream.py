"""From the event stream of a Messages request to one `Answer`."""

from __future__ import annotations

from induscode.errors import StreamBroken
from induscode.gateway.anthropic.blocks import GrowingBlock
from induscode.gateway.anthropic.events import StreamEvent, TokenCount, decode_event
from induscode.gateway.anthropic.faults import fault_of_kind
from induscode.kernel.content import AnswerBlock, Thinking, ToolCall
from induscode.kernel.model import Answer, ExchangeListener, StopReason, Usage

__all__ = ["AnswerDecoder"]

_STOPS = {
    "end_turn": StopReason.END,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "pause_turn": StopReason.PAUSE,
    "refusal": StopReason.REFUSAL,
    "stop_sequence": StopReason.END,
    "tool_use": StopReason.TOOLS,
}


class AnswerDecoder:
    """Feed it the payload of each event. `done` when the message has ended; then `answer`. Until
    then `partial` is what has arrived."""

    def __init__(self, listener: ExchangeListener) -> None:
        self.done = False
        self._listener = listener
        self._begun = False
        self._blocks: dict[int, GrowingBlock] = {}
        self._count = TokenCount()
        self._stop: str | None = None
        self._model = ""
        self._id = ""

    def event(self, data: bytes) -> None:
        """Raises the provider's own error when the stream reports one, and `StreamBroken` for
        what is not the promised format."""
        if self.done:
            return
        event = decode_event(data)
        match event.type:
            case "content_block_delta":
                self._grow(event)
            case "content_block_start":
                self._open(event)
            case "message_start":
                self._begin(event)
            case "message_delta":
                self._finish(event)
            case "message_stop":
                self.done = True
            case "error":
                kind, told = (
                    ("", "") if event.error is None else (event.error.type, event.error.message)
                )
                raise fault_of_kind(kind, told)
            case _:
                pass

    def answer(self) -> Answer:
        if not self.done:
            raise StreamBroken("the answer ended before it was complete")
        content = self._content()
        stop = _STOPS.get(self._stop or "")
        if stop is None:
            called = any(isinstance(block, ToolCall) for block in content)
            stop = StopReason.TOOLS if called else StopReason.END
        return self._made(content, stop)

    def partial(self) -> Answer | None:
        """None if nothing has arrived. Thinking without a signature is of no use to anyone."""
        if not self._begun:
            return None
        content = [
            block
            for block in self._content()
            if not (isinstance(block, Thinking) and not block.signature)
        ]
        return self._made(content, StopReason.PARTIAL)

    def _begin(self, event: StreamEvent) -> None:
        self._begun = True
        if event.message is not None:
            self._id, self._model = event.message.id, event.message.model
            self._counted(event.message.usage)

    def _open(self, event: StreamEvent) -> None:
        self._begun = True
        try:
            self._blocks[event.index] = GrowingBlock(event.content_block)
        except (ValueError, RecursionError):
            raise StreamBroken("a block of the answer cannot be read") from None

    def _grow(self, event: StreamEvent) -> None:
        block = self._blocks.get(event.index)
        if block is None or event.delta is None:
            raise StreamBroken("the answer continues a block that it never began")
        text, thinking = block.grow(event.delta)
        if text:
            self._listener.text(text)
        if thinking:
            self._listener.thinking(thinking)

    def _finish(self, event: StreamEvent) -> None:
        if event.delta is not None and event.delta.stop_reason is not None:
            self._stop = event.delta.stop_reason
        self._counted(event.usage)

    def _counted(self, told: TokenCount | None) -> None:
        """Counts are running totals: the last one told is the count."""
        if told is None:
            return
        for name in told.__struct_fields__:
            value = getattr(told, name)
            if value is not None:
                setattr(self._count, name, value)

    def _content(self) -> list[AnswerBlock]:
        grown = [self._blocks[at].whole() for at in sorted(self._blocks)]
        return [block for block in grown if block is not None]

    def _made(self, content: list[AnswerBlock], stop: StopReason) -> Answer:
        count = self._count
        usage = Usage(
            input=count.input_tokens or 0,
            output=count.output_tokens or 0,
            cache_read=count.cache_read_input_tokens or 0,
            cache_write=count.cache_creation_input_tokens or 0,
            reasoning=count.output_tokens_details.thinking_tokens
            if count.output_tokens_details is not None
            else 0,
        )
        return Answer(tuple(content), stop, usage, model=self._model, id=self._id)
