"""The body of a Chat Completions request, version `openai-chat/1`.

The order of fields is fixed, `messages` comes last and begins with the system prompt. The limit of
the output is `max_tokens`, which every server knows; `max_completion_tokens` among the extra
parameters takes its place. Reasoning is not sent back. A result with pictures is a text for its
call, followed by a user message with the pictures: tool messages hold text only.
"""

from __future__ import annotations

from msgspec import structs

from induscode.gateway.asking import extra_fields, system_text, thinking_level
from induscode.gateway.encoding import FoldEncoder, json_text
from induscode.gateway.openai.fields import (
    NO_TEXT,
    data_url,
    joined,
    members,
    object_bytes,
    result_text,
    text_of,
)
from induscode.kernel.content import Image, Json, SaidBlock, Text, ToolCall
from induscode.kernel.model import Body
from induscode.kernel.request import CallResult, Head, Message, NeutralRequest, Part, ToolSchema

__all__ = ["WIRE", "ChatEncoder"]

WIRE = "openai-chat"
_OURS = frozenset({"functions", "messages", "model", "n", "stream", "tools"})
_NOBODY_SPOKE = Message(role="user", parts=())
_SEE_BELOW = "(see the pictures that follow)"


class ChatEncoder(FoldEncoder):
    @property
    def version(self) -> str:
        return "openai-chat/1"

    def encode(self, request: NeutralRequest) -> Body:
        if not request.sealed and request.tail is None:
            request = structs.replace(request, tail=_NOBODY_SPOKE)
        return super().encode(request)

    def head_bytes(self, head: Head) -> bytes:
        asked = head.parameters
        extra = extra_fields(asked, _OURS)
        fields = {
            "model": json_text(head.model),
            "stream": b"true",
            "stream_options": b'{"include_usage":true}',
        }
        if head.tools:
            fields["tools"] = b"[" + b",".join([_tool(tool) for tool in head.tools]) + b"]"
        if "max_completion_tokens" not in extra:
            fields["max_tokens"] = str(asked.max_output).encode()
        level = thinking_level(asked)
        if level:
            fields["reasoning_effort"] = json_text(level)
        system = system_text(head.system)
        opening = _message("system", json_text(system)) + b"," if system else b""
        return b"{" + members(fields | extra) + b',"messages":[' + opening

    def message_bytes(self, message: Message) -> bytes:
        return _assistant(message) if message.role == "assistant" else _user(message)


def _tool(tool: ToolSchema) -> bytes:
    function = object_bytes(
        name=json_text(tool.name),
        description=json_text(tool.description),
        parameters=bytes(tool.parameters),
    )
    return object_bytes(type=b'"function"', function=function)


def _message(role: str, content: bytes, **more: bytes) -> bytes:
    return object_bytes(role=json_text(role), content=content, **more)


def _assistant(message: Message) -> bytes:
    text = joined([part.block.text for part in message.parts if isinstance(part.block, Text)])
    calls = [_call(part, part.block) for part in message.parts if isinstance(part.block, ToolCall)]
    if not calls:
        return _message("assistant", json_text(text or NO_TEXT))
    content = json_text(text) if text else b"null"
    return _message("assistant", content, tool_calls=b"[" + b",".join(calls) + b"]")


def _call(part: Part, call: ToolCall) -> bytes:
    function = object_bytes(
        name=json_text(call.name),
        arguments=json_text(bytes(call.arguments).decode("utf-8", "replace")),
    )
    return object_bytes(id=json_text(part.call or call.id), type=b'"function"', function=function)


def _user(message: Message) -> bytes:
    """Several messages when results are among the parts: first the results, then what was said."""
    blocks = [part.block for part in message.parts]
    results = [block for block in blocks if isinstance(block, CallResult)]
    said = [block for block in blocks if isinstance(block, Text | Json | Image)]
    spoken = [_result(result) for result in results]
    pictures = [piece for result in results for piece in _pictures(result)]
    content = _content(pictures, said)
    if content or not spoken:
        spoken.append(_message("user", content or json_text(NO_TEXT)))
    return b",".join(spoken)


def _result(result: CallResult) -> bytes:
    text = result_text(result)
    if not text:
        shown = any(isinstance(block, Image) for block in result.content)
        text = _SEE_BELOW if shown else NO_TEXT
    return _message("tool", json_text(text), tool_call_id=json_text(result.call))


def _pictures(result: CallResult) -> list[bytes]:
    images = [block for block in result.content if isinstance(block, Image)]
    if not images:
        return []
    told = f"These pictures belong to the result of the call {result.call}:"
    return [_text(told), *[_image(image) for image in images]]


def _content(pictures: list[bytes], said: list[SaidBlock]) -> bytes:
    """A plain string when there is only text, which every server understands."""
    if not pictures and not any(isinstance(block, Image) for block in said):
        text = joined([text_of(block) for block in said if not isinstance(block, Image)])
        return json_text(text) if text else b""
    parts = list(pictures)
    for block in said:
        if isinstance(block, Image):
            parts.append(_image(block))
        elif text := text_of(block):
            parts.append(_text(text))
    return b"[" + b",".join(parts) + b"]"


def _text(text: str) -> bytes:
    return object_bytes(type=b'"text"', text=json_text(text))


def _image(image: Image) -> bytes:
    return object_bytes(type=b'"image_url"', image_url=object_bytes(url=data_url(image)))
