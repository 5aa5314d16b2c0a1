"""What a context hook wants changed, reduced to operations that the log can explain."""

from __future__ import annotations

import msgspec

from induscode.conductor.hooks import Shape, Stop
from induscode.kernel.jsontext import digest
from induscode.kernel.request import NeutralRequest, Part
from induscode.session.entries import Amendment, Operation

__all__ = ["MAX_OPERATIONS", "amendment_of"]

MAX_OPERATIONS = 64
"""More in one amendment is not a change to the context but another one."""


def amendment_of(shape: Shape, request: NeutralRequest, by: str) -> Amendment | Stop:
    """The entry, with the digest of what each operation finds and of what it puts there; or why it
    is refused: too many operations, or one on something the model does not see."""
    if len(shape.operations) > MAX_OPERATIONS:
        count = len(shape.operations)
        return Stop(f"{by} wants {count} changes at once; at most {MAX_OPERATIONS} are taken")
    seen: dict[str, list[Part]] = {}
    for message in request.messages():
        for part in message.parts:
            seen.setdefault(part.entry, []).append(part)
    operations: list[Operation] = []
    for operation in shape.operations:
        parts = seen.get(operation.target)
        if parts is None:
            return Stop(f"{by} wants to change {operation.target}, which the model does not see")
        before = digest(msgspec.json.encode([part.block for part in parts]))
        after = digest(msgspec.json.encode(operation.content))
        operations.append(msgspec.structs.replace(operation, before=before, after=after))
    return Amendment(operations=operations, parameters=shape.parameters)
