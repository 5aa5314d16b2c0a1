"""Output items as they grow, one delta after the other."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from induscode.gateway.calls import tool_call
from induscode.gateway.openai_responses.encoder import WIRE
from induscode.kernel.content import AnswerBlock, Opaque, Text
from induscode.kernel.jsontext import raw_json

__all__ = ["GrowingItem"]


class _Kind(Struct):
    type: str = ""
    id: str | None = None


class _Content(Struct):
    type: str = ""
    text: str | None = None
    refusal: str | None = None


class _Item(Struct):
    """A message, a call or reasoning, whichever fields it has."""

    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    phase: str | None = None
    content: list[_Content] | None = None
    summary: list[_Content] | None = None


_DECODED = frozenset({"function_call", "message", "reasoning"})


class GrowingItem:
    """Known items in their parts, others raw. An item of the provider's own is worth keeping only
    when it is finished: its opening may lack what makes it valid."""

    def __init__(self, raw: Raw) -> None:
        """Raises `ValueError` for an item that is not an object of the expected shape."""
        self.finished = False
        self.refused = False
        self._heard_thinking = False
        self._text: list[str] = []
        self._arguments: list[str] = []
        self._read(raw)

    @property
    def id(self) -> str:
        return self._kind.id or ""

    @property
    def is_call(self) -> bool:
        return self._kind.type == "function_call"

    def say(self, delta: str, *, refusing: bool) -> None:
        self._text.append(delta)
        self.refused = self.refused or refusing

    def think(self) -> None:
        """Some of its reasoning was told as it came."""
        self._heard_thinking = True

    def write(self, delta: str) -> None:
        self._arguments.append(delta)

    def rewrite(self, arguments: str) -> None:
        self._arguments = [arguments]

    def finish(self, raw: Raw) -> tuple[str, str]:
        """The item as it became; returns text and thinking that no delta had told. Raises
        `ValueError`."""
        self._read(raw)
        self.finished = True
        parts = self._item.content or ()
        self.refused = self.refused or any(part.type == "refusal" for part in parts)
        if self._kind.type == "message":
            return ("", "") if self._text else (self._said(), "")
        told = [part.text or "" for part in self._item.summary or parts]
        return "", "" if self._heard_thinking else "\n\n".join(told)

    def whole(self, number: int) -> list[AnswerBlock]:
        """What the item is worth so far; `number` makes an id for a call that has none."""
        match self._kind.type:
            case "message":
                return self._message()
            case "function_call":
                item = self._item
                written = (item.arguments if self.finished else "") or "".join(self._arguments)
                call_id = item.call_id or self.id or f"call_{number}"
                return [tool_call(call_id, item.name or "", written or item.arguments or "")]
            case _:
                return [Opaque(wire=WIRE, raw=self._raw)] if self.finished else []

    def _message(self) -> list[AnswerBlock]:
        text = (self._said() if self.finished else "") or "".join(self._text)
        if not text:
            return []
        phase = self._item.phase
        if not phase:
            return [Text(text)]
        return [Opaque(wire=WIRE, raw=raw_json({"phase": phase})), Text(text)]

    def _said(self) -> str:
        return "".join([part.text or part.refusal or "" for part in self._item.content or ()])

    def _read(self, raw: Raw) -> None:
        self._raw = Raw(msgspec.json.format(bytes(raw), indent=-1))
        self._kind = msgspec.json.decode(self._raw, type=_Kind)
        known = self._kind.type in _DECODED
        self._item = msgspec.json.decode(self._raw, type=_Item) if known else _Item()
