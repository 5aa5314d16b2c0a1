"""Fingerprints of what a request showed the model, small enough to log with it.

The body's digest proves that a replay made the same bytes; the trail says which piece differs when
it did not. Each request logs only the pieces that are new since the request before, so a trail
grows with the conversation, not with its square.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from induscode.kernel.content import Opaque, Thinking
from induscode.kernel.jsontext import digest
from induscode.kernel.request import Head, Message, NeutralRequest, Part

__all__ = ["Trail", "entry_at", "pieces"]

_WIDTH = 10
_encode = msgspec.json.Encoder(order="deterministic").encode


class Trail:
    """Follows the requests of one branch."""

    def __init__(self) -> None:
        self._head: Head | None = None
        self._revision = -1
        self._messages = 0

    def of(self, request: NeutralRequest) -> dict[str, str]:
        """Fingerprints, by JSON path, of what is new in `request`."""
        found: dict[str, str] = {}
        if request.head is not self._head:
            found.update(_head_prints(request.head))
            self._head = request.head
        if request.revision != self._revision:
            self._messages = 0
            self._revision = request.revision
        messages = request.messages()
        # The last message seen may have grown since; it is fingerprinted anew.
        for index in range(max(0, self._messages - 1), len(messages)):
            for position, part in enumerate(messages[index].parts):
                found[f"messages[{index}].content[{position}]"] = _print_part(messages[index], part)
        self._messages = len(messages)
        return found


def pieces(request: NeutralRequest) -> dict[str, str]:
    """All fingerprints of a request, in the order in which the model reads it."""
    found = dict(_head_prints(request.head))
    for index, message in enumerate(request.messages()):
        for position, part in enumerate(message.parts):
            found[f"messages[{index}].content[{position}]"] = _print_part(message, part)
    return found


def entry_at(request: NeutralRequest, path: str) -> str:
    """The id of the entry behind a JSON path, or an empty string."""
    for name, entry in _entries(request):
        if name == path:
            return entry
    return ""


def _head_prints(head: Head) -> Iterator[tuple[str, str]]:
    yield "model", _print(head.model)
    yield "parameters", _print(head.parameters)
    for index, span in enumerate(head.system):
        yield f"system[{index}]", _print(span.text)
    for index, tool in enumerate(head.tools):
        yield f"tools[{index}]", _print((tool.name, tool.description, tool.parameters))


def _entries(request: NeutralRequest) -> Iterator[tuple[str, str]]:
    for index, span in enumerate(request.head.system):
        yield f"system[{index}]", span.entry
    for index, tool in enumerate(request.head.tools):
        yield f"tools[{index}]", tool.entry
    for index, message in enumerate(request.messages()):
        for position, part in enumerate(message.parts):
            yield f"messages[{index}].content[{position}]", part.entry


def _print_part(message: Message, part: Part) -> str:
    if isinstance(part.block, Thinking | Opaque):  # whether they go back depends on who wrote them
        return _print((part.block, message.wire, message.model))
    return _print((part.block, part.call))


def _print(value: object) -> str:
    return digest(_encode(value))[:_WIDTH]
