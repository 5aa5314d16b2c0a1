"""The body of a Responses request, version `openai-responses/1`.

The order of fields is fixed, `input` comes last. Items of the provider's own (reasoning above all)
go back byte for byte and in their order, to this wire only. Reasoning goes back if it can be read
there (its encrypted or plain content came along) and if something follows it in its answer; the
API refuses it otherwise. A `phase` that the provider gave to a message goes back with it.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from induscode.gateway.asking import extra_fields, system_text, thinking_level
from induscode.gateway.encoding import FoldEncoder, json_text
from induscode.gateway.openai.fields import (
    NO_TEXT,
    data_url,
    members,
    object_bytes,
    result_text,
    text_of,
)
from induscode.kernel.content import Image, Json, Opaque, Text, ToolCall
from induscode.kernel.request import CallResult, Head, Message, ToolSchema

__all__ = ["WIRE", "ResponsesEncoder"]

WIRE = "openai-responses"
_OURS = frozenset({
    "background",
    "conversation",
    "input",
    "instructions",
    "model",
    "previous_response_id",
    "prompt",
    "stream",
    "tools",
})  # fmt: skip


class ResponsesEncoder(FoldEncoder):
    @property
    def version(self) -> str:
        return "openai-responses/1"

    def head_bytes(self, head: Head) -> bytes:
        asked = head.parameters
        fields = {"model": json_text(head.model), "stream": b"true", "store": b"false"}
        system = system_text(head.system)
        if system:
            fields["instructions"] = json_text(system)
        if head.tools:
            fields["tools"] = b"[" + b",".join([_tool(tool) for tool in head.tools]) + b"]"
        fields["max_output_tokens"] = str(asked.max_output).encode()
        level = thinking_level(asked)
        if level:
            fields["reasoning"] = object_bytes(effort=json_text(level), summary=b'"auto"')
            fields["include"] = b'["reasoning.encrypted_content"]'
        return b"{" + members(fields | extra_fields(asked, _OURS)) + b',"input":['

    def message_bytes(self, message: Message) -> bytes:
        items = _Items(message.role)
        for part in message.parts:
            match part.block:
                case Text() | Json() as said:
                    items.say(text_of(said))
                case Image() as image:
                    items.show(image)
                case ToolCall() as call:
                    items.add(_call(part.call or call.id, call))
                case CallResult() as result:
                    items.add(_result(result))
                case Opaque() as item if WIRE == message.wire == item.wire:
                    items.bring_back(item.raw)
                case _:  # thinking and items of other wires have no place here
                    pass
        return items.all()


class _Told(Struct):
    """What an item of the provider's says of itself, as far as it matters here."""

    type: str = ""
    phase: str = ""
    encrypted_content: str | None = None
    content: list[Raw] | None = None


class _Items:
    """The items of one message, in order; neighbouring texts and pictures share a message item."""

    def __init__(self, role: str) -> None:
        self._role = role
        self._text_type = b'"output_text"' if role == "assistant" else b'"input_text"'
        self._items: list[bytes] = []
        self._content: list[bytes] = []
        self._phase = ""
        self._reasoned = 0  # so many items at the end are reasoning that nothing has followed yet

    def say(self, text: str) -> None:
        if text:
            self._content.append(object_bytes(type=self._text_type, text=json_text(text)))

    def show(self, image: Image) -> None:
        self._content.append(_image(image))

    def add(self, item: bytes) -> None:
        self._flush()
        self._items.append(item)
        self._reasoned = 0

    def bring_back(self, raw: Raw) -> None:
        told = _told(raw)
        if told.phase and not told.type:
            self._flush()
            self._phase = told.phase
        elif told.type != "reasoning":
            self.add(bytes(raw))
        elif told.encrypted_content or told.content:
            self._flush()
            self._items.append(bytes(raw))
            self._reasoned += 1

    def all(self) -> bytes:
        self._flush()
        if self._reasoned:
            del self._items[-self._reasoned :]
        if not self._items:
            self.say(NO_TEXT)
            self._flush()
        return b",".join(self._items)

    def _flush(self) -> None:
        if not self._content:
            return
        fields = {"type": b'"message"', "role": json_text(self._role)}
        if self._phase:
            fields["phase"] = json_text(self._phase)
        fields["content"] = b"[" + b",".join(self._content) + b"]"
        self._items.append(object_bytes(**fields))
        self._content = []
        self._phase = ""
        self._reasoned = 0


def _told(raw: Raw) -> _Told:
    try:
        return msgspec.json.decode(raw, type=_Told)
    except ValueError:
        return _Told(type="unknown")


def _tool(tool: ToolSchema) -> bytes:
    return object_bytes(
        type=b'"function"',
        name=json_text(tool.name),
        description=json_text(tool.description),
        parameters=bytes(tool.parameters),
        strict=b"false",
    )


def _call(call_id: str, call: ToolCall) -> bytes:
    return object_bytes(
        type=b'"function_call"',
        call_id=json_text(call_id),
        name=json_text(call.name),
        arguments=json_text(bytes(call.arguments).decode("utf-8", "replace")),
    )


def _result(result: CallResult) -> bytes:
    """Text alone is a string; with pictures it is a list, the text first."""
    text = result_text(result)
    images = [_image(block) for block in result.content if isinstance(block, Image)]
    output = json_text(text or NO_TEXT)
    if images:
        written = [object_bytes(type=b'"input_text"', text=json_text(text))] if text else []
        output = b"[" + b",".join([*written, *images]) + b"]"
    return object_bytes(
        type=b'"function_call_output"', call_id=json_text(result.call), output=output
    )


def _image(image: Image) -> bytes:
    return object_bytes(type=b'"input_image"', image_url=data_url(image), detail=b'"auto"')
