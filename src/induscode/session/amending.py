"""One operation of an amendment, applied to the parts of a message.

Whatever is done, a request stays valid: a result keeps its call, a call is never removed. `omit`
takes from an answer only its thinking (and blocks we do not know); `replace` only its text.
"""

from __future__ import annotations

from induscode.kernel.content import Image, Json, Opaque, SaidBlock, Text, Thinking, ToolCall
from induscode.kernel.request import CallResult, Message, Part
from induscode.session.entries import Operation

__all__ = ["changed"]

_OMITTED = "[omitted]"


def changed(message: Message, operation: Operation, added: list[Part]) -> list[Part]:
    """The parts of `message` after `operation`; `added` are its own parts, ready to place."""
    mine = [part for part in message.parts if part.entry == operation.target]
    if not mine:
        return list(message.parts)
    match operation.op:
        case "append":
            new = _appended(mine, added)
        case "omit":
            new = [kept for part in mine if (kept := _omitted(part, message.role)) is not None]
        case "replace":
            new = _replaced(mine, added)
    first = next(i for i, part in enumerate(message.parts) if part.entry == operation.target)
    before = list(message.parts[:first])
    after = [part for part in message.parts[first:] if part.entry != operation.target]
    return before + new + after


def _omitted(part: Part, role: str) -> Part | None:
    if isinstance(part.block, CallResult):
        block = CallResult(part.block.call, (Text(_OMITTED),), part.block.is_error)
        return Part(block, part.entry, part.by)
    if role == "assistant":
        return None if isinstance(part.block, Thinking | Opaque) else part
    return None


def _appended(mine: list[Part], added: list[Part]) -> list[Part]:
    """A result grows by what is added to it: nothing may stand between the results of an answer."""
    match mine[-1].block:
        case CallResult(call, content, is_error):
            longer = CallResult(call, content + _said(added), is_error)
            return [*mine[:-1], Part(longer, mine[-1].entry, mine[-1].by)]
        case _:
            return [*mine, *added]


def _said(added: list[Part]) -> tuple[SaidBlock, ...]:
    return tuple(p.block for p in added if isinstance(p.block, Text | Image | Json))


def _replaced(mine: list[Part], added: list[Part]) -> list[Part]:
    kept: list[Part] = []
    placed = False
    for part in mine:
        match part.block:
            case CallResult(call, _, is_error):
                said = _said(added) or (Text(_OMITTED),)
                by = added[0].by if added else part.by
                kept.append(Part(CallResult(call, said, is_error), part.entry, by))
                placed = True
            case ToolCall() | Thinking() | Opaque():
                kept.append(part)
            case _ if not placed:
                kept.extend(added)
                placed = True
            case _:
                pass
    return kept
