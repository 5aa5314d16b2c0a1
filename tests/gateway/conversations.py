"""Requests for the gateway's tests, short to write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Raw

from induscode.kernel.content import SaidBlock, Text, ToolCall
from induscode.kernel.request import (
    CallResult,
    Head,
    Message,
    NeutralRequest,
    Parameters,
    Part,
    Span,
    ToolSchema,
)

READ = ToolSchema(
    name="read",
    description="Read a file.",
    parameters=Raw(b'{"type":"object","properties":{"path":{"type":"string"}}}'),
    by="builtin",
    entry="e0",
)


def part(block: Any, call: str = "") -> Part:
    return Part(block=block, entry="e1", by="test", call=call)


def user(*blocks: Any) -> Message:
    said = [Text(block) if isinstance(block, str) else block for block in blocks]
    return Message(role="user", parts=tuple(part(block) for block in said))


def assistant(*blocks: Any, wire: str = "anthropic", model: str = "claude-fake") -> Message:
    parts: list[Part] = []
    for block in blocks:
        said = Text(block) if isinstance(block, str) else block
        parts.append(part(said, said.id if isinstance(said, ToolCall) else ""))
    return Message(role="assistant", parts=tuple(parts), wire=wire, model=model)


def tool_use(call_id: str, name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=Raw(json.dumps(arguments).encode()))


def result(call_id: str, *content: SaidBlock | str, is_error: bool = False) -> CallResult:
    blocks = tuple(Text(block) if isinstance(block, str) else block for block in content)
    return CallResult(call=call_id, content=blocks, is_error=is_error)


def head(
    *spans: str,
    tools: Sequence[ToolSchema] = (),
    model: str = "claude-fake",
    max_output: int = 1024,
    thinking: str = "off",
    **extra: Any,
) -> Head:
    raw = {name: Raw(json.dumps(value).encode()) for name, value in extra.items()}
    return Head(
        model=model,
        parameters=Parameters(max_output=max_output, thinking=thinking, extra=raw),
        system=tuple(Span(f"s{at}", text, "test", "e0") for at, text in enumerate(spans)),
        tools=tuple(tools),
    )


def request(
    *messages: Message, head: Head, tail: Message | None = None, revision: int = 0
) -> NeutralRequest:
    return NeutralRequest(head=head, sealed=list(messages), tail=tail, revision=revision)


def small_request(text: str = "hello") -> NeutralRequest:
    return request(head=head("Be brief.", tools=[READ]), tail=user(text))


class Heard:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.sent_count = 0
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.notes: list[str] = []

    def sent(self) -> None:
        self.sent_count += 1

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)

    def text(self, delta: str) -> None:
        self.texts.append(delta)

    def thinking(self, delta: str) -> None:
        self.thoughts.append(delta)
