"""Both of OpenAI's wires for tests: providers, decoders and encoders by the wire's name."""

from __future__ import annotations

from typing import Any

import pytest
from openai import AsyncOpenAI

from induscode.errors import ProviderError
from induscode.gateway import ProviderSpec, connect, encoder_for
from induscode.gateway.factory import Wire
from induscode.gateway.http_provider import Decoder
from induscode.gateway.openai_chat import stream as chat_stream
from induscode.gateway.openai_responses import stream as responses_stream
from induscode.gateway.sse import EventSplitter
from induscode.kernel.cancel import CancelToken
from induscode.kernel.model import Answer, Encoder, Provider
from tests.fakes.openai_chat_frames import chat_frames
from tests.fakes.openai_responses_frames import response_frames
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_steps import Script, Step
from tests.gateway.conversations import Heard, small_request

CHAT: Wire = "openai-chat"
RESPONSES: Wire = "openai-responses"
WIRES: list[Wire] = [CHAT, RESPONSES]
KEY = "sk-proj-secret-0123456789"
PATHS = {CHAT: "/v1/chat/completions", RESPONSES: "/v1/responses"}


def encoder_of(wire: str) -> Encoder:
    encoder = encoder_for(f"{wire}/1")
    assert encoder is not None
    return encoder


def decoder_of(wire: str, heard: Heard | None = None) -> Decoder:
    made = chat_stream.AnswerDecoder if wire == CHAT else responses_stream.AnswerDecoder
    return made(heard or Heard())


def stream_of(wire: str, step: Step) -> bytes:
    if step.body is not None:
        return step.body
    frames = chat_frames if wire == CHAT else response_frames
    return b"".join(frames(step, 1, "gpt-x"))


def decoded(wire: str, pieces: list[bytes], heard: Heard | None = None) -> Answer:
    """What a decoder makes of a stream that arrives in these pieces."""
    decoder, splitter = decoder_of(wire, heard), EventSplitter()
    for piece in pieces:
        for event in splitter.feed(piece):
            decoder.event(event.data)
    return decoder.answer()


def provider_at(
    wire: Wire, url: str, *, idle: float = 5.0, key: str = KEY, name: str = "openai"
) -> Provider:
    return connect(
        ProviderSpec(
            provider=name,
            model="gpt-x",
            wire=wire,
            base_url=url,
            api_key=key,
            idle_timeout=idle,
        )
    )


async def ask(
    provider: Provider, heard: Heard | None = None, cancel: CancelToken | None = None
) -> Answer:
    body = provider.encoder().encode(small_request())
    return await provider.exchange(body, heard or Heard(), cancel or CancelToken())


async def answered(wire: Wire, step: Script) -> Answer:
    with OpenAIServer([step]) as server:
        provider = provider_at(wire, server.base_url)
        answer = await ask(provider)
        await provider.close()
        return answer


async def failure(
    wire: Wire, step: Script, *, idle: float = 5.0
) -> tuple[ProviderError, Answer | None]:
    with OpenAIServer([step]) as server:
        provider = provider_at(wire, server.base_url, idle=idle)
        with pytest.raises(ProviderError) as caught:
            await ask(provider)
        await provider.close()
        return caught.value, provider.partial


def vendor(server: OpenAIServer) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=server.base_url, api_key="k", max_retries=0)


async def sent_by_vendor(wire: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The body the vendor's own client makes of these parameters."""
    with OpenAIServer([Step(text="ok")]) as server:
        async with vendor(server) as client:
            create = client.chat.completions.create if wire == CHAT else client.responses.create
            async for _ in await create(stream=True, **parameters):
                pass
        assert [request.path for request in server.requests] == [PATHS[wire]]
        return server.requests[0].json
