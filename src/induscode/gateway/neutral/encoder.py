"""`{"head": {...}, "messages": [...]}` with sorted keys and no white space."""

from __future__ import annotations

from base64 import b64encode
from typing import assert_never

from induscode.gateway.encoding import FoldEncoder
from induscode.kernel.content import Image, Json, Opaque, Text, Thinking, ToolCall
from induscode.kernel.jsontext import canonical, clean_text
from induscode.kernel.request import CallResult, Head, Message, Part

__all__ = ["NeutralEncoder"]


class NeutralEncoder(FoldEncoder):
    @property
    def version(self) -> str:
        return "neutral/1"

    def head_bytes(self, head: Head) -> bytes:
        asked = head.parameters
        value = {
            "extra": asked.extra,
            "max_output": asked.max_output,
            "model": _clean(head.model),
            "system": [{"name": span.name, "text": _clean(span.text)} for span in head.system],
            "thinking": asked.thinking,
            "tools": [
                {
                    "description": _clean(tool.description),
                    "name": tool.name,
                    "parameters": tool.parameters,
                }
                for tool in head.tools
            ],
        }
        return b'{"head":' + canonical(value) + b',"messages":['

    def message_bytes(self, message: Message) -> bytes:
        parts = [_part(part) for part in message.parts]
        return canonical({"content": parts, "role": message.role})


def _part(part: Part) -> dict[str, object]:
    block = part.block
    match block:
        case ToolCall():
            call: dict[str, object] = {
                "arguments": block.arguments,
                "id": part.call or block.id,
                "name": _clean(block.name),
                "type": "tool_call",
            }
            return call if block.broken is None else {**call, "broken": _clean(block.broken)}
        case CallResult():
            return {
                "call": block.call,
                "content": [_block(inner) for inner in block.content],
                "is_error": block.is_error,
                "type": "result",
            }
        case _:
            return _block(block)


def _block(block: Text | Image | Json | Thinking | Opaque) -> dict[str, object]:
    match block:
        case Text():
            return {"text": _clean(block.text), "type": "text"}
        case Image():
            data = b64encode(block.data).decode()
            return {"data": data, "media_type": block.media_type, "type": "image"}
        case Json():
            return {"type": "json", "value": block.value}
        case Thinking():
            signed = {"signature": block.signature} if block.signature else {}
            return {"text": _clean(block.text), "type": "thinking", **signed}
        case Opaque():
            return {"raw": block.raw, "type": "opaque", "wire": block.wire}
        case _:
            assert_never(block)


def _clean(text: str) -> str:
    return clean_text(text)[0]
