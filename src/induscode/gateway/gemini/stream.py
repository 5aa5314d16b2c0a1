"""From the chunks of a `streamGenerateContent` request to one `Answer`."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from induscode.errors import ProviderError, StreamBroken
from induscode.gateway.calls import tool_call
from induscode.gateway.faults import one_line
from induscode.gateway.gemini.chunks import (
    Candidate,
    Chunk,
    Made,
    PartData,
    TokenCount,
    decode_chunk,
)
from induscode.gateway.gemini.encoder import WIRE
from induscode.gateway.gemini.faults import fault_of_error
from induscode.gateway.gemini.ids import minted
from induscode.kernel.content import AnswerBlock, Opaque, Text, Thinking, ToolCall
from induscode.kernel.model import Answer, ExchangeListener, StopReason, Usage

__all__ = ["AnswerDecoder"]

_REFUSALS = frozenset({
    "BLOCKLIST",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "IMAGE_SAFETY",
    "LANGUAGE",
    "PROHIBITED_CONTENT",
    "RECITATION",
    "SAFETY",
    "SPII",
})  # fmt: skip
_MALFORMED = frozenset({"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"})
_UNSPECIFIED = "FINISH_REASON_UNSPECIFIED"


class AnswerDecoder:
    """Feed it the payload of each event. Some servers give a reason to stop with every chunk, so
    that only the end of the stream is the end of an answer; then `answer`. Until then `partial` is
    what has arrived."""

    done = False

    def __init__(self, listener: ExchangeListener) -> None:
        self._listener = listener
        self._begun = False
        self._blocks: list[AnswerBlock] = []
        self._growing: list[str] = []
        self._thinks = False
        self._calls = 0
        self._count = TokenCount()
        self._stop = ""
        self._told = ""
        self._blocked = ""
        self._model = ""
        self._id = ""

    def event(self, data: bytes) -> None:
        """Raises the provider's own error when the stream reports one, and `StreamBroken` for
        what is not the promised format."""
        chunk, parts = decode_chunk(data)
        if chunk.error is not None:
            raise fault_of_error(chunk.error)
        self._begun = True
        for raw, part in parts:
            self._take(raw, part)
        self._note(chunk)

    def answer(self) -> Answer:
        """A call that the model botched is a broken answer: asked again, it may do better."""
        if self._stop in _MALFORMED:
            raise self._malformed()
        if not self._stop and not self._blocked:
            raise StreamBroken("the answer ended before it was complete")
        content = self._content()
        return self._made(content, self._reason(content))

    def partial(self) -> Answer | None:
        return self._made(self._content(), StopReason.PARTIAL) if self._begun else None

    def _take(self, raw: Raw, part: PartData) -> None:
        signature = part.thought_signature or ""
        thinks = part.thought is True
        if part.function_call is not None:
            self._close()
            self._call(part.function_call, signature)
        elif part.text is None or (thinks and not part.text and signature):
            self._close()
            self._blocks.append(Opaque(WIRE, Raw(msgspec.json.format(bytes(raw), indent=-1))))
        else:
            self._grow(part.text, thinks=thinks)
            if signature:
                self._sign(signature)

    def _grow(self, text: str, *, thinks: bool) -> None:
        if not text:
            return
        if thinks is not self._thinks:
            self._close()
        self._thinks = thinks
        self._growing.append(text)
        if thinks:
            self._listener.thinking(text)
        else:
            self._listener.text(text)

    def _sign(self, signature: str) -> None:
        """A signature ends what it signs: joined with what follows it would not hold."""
        if self._growing and self._thinks:
            self._blocks.append(Thinking("".join(self._growing), signature))
            self._growing = []
        else:
            self._close()
            self._blocks.append(Thinking("", signature))

    def _call(self, made: Made, signature: str) -> None:
        text = bytes(made.args).decode("utf-8", "replace")
        call_id = made.id or minted(self._calls)
        self._calls += 1
        call = tool_call(call_id, made.name, "" if text == "null" else text)
        self._blocks.append(msgspec.structs.replace(call, signature=signature))

    def _close(self) -> None:
        self._blocks.extend(self._tail())
        self._growing = []

    def _tail(self) -> list[AnswerBlock]:
        text = "".join(self._growing)
        if not text:
            return []
        return [Thinking(text) if self._thinks else Text(text)]

    def _content(self) -> list[AnswerBlock]:
        return [*self._blocks, *self._tail()]

    def _note(self, chunk: Chunk) -> None:
        if chunk.candidates:
            self._finish(chunk.candidates[0])
        if chunk.prompt_feedback is not None and chunk.prompt_feedback.block_reason:
            self._blocked = chunk.prompt_feedback.block_reason
        if chunk.usage_metadata is not None:
            self._count = chunk.usage_metadata
        self._model = chunk.model_version or self._model
        self._id = chunk.response_id or self._id

    def _finish(self, candidate: Candidate) -> None:
        if candidate.finish_reason and candidate.finish_reason != _UNSPECIFIED:
            self._stop = candidate.finish_reason
            self._told = candidate.finish_message or ""

    def _malformed(self) -> ProviderError:
        told = one_line(self._told) or "no reason given"
        kind = self._stop.replace("_", " ").lower()
        return StreamBroken(f"the model could not finish its answer ({kind}): {told}")

    def _reason(self, content: list[AnswerBlock]) -> StopReason:
        if self._blocked or self._stop in _REFUSALS:
            return StopReason.REFUSAL
        if self._stop == "MAX_TOKENS":
            return StopReason.LENGTH
        called = any(isinstance(block, ToolCall) for block in content)
        return StopReason.TOOLS if called else StopReason.END

    def _made(self, content: list[AnswerBlock], stop: StopReason) -> Answer:
        count = self._count
        cached = count.cached_content_token_count or 0
        thoughts = count.thoughts_token_count or 0
        asked = (count.prompt_token_count or 0) + (count.tool_use_prompt_token_count or 0)
        usage = Usage(
            input=max(0, asked - cached),
            output=(count.candidates_token_count or 0) + thoughts,
            cache_read=cached,
            reasoning=thoughts,
        )
        return Answer(tuple(content), stop, usage, model=self._model, id=self._id)
