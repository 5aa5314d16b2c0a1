"""The body of a Messages request, version `anthropic/1`.

The order of fields is fixed, `messages` comes last. JSON that somebody else wrote (tool schemas,
arguments, extra parameters, unknown blocks) is copied byte for byte. Cache marks stand on the
system prompt (without one: on the last tool) and on the last block of the last two user messages.
"""

from __future__ import annotations

from base64 import b64encode
from typing import assert_never

from induscode.gateway.asking import extra_fields, max_tokens, system_text, thinking_budget
from induscode.gateway.encoding import FoldEncoder, json_text
from induscode.kernel.content import Image, Json, Opaque, SaidBlock, Text, Thinking, ToolCall
from induscode.kernel.request import CallResult, Head, Message, Part, Span, ToolSchema

__all__ = ["WIRE", "AnthropicEncoder"]

WIRE = "anthropic"
_MARK = b',"cache_control":{"type":"ephemeral"}'
_BLOCK_END = b"}]}"
_OURS = frozenset({"messages", "model", "stream", "system", "tools"})
_NO_TEXT = b'{"type":"text","text":"(no text)"}'


class AnthropicEncoder(FoldEncoder):
    @property
    def version(self) -> str:
        return "anthropic/1"

    def head_bytes(self, head: Head) -> bytes:
        budget = thinking_budget(head.parameters)
        fields = {
            "model": json_text(head.model),
            "max_tokens": str(max_tokens(head.parameters, budget)).encode(),
            "stream": b"true",
        }
        system = _system(head.system)
        if system:
            fields["system"] = system
        if head.tools:
            fields["tools"] = _tools(head.tools, mark=not system)
        if budget:
            fields["thinking"] = b'{"type":"enabled","budget_tokens":%d}' % budget
        fields |= extra_fields(head.parameters, _OURS)
        pairs = [json_text(name) + b":" + value for name, value in fields.items()]
        return b"{" + b",".join(pairs) + b',"messages":['

    def message_bytes(self, message: Message) -> bytes:
        blocks = [encoded for part in message.parts if (encoded := _part(part, message.wire))]
        content = b",".join(blocks) or _NO_TEXT
        return b'{"role":"' + message.role.encode() + b'","content":[' + content + b"]}"

    def marked(self, fragment: bytes) -> bytes:
        return fragment[: -len(_BLOCK_END)] + _MARK + _BLOCK_END


def _system(spans: tuple[Span, ...]) -> bytes:
    text = system_text(spans)
    if not text:
        return b""
    return b'[{"type":"text","text":' + json_text(text) + _MARK + b"}]"


def _tools(tools: tuple[ToolSchema, ...], *, mark: bool) -> bytes:
    encoded = [
        b'{"name":' + json_text(tool.name)
        + b',"description":' + json_text(tool.description)
        + b',"input_schema":' + bytes(tool.parameters)
        for tool in tools
    ]  # fmt: skip
    return b"[" + b"},".join(encoded) + (_MARK if mark else b"") + b"}]"


def _part(part: Part, wire: str) -> bytes:
    """One block, or nothing if it has no place on this wire."""
    block = part.block
    match block:
        case Text() | Image() | Json():
            return _said(block)
        case ToolCall():
            return (
                b'{"type":"tool_use","id":' + json_text(part.call or block.id)
                + b',"name":' + json_text(block.name)
                + b',"input":' + bytes(block.arguments) + b"}"
            )  # fmt: skip
        case CallResult():
            return _result(block)
        case Thinking():
            return _thinking(block) if wire == WIRE and block.signature else b""
        case Opaque():
            return bytes(block.raw) if wire == WIRE and block.wire == WIRE else b""
        case _:
            assert_never(block)


def _said(block: SaidBlock) -> bytes:
    match block:
        case Text():
            return _text(block.text)
        case Json():
            return _text(bytes(block.value).decode("utf-8", "replace"))
        case Image():
            return (
                b'{"type":"image","source":{"type":"base64","media_type":'
                + json_text(block.media_type)
                + b',"data":"' + b64encode(block.data) + b'"}}'
            )  # fmt: skip
        case _:
            assert_never(block)


def _text(text: str) -> bytes:
    """Nothing for an empty text: the API refuses such blocks."""
    return b'{"type":"text","text":' + json_text(text) + b"}" if text else b""


def _thinking(block: Thinking) -> bytes:
    return (
        b'{"type":"thinking","thinking":' + json_text(block.text)
        + b',"signature":' + json_text(block.signature) + b"}"
    )  # fmt: skip


def _result(result: CallResult) -> bytes:
    content = b",".join([encoded for block in result.content if (encoded := _said(block))])
    return (
        b'{"type":"tool_result","tool_use_id":' + json_text(result.call)
        + b',"content":[' + content + b"]"
        + (b',"is_error":true' if result.is_error else b"") + b"}"
    )  # fmt: skip
