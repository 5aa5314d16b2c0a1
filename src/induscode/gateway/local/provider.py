"""Puts the prompts of a body to the engine, and what it writes into an answer."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

import msgspec
from msgspec import Raw, Struct

from induscode.errors import ModelUnknown, StreamBroken
from induscode.gateway.calls import tool_call
from induscode.gateway.factory import IDLE_TIMEOUT
from induscode.gateway.local.encoder import LocalEncoder
from induscode.gateway.local.engine import Engine
from induscode.gateway.local.installation import require
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Text, ToolCall
from induscode.kernel.jsontext import canonical
from induscode.kernel.model import Answer, Body, Encoder, ExchangeListener, StopReason, Usage

__all__ = ["MODEL", "LocalProvider", "connect"]

MODEL = "smollm2"
_WIRE = "local"
_NO_TOOL = "none"


class _Asked(Struct, frozen=True):
    answer: Raw
    choice: Raw = Raw()
    left_out: int = 0


class _Written(Struct):
    """What the engine wrote to one prompt."""

    text: str = ""
    stop: StopReason = StopReason.END
    usage: Usage = Usage()


class LocalProvider:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._partial: Answer | None = None
        self._count = 0

    @property
    def wire(self) -> str:
        return _WIRE

    @property
    def partial(self) -> Answer | None:
        return self._partial

    def encoder(self) -> Encoder:
        return LocalEncoder()

    async def exchange(self, body: Body, listener: ExchangeListener, cancel: CancelToken) -> Answer:
        cancel.check()
        self._partial = None
        self._count += 1
        asked = msgspec.json.decode(body.data, type=_Asked)
        if not self._engine.running:
            listener.note(f"loading {_WIRE}/{MODEL}, a small model that runs on this machine")
        if asked.left_out:
            listener.note(f"{MODEL} reads little at a time: {asked.left_out} bytes were left out")
        await self._engine.start(cancel)
        listener.sent()
        spent = Usage()
        if bytes(asked.choice):
            chosen = _Written()
            await self._write(asked.choice, chosen, cancel, _unheard)
            spent = chosen.usage
            call = _call(chosen, self._count)
            if call is not None:
                return self._made((call,), StopReason.TOOLS, spent)
        return await self._say(asked.answer, spent, listener, cancel)

    async def close(self) -> None:
        await self._engine.close()

    async def _say(
        self, prompt: Raw, spent: Usage, listener: ExchangeListener, cancel: CancelToken
    ) -> Answer:
        said, whole = _Written(), False
        try:
            await self._write(prompt, said, cancel, listener.text)
            whole = True
        finally:
            if not whole and said.text:
                text = (Text(said.text),)
                self._partial = self._made(text, StopReason.PARTIAL, spent + said.usage)
        return self._made((Text(said.text),), said.stop, spent + said.usage)

    async def _write(
        self, prompt: Raw, into: _Written, cancel: CancelToken, hear: Callable[[str], None]
    ) -> None:
        async with aclosing(self._engine.ask(bytes(prompt), cancel)) as chunks:
            async for chunk in chunks:
                for choice in chunk.choices:
                    if choice.delta.content:
                        into.text += choice.delta.content
                        hear(choice.delta.content)
                    if choice.finish_reason == "length":
                        into.stop = StopReason.LENGTH
                if chunk.usage is not None:
                    counted = chunk.usage
                    into.usage = Usage(counted.prompt_tokens, counted.completion_tokens)

    def _made(self, content: tuple[Text | ToolCall, ...], stop: StopReason, usage: Usage) -> Answer:
        return Answer(content, stop, usage, model=MODEL, id=f"local_{self._count}")


def connect(model: str) -> LocalProvider:
    """Raises `NotInstalled`, and `ModelUnknown` for any other model than the one there is."""
    if model != MODEL:
        raise ModelUnknown(f"there is no local model {model!r}", hint=f"use {_WIRE}/{MODEL}")
    return LocalProvider(Engine(require(), idle_timeout=IDLE_TIMEOUT))


def _call(written: _Written, number: int) -> ToolCall | None:
    """The call that was chosen. Raises `StreamBroken` for what the grammar does not allow."""
    try:
        fields = msgspec.json.decode(written.text, type=dict[str, str])
        tool = fields.pop("tool")
    except (msgspec.DecodeError, KeyError):
        raise StreamBroken("the local model's choice of a tool broke off") from None
    if tool == _NO_TOOL:
        return None
    return tool_call(f"call_{number}", tool, canonical(fields).decode())


def _unheard(delta: str) -> None:
    """A choice is no text for the user."""
    del delta
