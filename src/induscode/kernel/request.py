"""What a model sees, independent of any wire format.

A `NeutralRequest` is made by one fold over the log (`session.projection`) and turned into bytes by
a versioned encoder (`gateway`); there is no third maker. Every part knows the entry it came from
and who produced it, which is what `indus why` reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Raw, Struct

from induscode.kernel.content import AnswerBlock, SaidBlock, Text, plain_text

__all__ = [
    "CallResult",
    "Head",
    "Message",
    "NeutralRequest",
    "Parameters",
    "Part",
    "Span",
    "ToolSchema",
]


EFFORTS = ("off", "low", "medium", "high")
"""How much a model may think before it answers."""


class Parameters(Struct, frozen=True):
    """How the model is asked. `thinking` is an effort (`off`, `low`, `medium`, `high`); `extra`
    are fields of the provider's own body, kept raw."""

    max_output: int
    thinking: str = "off"
    extra: dict[str, Raw] = {}


class Span(Struct, frozen=True):
    """A named piece of the system prompt. `source` says where its text comes from (a file and
    line, a flag), when that is more than its producer."""

    name: str
    text: str
    by: str
    entry: str
    source: str = ""


class ToolSchema(Struct, frozen=True):
    """A tool as the model is told about it."""

    name: str
    description: str
    parameters: Raw
    by: str
    entry: str


class CallResult(Struct, frozen=True, gc=False):
    """The answer to one call, under the call's id on the wire (unique within the request)."""

    call: str
    content: tuple[SaidBlock, ...]
    is_error: bool


class Part(Struct, frozen=True, gc=False):
    """One block of a message, with the entry behind it. A tool call in an answer carries the wire
    id in `call`, which differs from the provider's when that repeats."""

    block: SaidBlock | AnswerBlock | CallResult
    entry: str
    by: str
    call: str = ""


class Message(Struct, frozen=True, gc=False):
    """`wire` and `model` say who wrote an assistant message: thinking goes back only to them."""

    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]
    wire: str = ""
    model: str = ""


class Head(Struct, frozen=True):
    """All of a request before its messages. Replaced as a whole at an epoch, so that an encoder
    may compare it by identity."""

    model: str
    parameters: Parameters
    system: tuple[Span, ...]
    tools: tuple[ToolSchema, ...]


class NeutralRequest(Struct, frozen=True):
    """`sealed` grows at its end only as long as `revision` stays the same; encoders keep what they
    made of it. `tail` is the last, still open user message. The sequence is shared with the fold
    that made it: read it now, do not keep it."""

    head: Head
    sealed: Sequence[Message]
    tail: Message | None
    revision: int

    def messages(self) -> list[Message]:
        return [*self.sealed, self.tail] if self.tail is not None else list(self.sealed)

    def texts(self) -> Iterator[tuple[str, str, str]]:
        """What can be read of the messages: the entry behind it, its role and the text. A result
        of a call is one text; one that is more than texts is left out."""
        for message in self.messages():
            for part in message.parts:
                if isinstance(part.block, Text):
                    yield part.entry, message.role, part.block.text
                elif isinstance(part.block, CallResult) and _only_texts(part.block):
                    yield part.entry, message.role, plain_text(list(part.block.content))


def _only_texts(result: CallResult) -> bool:
    return all(isinstance(block, Text) for block in result.content)
