"""What hooks want changed of what the model sees, reduced to what the log can explain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from induscode.conductor.hooks import Shape, Stop
from induscode.feature.limits import HOOK_TEXT_CHARACTERS
from induscode.kernel.content import SaidBlock, Text
from induscode.kernel.jsontext import digest
from induscode.kernel.request import NeutralRequest, Part
from induscode.session.entries import Amendment, Operation
from induscode.session.stored import StoredSaid

__all__ = ["MAX_OPERATIONS", "amendment_of", "in_its_place", "too_long"]

MAX_OPERATIONS = 64
"""More in one amendment is not a change to the context but another one."""


def amendment_of(shape: Shape, request: NeutralRequest, by: str) -> Amendment | Stop | None:
    """The entry, with the digest of what each operation finds and of what it puts there. None where
    the model sees all of it so already. Or why it is refused: too many operations, too long a text,
    or an operation on something the model does not see."""
    count = len(shape.operations) + len(shape.added)
    if count > MAX_OPERATIONS:
        return _refused(f"{by} wants {count} changes at once; at most {MAX_OPERATIONS} are taken")
    texts = [b.text for op in shape.operations for b in op.content if isinstance(b, Text)]
    if why := next((why for text in (*texts, *shape.added) if (why := too_long(text))), ""):
        return _refused(f"{by} wants to change what the model sees: {why}")
    seen = _seen(request)
    operations: list[Operation] = []
    for operation in shape.operations:
        parts = seen.get(operation.target)
        if parts is None:
            target = operation.target
            return _refused(f"{by} wants to change {target}, which the model does not see")
        if not _is_so(operation, parts):
            found = _digest(part.block for part in parts)
            after = _digest(operation.content)
            operations.append(replace(operation, before=found, after=after))
    operations += _added(shape.added, seen, by)
    if not operations and not shape.parameters:
        return None
    return Amendment(operations=operations, parameters=shape.parameters)


def in_its_place(
    target: str, before: Sequence[SaidBlock], content: list[StoredSaid], by: str
) -> Amendment:
    """The amendment that puts `content` in the place of what `target` says, which is `before`."""
    operation = Operation(
        op="replace",
        target=target,
        content=content,
        before=_digest(before),
        after=_digest(content),
    )
    return Amendment(operations=[operation], by=by)


def too_long(text: str) -> str:
    """Why a hook may not put it before the model, "" when it may."""
    if len(text) <= HOOK_TEXT_CHARACTERS:
        return ""
    return f"a text of {len(text)} characters; at most {HOOK_TEXT_CHARACTERS} are taken"


def _seen(request: NeutralRequest) -> dict[str, list[Part]]:
    seen: dict[str, list[Part]] = {}
    for message in request.messages():
        for part in message.parts:
            seen.setdefault(part.entry, []).append(part)
    return seen


def _is_so(operation: Operation, parts: list[Part]) -> bool:
    """Whether the entry says nothing else than what would be put in its place."""
    return operation.op == "replace" and [part.block for part in parts] == operation.content


def _added(texts: Sequence[str], seen: dict[str, list[Part]], by: str) -> list[Operation]:
    """Those that do not stand there already, as one operation."""
    there = {
        part.block.text
        for parts in seen.values()
        for part in parts
        if part.by == by and isinstance(part.block, Text)
    }
    new: list[StoredSaid] = [Text(text) for text in dict.fromkeys(texts) if text not in there]
    return [Operation(op="append", target="", content=new, after=_digest(new))] if new else []


def _digest(blocks: Iterable[object]) -> str:
    return digest(msgspec.json.encode(list(blocks)))


def _refused(why: str) -> Stop:
    return Stop(why, "refused")
