"""What a small model needs of a conversation, cut to what it can hold.

Limits are in bytes, and no token of this model is shorter than a byte, so a prompt always fits the
engine's window (`worker.CONTEXT`) together with its answer. What is left out is counted, and
a mark stands in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec import Struct

from induscode.kernel.content import Image, Json, SaidBlock, Text, ToolCall
from induscode.kernel.jsontext import clean_text
from induscode.kernel.request import CallResult, Message, NeutralRequest

__all__ = ["Cut", "Exchanged", "Result", "Transcript", "cut", "read_transcript"]

_QUESTION = 600
_RESULT = 2000
_PAST = 200
_EXCHANGES = 2
_NUMBERED = re.compile(r"^ *\d+\t", re.MULTILINE)
_HOST = "builtin:"


class Cut(Struct, frozen=True):
    """A text that fits, and how many bytes of it do not."""

    text: str
    removed: int = 0


class Result(Struct, frozen=True):
    """What a tool gave back, with the words of the call that asked for it."""

    tool: str
    argument: str
    said: Cut
    is_error: bool


class Exchanged(Struct, frozen=True):
    """An earlier question and its answer."""

    question: str
    answer: str


class Transcript(Struct, frozen=True):
    """`result` is there when a call was just answered; `is_asked` when a person has just spoken
    and no call was made yet. `past` has the oldest first."""

    question: Cut
    result: Result | None
    is_asked: bool
    past: tuple[Exchanged, ...]

    @property
    def removed(self) -> int:
        return self.question.removed + (self.result.said.removed if self.result else 0)


def read_transcript(request: NeutralRequest) -> Transcript:
    """Looks back no further than it needs to."""
    back = _backwards(request)
    last = next(back, Message("user", ()))
    result, question = None, ""
    if last.role == "user":
        question = _said(last)
        result = _result(last, request.sealed[-2:])
    while not question and (message := next(back, None)) is not None:
        question = _said(message) if message.role == "user" else ""
    return Transcript(
        question=cut(question, _QUESTION),
        result=result,
        is_asked=result is None and _by_a_person(last),
        past=tuple(_past(back))[::-1],
    )


def cut(text: str, limit: int) -> Cut:
    """The beginning of a text, without the marks that would end a turn."""
    plain = clean_text(text)[0].replace("<|", "< |").strip()
    data = plain.encode()
    if len(data) <= limit:
        return Cut(plain)
    kept = data[:limit].decode(errors="ignore").rstrip()
    removed = len(data) - len(kept.encode())
    return Cut(f"{kept}\n[... {removed} bytes left out ...]", removed)


def _backwards(request: NeutralRequest) -> Iterator[Message]:
    tail = () if request.tail is None else (request.tail,)
    return chain(tail, reversed(request.sealed))


def _said(message: Message) -> str:
    texts = [part.block.text for part in message.parts if isinstance(part.block, Text)]
    return "\n".join(texts)


def _by_a_person(message: Message) -> bool:
    """The host's own questions (condense this conversation) are no reason to use a tool."""
    if message.role != "user" or not message.parts:
        return False
    part = message.parts[-1]
    return isinstance(part.block, Text) and not part.by.startswith(_HOST)


def _result(message: Message, before: Sequence[Message]) -> Result | None:
    """The last result of a message, under the name and the first argument of its call."""
    found = [part.block for part in message.parts if isinstance(part.block, CallResult)]
    if not found:
        return None
    call = _call(found[-1].call, before)
    said = "\n".join(_words(block) for block in found[-1].content)
    if call is None:
        return Result("", "", cut(said, _RESULT), found[-1].is_error)
    if call.name == "read":
        said = _NUMBERED.sub("", said)
    words = [value for value in call.decoded().values() if isinstance(value, str)]
    argument = cut(words[0], _PAST).text if words else ""
    return Result(call.name, argument, cut(said, _RESULT), found[-1].is_error)


def _call(wanted: str, before: Sequence[Message]) -> ToolCall | None:
    for part in (part for message in before for part in message.parts):
        if isinstance(part.block, ToolCall) and wanted in (part.call, part.block.id):
            return part.block
    return None


def _words(block: SaidBlock) -> str:
    match block:
        case Text():
            return block.text
        case Json():
            return bytes(block.value).decode(errors="replace")
        case Image():
            return "[a picture]"


def _past(back: Iterator[Message]) -> Iterator[Exchanged]:
    """Earlier exchanges that ended in words, the latest first."""
    answer, count = "", 0
    for message in back:
        said = _said(message)
        if message.role == "assistant":
            answer = answer or said
        elif said and answer:
            yield Exchanged(cut(said, _PAST).text, cut(answer, _PAST).text)
            answer, count = "", count + 1
        if count == _EXCHANGES:
            return
