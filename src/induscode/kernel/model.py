"""What a model provider is: an encoder that makes bytes, and an exchange that sends them."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import AnswerBlock
from induscode.kernel.request import NeutralRequest

__all__ = ["Answer", "Body", "Encoder", "ExchangeListener", "Provider", "StopReason", "Usage"]


class StopReason(StrEnum):
    """Why an answer ended. `PARTIAL` is ours: the stream broke off or was stopped."""

    END = "end"
    TOOLS = "tools"
    LENGTH = "length"
    REFUSAL = "refusal"
    PAUSE = "pause"
    PARTIAL = "partial"


class Usage(Struct, frozen=True, gc=False):
    """Tokens of one answer as its provider counted them. `input` excludes what was read from or
    written to the provider's cache; `output` includes `reasoning`."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            reasoning=self.reasoning + other.reasoning,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            input=self.input - other.input,
            output=self.output - other.output,
            cache_read=self.cache_read - other.cache_read,
            cache_write=self.cache_write - other.cache_write,
            reasoning=self.reasoning - other.reasoning,
        )


class Answer(Struct, frozen=True):
    """What came back. `model` is the name the provider answered under; `id` its own name for
    the answer."""

    content: tuple[AnswerBlock, ...]
    stop: StopReason
    usage: Usage
    model: str = ""
    id: str = ""


class Body(Struct, frozen=True):
    """The exact bytes of a request and their digest."""

    data: bytes
    sha256: str


class Encoder(Protocol):
    """Turns requests of one session into bytes. An instance may keep what it made of the sealed
    prefix; for any request the bytes equal those of a fresh instance."""

    @property
    def version(self) -> str: ...

    def encode(self, request: NeutralRequest) -> Body: ...


class ExchangeListener(Protocol):
    """Hears an exchange as it goes. `sent` is called once the whole body is handed to the
    network (the moment to sync the log while the provider works); `note` hears what happened on
    the way that belongs into the record, such as a dead connection that was replaced."""

    def sent(self) -> None: ...

    def note(self, sentence: str) -> None: ...

    def text(self, delta: str) -> None: ...

    def thinking(self, delta: str) -> None: ...


class Provider(Protocol):
    """One model behind one wire.

    `exchange` raises a `ProviderError` when it fails and `Cancelled` when the token is; in both
    cases `partial` tells what had arrived of that exchange, or None if nothing had.
    """

    @property
    def wire(self) -> str: ...

    @property
    def partial(self) -> Answer | None: ...

    def encoder(self) -> Encoder: ...

    async def exchange(
        self, body: Body, listener: ExchangeListener, cancel: CancelToken
    ) -> Answer: ...

    async def close(self) -> None: ...
