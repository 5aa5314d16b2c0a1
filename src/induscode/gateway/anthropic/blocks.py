"""Content blocks as they grow, one delta after the other."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from induscode.gateway.anthropic.encoder import WIRE
from induscode.gateway.anthropic.events import Delta
from induscode.gateway.calls import tool_call
from induscode.kernel.content import AnswerBlock, Opaque, Text, Thinking

__all__ = ["GrowingBlock"]


class _Start(Struct):
    """What a block says of itself when it opens."""

    type: str = ""
    id: str = ""
    name: str = ""
    text: str = ""
    thinking: str = ""
    signature: str = ""
    input: Raw = Raw(b"")


class GrowingBlock:
    """Keeps a known block's parts apart and an unknown block raw. Citations are not kept: the text
    they belong to is."""

    def __init__(self, raw: Raw) -> None:
        """Raises `ValueError` for a block that is not an object of the expected shape."""
        self._raw = msgspec.json.format(bytes(raw), indent=-1)
        self._start = msgspec.json.decode(self._raw, type=_Start)
        self._text = [self._start.text + self._start.thinking]
        self._json: list[str] = []
        self._signature = self._start.signature

    def grow(self, delta: Delta) -> tuple[str, str]:
        """Take a delta; returns the new text and the new thinking."""
        match delta.type:
            case "text_delta":
                self._text.append(delta.text)
                return delta.text, ""
            case "thinking_delta":
                self._text.append(delta.thinking)
                return "", delta.thinking
            case "input_json_delta":
                self._json.append(delta.partial_json)
            case "signature_delta":
                self._signature += delta.signature
            case _:
                pass
        return "", ""

    def whole(self) -> AnswerBlock | None:
        """The block as far as it has come; None for an empty text."""
        start = self._start
        match start.type:
            case "text":
                text = "".join(self._text)
                return Text(text) if text else None
            case "thinking":
                return Thinking("".join(self._text), self._signature)
            case "tool_use":
                arguments = "".join(self._json) or bytes(start.input).decode("utf-8", "replace")
                return tool_call(start.id, start.name, arguments)
            case _:
                return Opaque(wire=WIRE, raw=self._merged())

    def _merged(self) -> Raw:
        """An unknown block with its deltas put where its opening had left room for them."""
        grown: dict[str, Raw] = {}
        if self._json:
            grown["input"] = tool_call("", "", "".join(self._json)).arguments
        if len(self._text) > 1:
            grown["text"] = Raw(msgspec.json.encode("".join(self._text)))
        if not grown:
            return Raw(self._raw)
        fields = msgspec.json.decode(self._raw, type=dict[str, Raw])
        return Raw(msgspec.json.encode({**fields, **grown}))
