"""The body of a `streamGenerateContent` request, version `gemini/1`.

The order of fields is fixed, `contents` comes last. JSON that somebody else wrote (tool schemas,
arguments, extra parameters, unknown parts) is copied byte for byte. The model stands in the
address, not in the body. What has no place on this wire is left out: thoughts without a signature,
signatures and unknown parts of another wire, the ids we made for calls that came without one.
"""

from __future__ import annotations

from base64 import b64encode
from typing import assert_never

import msgspec
from msgspec import Raw

from induscode.errors import RequestRejected
from induscode.gateway.asking import extra_fields, max_tokens, system_text, thinking_budget
from induscode.gateway.encoding import FoldEncoder, json_text
from induscode.gateway.gemini.ids import is_minted
from induscode.kernel.content import Image, Json, Opaque, SaidBlock, Text, Thinking, ToolCall
from induscode.kernel.request import CallResult, Head, Message, Parameters, Part, Span, ToolSchema

__all__ = ["WIRE", "GeminiEncoder"]

WIRE = "gemini"
_CONFIG = "generationConfig"
_OURS = frozenset({"contents", "model", "systemInstruction", "system_instruction", "tools"})
_NO_TEXT = b'{"text":"(no text)"}'
_ROLES = {"user": b"user", "assistant": b"model"}


class GeminiEncoder(FoldEncoder):
    """A result goes back under the name of its tool, which only the call told: the fold remembers
    the names of the calls it has passed."""

    def __init__(self) -> None:
        super().__init__()
        self._names: dict[str, str] = {}

    @property
    def version(self) -> str:
        return "gemini/1"

    def forget(self) -> None:
        self._names = {}

    def head_bytes(self, head: Head) -> bytes:
        extra = extra_fields(head.parameters, _OURS)
        fields: dict[str, bytes] = {}
        system = _system(head.system)
        if system:
            fields["systemInstruction"] = system
        if head.tools:
            fields["tools"] = _tools(head.tools)
        fields[_CONFIG] = _config(head.parameters, extra.pop(_CONFIG, b"{}"))
        fields |= extra
        return _object(fields)[:-1] + b',"contents":['

    def message_bytes(self, message: Message) -> bytes:
        parts = [encoded for part in message.parts if (encoded := self._part(part, message.wire))]
        listed = b",".join(parts) or _NO_TEXT
        return b'{"role":"' + _ROLES[message.role] + b'","parts":[' + listed + b"]}"

    def _part(self, part: Part, wire: str) -> bytes:
        """One part, or nothing if it has no place on this wire."""
        block = part.block
        match block:
            case Text() | Image() | Json():
                return _said(block)
            case ToolCall():
                return self._call(block, part.call or block.id, signed=wire == WIRE)
            case CallResult():
                return self._result(block)
            case Thinking():
                return _thinking(block) if wire == WIRE and block.signature else b""
            case Opaque():
                return bytes(block.raw) if wire == WIRE and block.wire == WIRE else b""
            case _:
                assert_never(block)

    def _call(self, call: ToolCall, wire_id: str, *, signed: bool) -> bytes:
        self._names[wire_id] = call.name
        made = {**_id(wire_id), "name": json_text(call.name), "args": bytes(call.arguments)}
        part = {"functionCall": _object(made)}
        if signed and call.signature:
            part["thoughtSignature"] = json_text(call.signature)
        return _object(part)

    def _result(self, result: CallResult) -> bytes:
        """Pictures stand beside the result they belong to: its own value is JSON."""
        words = [_words(block) for block in result.content if not isinstance(block, Image)]
        told = {"error" if result.is_error else "output": json_text("\n".join(words))}
        made = {
            **_id(result.call),
            "name": json_text(self._names.get(result.call, result.call)),
            "response": _object(told),
        }
        pictures = [_said(block) for block in result.content if isinstance(block, Image)]
        return b",".join([_object({"functionResponse": _object(made)}), *pictures])


def _object(fields: dict[str, bytes]) -> bytes:
    pairs = [json_text(name) + b":" + value for name, value in fields.items()]
    return b"{" + b",".join(pairs) + b"}"


def _id(wire_id: str) -> dict[str, bytes]:
    return {} if is_minted(wire_id) else {"id": json_text(wire_id)}


def _config(parameters: Parameters, extra: bytes) -> bytes:
    """Ours, with the fields that extra parameters replace or add."""
    budget = thinking_budget(parameters)
    fields = {"maxOutputTokens": str(max_tokens(parameters, budget)).encode()}
    if budget:
        fields["thinkingConfig"] = b'{"includeThoughts":true,"thinkingBudget":%d}' % budget
    try:
        theirs = msgspec.json.decode(extra, type=dict[str, Raw])
    except (ValueError, RecursionError):
        raise RequestRejected(
            f"the parameter {_CONFIG!r} is not a table", hint="write it as a table of fields"
        ) from None
    return _object(fields | {name: bytes(theirs[name]) for name in sorted(theirs)})


def _system(spans: tuple[Span, ...]) -> bytes:
    text = system_text(spans)
    return b'{"parts":[{"text":' + json_text(text) + b"}]}" if text else b""


def _tools(tools: tuple[ToolSchema, ...]) -> bytes:
    declared = [
        _object({
            "name": json_text(tool.name),
            "description": json_text(tool.description),
            "parametersJsonSchema": bytes(tool.parameters),
        })
        for tool in tools
    ]  # fmt: skip
    return b'[{"functionDeclarations":[' + b",".join(declared) + b"]}]"


def _said(block: SaidBlock) -> bytes:
    """Nothing for an empty text."""
    match block:
        case Text() | Json():
            words = _words(block)
            return b'{"text":' + json_text(words) + b"}" if words else b""
        case Image():
            return (
                b'{"inlineData":{"mimeType":' + json_text(block.media_type)
                + b',"data":"' + b64encode(block.data) + b'"}}'
            )  # fmt: skip
        case _:
            assert_never(block)


def _words(block: Text | Json) -> str:
    return block.text if isinstance(block, Text) else bytes(block.value).decode("utf-8", "replace")


def _thinking(block: Thinking) -> bytes:
    """A signature without a thought signs the text before it: it stands in an empty part."""
    part = {"text": json_text(block.text)}
    if block.text:
        part["thought"] = b"true"
    return _object({**part, "thoughtSignature": json_text(block.signature)})
