"""From the event stream of a Responses request to one `Answer`."""

from __future__ import annotations

from msgspec import Raw

from induscode.errors import ProviderError, StreamBroken
from induscode.gateway.openai.faults import fault_in_stream, read_error
from induscode.gateway.openai_responses.events import (
    ResponseInfo,
    StreamEvent,
    TokenCount,
    read_event,
)
from induscode.gateway.openai_responses.items import GrowingItem
from induscode.kernel.content import AnswerBlock
from induscode.kernel.model import Answer, ExchangeListener, StopReason, Usage

__all__ = ["AnswerDecoder"]

_DONE = b"[DONE]"


class AnswerDecoder:
    """Feed it the payload of each event. `done` when the response has ended; then `answer`. Until
    then `partial` is what has arrived. Reasoning is told as it comes and kept inside its item."""

    def __init__(self, listener: ExchangeListener) -> None:
        self.done = False
        self._listener = listener
        self._begun = False
        self._items: dict[int | str, GrowingItem] = {}
        self._count = TokenCount()
        self._incomplete: str | None = None
        self._model = ""
        self._id = ""

    def event(self, data: bytes) -> None:
        """Raises the provider's own error when the stream reports one, and `StreamBroken` for
        what is not the promised format."""
        if self.done or data.strip() == _DONE:
            return
        event = read_event(data)
        match event.type:
            case "response.output_text.delta" | "response.refusal.delta":
                self._say(event)
            case "response.function_call_arguments.delta":
                self._item_of(event).write(event.delta or "")
            case "response.function_call_arguments.done":
                self._item_of(event).rewrite(event.arguments or "")
            case "response.output_item.added" | "response.output_item.done":
                self._take_item(event)
            case "error" | "response.failed" | "":
                raise self._failure(event, data)
            case _:
                self._take_other(event)

    def answer(self) -> Answer:
        if not self.done:
            raise StreamBroken("the answer ended before it was complete")
        return self._made(self._stop())

    def partial(self) -> Answer | None:
        """What arrived, None if nothing did. Reasoning that was cut is of no use to anyone."""
        return self._made(StopReason.PARTIAL) if self._begun else None

    def _take_other(self, event: StreamEvent) -> None:
        match event.type:
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                self._think(event, event.delta or "")
            case "response.reasoning_summary_part.added" if event.summary_index:
                self._think(event, "\n\n")
            case "response.created" | "response.in_progress":
                self._begin(event.response)
            case "response.completed":
                self._end(event.response, None)
            case "response.incomplete":
                told = event.response.incomplete_details if event.response else None
                self._end(event.response, (told.reason if told else None) or "unknown")
            case _:
                pass

    def _begin(self, response: ResponseInfo | None) -> None:
        self._begun = True
        if response is not None:
            self._id = response.id or self._id
            self._model = response.model or self._model

    def _end(self, response: ResponseInfo | None, incomplete: str | None) -> None:
        self._begin(response)
        self._incomplete = incomplete
        self.done = True
        if response is None:
            return
        self._count = response.usage or self._count
        unfinished = not self._items or not all(item.finished for item in self._items.values())
        if response.output and unfinished:
            heard, self._items = self._items, {}
            for at, raw in enumerate(response.output):
                item = self._items[at] = self._opened(raw)
                self._finish(item, raw, tell=not heard)

    def _take_item(self, event: StreamEvent) -> None:
        self._begun = True
        key = self._key(event, self._opened(event.item).id)
        item = self._items.get(key)
        if item is None:
            item = self._items[key] = self._opened(event.item)
        if event.type == "response.output_item.done":
            self._finish(item, event.item, tell=True)

    def _opened(self, raw: Raw) -> GrowingItem:
        try:
            return GrowingItem(raw)
        except (ValueError, RecursionError):
            raise StreamBroken("an item of the answer cannot be read") from None

    def _finish(self, item: GrowingItem, raw: Raw, *, tell: bool) -> None:
        try:
            text, thinking = item.finish(raw)
        except (ValueError, RecursionError):
            raise StreamBroken("an item of the answer cannot be read") from None
        if tell and text:
            self._listener.text(text)
        if tell and thinking:
            self._listener.thinking(thinking)

    def _key(self, event: StreamEvent, item_id: str) -> int | str:
        """Items are counted; servers that do not count name them."""
        return event.output_index if event.output_index is not None else item_id

    def _item_of(self, event: StreamEvent) -> GrowingItem:
        item = self._items.get(self._key(event, event.item_id or ""))
        if item is None:
            raise StreamBroken("the answer continues an item that it never began")
        return item

    def _say(self, event: StreamEvent) -> None:
        if event.delta:
            refusing = event.type == "response.refusal.delta"
            self._item_of(event).say(event.delta, refusing=refusing)
            self._listener.text(event.delta)

    def _think(self, event: StreamEvent, delta: str) -> None:
        item = self._items.get(self._key(event, event.item_id or ""))
        if item is not None:
            item.think()
        if delta:
            self._listener.thinking(delta)

    def _failure(self, event: StreamEvent, data: bytes) -> ProviderError:
        inner = event.response.error if event.response is not None else event.error
        if bytes(inner) not in (b"", b"null"):
            return fault_in_stream(read_error(bytes(inner)))
        if event.type:
            return fault_in_stream(read_error(data))
        return StreamBroken("an event of the answer is not what the wire format promises")

    def _stop(self) -> StopReason:
        items = self._items.values()
        if self._incomplete == "content_filter" or any(item.refused for item in items):
            return StopReason.REFUSAL
        if self._incomplete is not None:
            return StopReason.LENGTH
        return StopReason.TOOLS if any(item.is_call for item in items) else StopReason.END

    def _made(self, stop: StopReason) -> Answer:
        content: list[AnswerBlock] = []
        for number, item in enumerate(self._items.values(), 1):
            content += item.whole(number)
        return Answer(tuple(content), stop, _usage(self._count), model=self._model, id=self._id)


def _usage(count: TokenCount) -> Usage:
    read, made = count.input_tokens_details, count.output_tokens_details
    cached = (read.cached_tokens if read else None) or 0
    written = (read.cache_write_tokens if read else None) or 0
    return Usage(
        input=max(0, (count.input_tokens or 0) - cached - written),
        output=count.output_tokens or 0,
        cache_read=cached,
        cache_write=written,
        reasoning=(made.reasoning_tokens if made else None) or 0,
    )
